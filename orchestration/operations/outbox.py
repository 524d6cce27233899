"""From a change in the outbox to the build that includes it.

    copied into the lake (`noted`) ─► built (`dbt_build` keeps what it has seen) ─► published (`included`)

What a build has seen is read before the settings that it is built from, so it is never more than what they hold.
Keep out: what starts the runs (sensors.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from api.control.operations import operations
from api.control.operations.operations import Seen
from orchestration.deployment import Deployment


def noted(deployment: Deployment, organization_id: str) -> Seen:
    """The changes that are decided by now."""
    with deployment.control() as control:
        return operations.seen(control, organization_id)


def due_since(deployment: Deployment, organization_id: str) -> datetime | None:
    """Since when a change waits for a build alone; None where none does."""
    with deployment.control() as control:
        return operations.due_since(control, organization_id)


def keep(deployment: Deployment, organization_id: str, seen: Seen) -> None:
    """Keep what the copy of the settings in the lake has seen; called after copying, with what was noted before."""
    file = _file(deployment, organization_id)
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f"{file.name}.partial")
    partial.write_text(json.dumps(written(seen)))
    partial.replace(file)


def kept(deployment: Deployment, organization_id: str) -> Seen | None:
    """What the lake's copy of the settings has seen at least; None where nothing was kept."""
    try:
        return read(json.loads(_file(deployment, organization_id).read_text()))
    except (FileNotFoundError, ValueError):
        return None


def included(deployment: Deployment, organization_id: str, seen: Seen | None, build_id: str) -> None:
    """These changes are in a published build."""
    if seen is not None:
        with deployment.control() as control:
            operations.include(control, organization_id, seen, build_id)


def written(seen: Seen | None) -> dict[str, Any] | None:
    """As JSON."""
    return {"position": seen.position, "at": seen.at.isoformat()} if seen is not None else None


def read(content: Mapping[str, Any] | None) -> Seen | None:
    """From JSON."""
    return Seen(content["position"], datetime.fromisoformat(content["at"])) if content is not None else None


@contextmanager
def blamed(deployment: Deployment, organization_id: str) -> Iterator[None]:
    """Tell the changes that wait for it why a run fails."""
    try:
        yield
    except Exception as error:
        with deployment.control() as control:
            seen = operations.seen(control, organization_id)
            operations.fail(control, organization_id, seen, str(error) or type(error).__name__)
        raise


def _file(deployment: Deployment, organization_id: str) -> Path:
    return deployment.settings.warehouse_file(organization_id).with_suffix(".seen.json")
