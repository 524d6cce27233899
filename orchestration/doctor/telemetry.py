"""Checks of the telemetry of AI tools: what waits in the spool, what was damaged, and what the lake holds.

Keep out: ingest tokens and their rights (api/control/telemetry).
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.errors import LakeCorrupt
from ingest.telemetry import loading, spool
from orchestration.deployment import Deployment
from orchestration.doctor.findings import Finding, ago
from orchestration.reading.telemetry import STALE_AFTER, source_of
from orchestration.state.fingerprints import now


def telemetry(deployment: Deployment) -> Iterator[Finding]:
    """What each organization sent. An organization that sends none has no line."""
    with deployment.control() as control:
        organizations = control.organizations()
    for organization in organizations:
        folder = loading.spool_folder(deployment.settings.data_dir) / organization.id
        subject = f"Telemetry ({organization.slug})"
        try:
            rows = sum(source_of(deployment, organization.id).state().rows.values())
        except LakeCorrupt as error:
            yield Finding(subject, None, f"{error}; what is whole of it stays", is_warning=True)
            continue
        waiting = spool.waiting_since(folder)
        if rows or waiting is not None:
            is_late = waiting is not None and now() - waiting > STALE_AFTER
            told = f"{rows:,} rows in the lake"
            if waiting is not None:
                told += f"; the oldest that waits in the spool came {ago(waiting.isoformat())}"
            if is_late:
                told += ": run `eas analyze`, or start Dagster, whose nights load it"
            yield Finding(subject, not is_late, told)
        if damaged := spool.damaged(folder):
            detail = (
                f"{len(damaged)} segments of the spool have damaged lines, and the others of their lines were loaded:"
                f" {damaged[0]}; delete them when nobody needs them"
            )
            yield Finding(f"Damaged telemetry ({organization.slug})", None, detail, is_warning=True)
