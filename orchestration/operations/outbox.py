"""Tracks changes in the outbox until a published build includes them.

    settings copied (`save_watermark`) ─► built (`saved_watermark`) ─► published (`mark_included`)

A watermark is the position of the last change in the outbox at an instant. It is read before the settings are copied,
so the copy holds every change up to it.
Keep out: requests of runs (sensors.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from api.control.operations import operations
from api.control.operations.operations import Watermark
from orchestration.deployment import Deployment
from orchestration.runtime import sealed


def current_watermark(deployment: Deployment, organization_id: str) -> Watermark:
    """The present watermark of the outbox."""
    with deployment.control() as control:
        return operations.current_watermark(control, organization_id)


def due_since(deployment: Deployment, organization_id: str) -> datetime | None:
    """The instant (UTC) since which the oldest change waits for a build and nothing else; None if no change waits."""
    with deployment.control() as control:
        return operations.due_since(control, organization_id)


def save_watermark(deployment: Deployment, organization_id: str, watermark: Watermark) -> None:
    """Store the watermark of the settings in the lake. Call it after copying, with the watermark from before."""
    sealed.write(_file(deployment, organization_id), to_json(watermark) or {}, organization_id)


def saved_watermark(deployment: Deployment, organization_id: str) -> Watermark | None:
    """The watermark of the settings in the lake; None if none is stored."""
    try:
        return from_json(sealed.read(_file(deployment, organization_id), organization_id))
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None  # changes then wait for the next build


def mark_included(
    deployment: Deployment, organization_id: str, watermark: Watermark | None, build_id: str
) -> None:
    """Mark the changes up to a watermark as included in a published build."""
    if watermark is not None:
        with deployment.control() as control:
            operations.include(control, organization_id, watermark, build_id)


def to_json(watermark: Watermark | None) -> dict[str, Any] | None:
    """A watermark as JSON."""
    return {"position": watermark.position, "at": watermark.at.isoformat()} if watermark is not None else None


def from_json(content: Mapping[str, Any] | None) -> Watermark | None:
    """A watermark from JSON."""
    return (
        Watermark(content["position"], datetime.fromisoformat(content["at"])) if content is not None else None
    )


@contextmanager
def recording_failure(deployment: Deployment, organization_id: str) -> Iterator[None]:
    """Record an error of the block as the failure of all waiting changes."""
    try:
        yield
    except Exception as error:
        with deployment.control() as control:
            watermark = operations.current_watermark(control, organization_id)
            operations.fail(control, organization_id, watermark, str(error) or type(error).__name__)
        raise


def _file(deployment: Deployment, organization_id: str) -> Path:
    return deployment.settings.warehouse_file(organization_id).with_suffix(".watermark.json")
