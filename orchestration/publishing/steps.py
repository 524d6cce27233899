"""The steps after a publish, in order. Each step is safe to repeat.

If a step fails, the asset fails and the snapshot stays published. The next attempt repeats all steps.
Add: a step, with the reason for its position.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import dagster as dg

from api.control.connections import sync_status
from orchestration.categories import answering
from orchestration.deployment import Deployment
from orchestration.operations import deletion, outbox
from orchestration.publishing import (
    capex_restatements,
    quota,
    removed_repositories,
    renewals,
    restated_totals,
)
from orchestration.publishing.snapshot import Published
from orchestration.runtime.run_state import BuildEntry
from orchestration.state import fingerprints
from orchestration.summaries import requests, writing


@dataclass(frozen=True, slots=True)
class Publication:
    """A snapshot that has just become current.

    `build_record` holds the fingerprints of the build's inputs (`inputs`) and the `watermark` of the outbox.
    `seconds` is the wall time of publishing. With `is_automatic` a sensor asked for the build. `noted` is what steps
    tell about themselves, as metadata of the run.
    """

    deployment: Deployment
    organization_id: str
    published: Published
    build_record: Mapping[str, Any]
    instance: dg.DagsterInstance
    seconds: float
    is_automatic: bool = False
    noted: dict[str, Any] = field(default_factory=dict)


def _restate_capex(publication: Publication) -> None:
    capex_restatements.record_restatements(
        publication.deployment, publication.organization_id, publication.published, publication.build_record
    )


def _restate_totals(publication: Publication) -> None:
    restated_totals.record_restatement(
        publication.deployment, publication.organization_id, publication.published, publication.build_record
    )


def _renew(publication: Publication) -> None:
    renewals.record_renewal(publication.deployment, publication.organization_id, publication.published)


def _record_analysed(publication: Publication) -> None:
    quota.record_analysed(publication.deployment, publication.organization_id)


def _record_build(publication: Publication) -> None:
    at = fingerprints.now().isoformat(timespec="seconds")
    entry = BuildEntry(
        publication.build_record["inputs"],
        publication.published.build_id,
        at,
        publication.seconds,
        publication.build_record.get("warehouse"),
        publication.build_record.get("connections") or {},
    )
    publication.deployment.run_state.record(publication.organization_id, entry)


def _name_held(publication: Publication) -> None:
    message = publication.build_record.get("held")
    if message is None:
        return
    with publication.deployment.control() as control:
        for connection_id, (present, shown) in publication.build_record["connections"].items():
            if shown < present:
                sync_status.note_held(control, publication.organization_id, connection_id, message=message)


def _write_summaries(publication: Publication) -> None:
    watermark = outbox.from_json(publication.build_record.get("watermark"))
    outcome = writing.write_due(
        publication.deployment,
        publication.published.file,
        publication.published.build_id,
        requests=requests.up_to(publication.deployment, publication.organization_id, watermark),
        waits_for_sources=publication.is_automatic,
        forgets=deletion.is_pending(publication.deployment, publication.organization_id),
    )
    publication.noted.update(outcome.metadata())


def _ask_for_categories(publication: Publication) -> None:
    outcome = answering.ask_about(
        publication.deployment, publication.organization_id, publication.published.file
    )
    publication.noted.update(outcome.metadata())


def _complete_operations(publication: Publication) -> None:
    watermark = outbox.from_json(publication.build_record.get("watermark"))
    outbox.mark_included(
        publication.deployment, publication.organization_id, watermark, publication.published.build_id
    )


def _forget_removed(publication: Publication) -> None:
    removed_repositories.forget(
        publication.deployment, publication.organization_id, publication.instance, publication.published.file
    )


def _forget_disconnected(publication: Publication) -> None:
    removed_repositories.forget_connections(
        publication.deployment, publication.organization_id, publication.instance
    )


STEPS: tuple[tuple[str, Callable[[Publication], None]], ...] = (
    # Both compare with the previous build, which the run state names until `record the build`.
    ("restate closed months of CapEx", _restate_capex),
    ("restate totals after a change of rules", _restate_totals),
    ("record a renewal that is due", _renew),
    ("record how many commits are analysed", _record_analysed),
    ("record the build", _record_build),
    ("name connections whose newest rows do not count", _name_held),
    # Never fails: what cannot be written is counted. Before the operations, because some ask for texts.
    ("write summaries", _write_summaries),
    # Never fails either. The next build applies the answers.
    ("ask a model for categories", _ask_for_categories),
    # Last of the records: an operation is done only after everything above is recorded.
    ("complete waiting operations", _complete_operations),
    # Reads from the new snapshot which commits of a removed repository another repository has.
    ("forget removed repositories", _forget_removed),
    ("forget removed connections", _forget_disconnected),
)


def run(publication: Publication) -> None:
    """Run every step, in order. Raises the error of a step."""
    for _, step in STEPS:
        step(publication)
