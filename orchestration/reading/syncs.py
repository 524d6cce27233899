"""Reads one connection into the lake, and records the result for the API, the sensor and `eas doctor`.

A provider that limits requests or does not answer parks the connection: the run ends, and a sensor starts the next one
at `next_attempt_at`. Nothing sleeps meanwhile. Keep out: what a provider sends (`ingest`), what its rows tell
people (connection_contents.py), when runs start (graph/).
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from api.control.connections import sync_status
from api.control.connections.usable import wanted_repositories
from ingest.connections.model import Connection, Provider, WantedRepository
from ingest.connections.sync import Sync, SyncReport
from ingest.errors import (
    IngestError,
    LakeCorrupt,
    ProviderRefused,
    RateLimited,
    Refusal,
    SourceBusy,
    Transient,
)
from ingest.http.client import Client
from ingest.lake import Source
from ingest.providers.registry import client_of, provider
from orchestration.deployment import Deployment
from orchestration.reading.connection_contents import list_repositories, note_contents
from orchestration.runtime.explanations import explain
from orchestration.runtime.progress import Progress
from orchestration.runtime.run_state import ConnectionEntry
from orchestration.state import connections
from orchestration.state.connections import KnownConnection
from orchestration.state.fingerprints import now

FIRST_DELAY = timedelta(minutes=2)
MAX_DELAY = timedelta(hours=2)
JITTER = 0.25
"""Share of a delay by which it varies, so that connections of one host do not return at the same moment."""
MAX_PARKINGS = 6
"""A host that does not answer for so many attempts (about two hours) counts as failing until the next night."""
OF_THE_TOKEN = frozenset({Refusal.UNAUTHORIZED, Refusal.EXPIRED, Refusal.SSO_REQUIRED})
UNAVAILABLE, DEFECT, UNREADABLE = "UNAVAILABLE", "INTERNAL", "UNREADABLE"


@dataclass(frozen=True)
class Synced:
    """The result of one run. `before` and `after` are rows by table; `parked_until` ends a pause of the provider."""

    before: Mapping[str, int]
    after: Mapping[str, int]
    report: SyncReport
    seconds: float
    parked_until: datetime | None = None
    message: str | None = None


def sync(
    deployment: Deployment, found: KnownConnection, progress: Progress, *, is_full: bool = False
) -> Synced:
    """Read what changed, or everything if `is_full` or if a waiting operation wants it.

    Raises SourceBusy while another process reads the connection, and the errors that end a run for good: refusals and
    defects. They are recorded, as is everything else.
    """
    source = source_of(deployment, found)
    started = time.monotonic()
    with source.extracting():
        before = _rows(source)
        with deployment.control() as control:
            is_full |= sync_status.note_attempt(control, found.organization_id, found.id)
        try:
            run = _start(deployment, found, source, progress, is_full=is_full)
        except Exception as error:
            _note_failure(deployment, found, source, started, error)
            raise
        try:
            with run.client:
                report = _read(run)
        except Transient as error:
            return _park(deployment, found, source, before, run.sync.report, started, error)
        except Exception as error:
            _note_failure(deployment, found, source, started, error)
            raise
        finally:
            list_repositories(deployment, found, source)
        return _finish(deployment, found, source, before, report, started)


def _read(run: _Run) -> SyncReport:
    """Raises a refusal of the token in the words of its check, which name the remedy."""
    try:
        return run.sync.run()
    except ProviderRefused as error:
        if error.refusal not in OF_THE_TOKEN:
            raise
        with suppress(Transient):
            run.provider.check(run.client, run.connection)
        raise


def source_of(deployment: Deployment, found: KnownConnection) -> Source:
    """The lake's source of a connection."""
    return deployment.lake.source(found.category, found.organization_id, found.id)


@dataclass(frozen=True)
class _Run:
    sync: Sync
    client: Client
    provider: Provider
    connection: Connection


def _start(
    deployment: Deployment, found: KnownConnection, source: Source, progress: Progress, *, is_full: bool
) -> _Run:
    if source.damage() or connections.older_than_recorded(deployment, found):
        # Everything is read again; the provider has it.
        source.clear()
        entry = deployment.run_state.connection(found.organization_id, found.id)
        if entry is not None:
            # A run that is killed from here on continues instead of starting again.
            deployment.run_state.record_connection(found.organization_id, replace(entry, facts=None))
    connection = connections.usable(found)
    with deployment.control() as control:
        wanted = [WantedRepository(*one) for one in wanted_repositories(control, found.organization_id)]

    def report_progress(stream: str, rows: int) -> None:
        progress.stage(found.name, f"reading {stream.partition('/')[0].replace('_', ' ')}", rows, 0)

    of_kind = provider(found.kind)
    client = client_of(connection, deployment.settings.reach)
    made = Sync(
        source,
        connection,
        of_kind,
        client,
        wanted,
        is_full=is_full,
        on_progress=report_progress,
    )
    return _Run(made, client, of_kind, connection)


def _finish(
    deployment: Deployment,
    found: KnownConnection,
    source: Source,
    before: Mapping[str, int],
    report: SyncReport,
    started: float,
) -> Synced:
    after, seconds = _rows(source), time.monotonic() - started
    warnings = _warnings(report)
    at = now().isoformat(timespec="seconds")
    entry = _fresh(deployment, found, source, after, seconds)
    with deployment.control() as control:
        if report.is_complete:
            sync_status.note_success(
                control, found.organization_id, found.id, rows=report.rows, warnings=warnings
            )
            entry = replace(entry, succeeded_at=at, failed_at=None, error=None)
        else:
            sync_status.note_partial(
                control,
                found.organization_id,
                found.id,
                rows=report.rows,
                warnings=warnings,
                failures=report.failures,
            )
            told = "; ".join(f"{name}: {reason}" for name, reason in report.failures.items())
            entry = replace(entry, failed_at=at, error=told[:2000])
    deployment.run_state.record_connection(found.organization_id, entry)
    note_contents(deployment, found, source)
    return Synced(before, after, report, seconds)


def _park(
    deployment: Deployment,
    found: KnownConnection,
    source: Source,
    before: Mapping[str, int],
    report: SyncReport,
    started: float,
    error: Transient,
) -> Synced:
    """Record that the connection waits. Raises the error for a host that did not answer for too many attempts."""
    entry = deployment.run_state.connection(found.organization_id, found.id)
    parkings = (entry.parkings if entry is not None else 0) + 1
    if not isinstance(error, RateLimited) and parkings > MAX_PARKINGS:
        _note_failure(deployment, found, source, started, error)
        raise error
    until = now() + delay_of(error, parkings)
    reason = "RATE_LIMITED" if isinstance(error, RateLimited) else "UNAVAILABLE"
    if isinstance(error, RateLimited):
        message = (
            f"{provider(found.kind).title} limits requests; the next try is at {until:%H:%M} UTC. {error}"
        )
    else:
        message = f"{error} The next try is at {until:%H:%M} UTC."
    with deployment.control() as control:
        sync_status.note_parked(
            control, found.organization_id, found.id, until=until, message=message, reason=reason
        )
    after, seconds = _rows(source), time.monotonic() - started
    parked = replace(
        _fresh(deployment, found, source, after, seconds),
        failed_at=now().isoformat(timespec="seconds"),
        error=message,
        parkings=parkings,
        next_attempt_at=until.isoformat(timespec="seconds"),
    )
    deployment.run_state.record_connection(found.organization_id, parked)
    return Synced(before, after, report, seconds, until, message)


def delay_of(error: Transient, parkings: int) -> timedelta:
    """The wait before the next attempt: as long as the provider says, else doubling, with jitter in both."""
    if isinstance(error, RateLimited) and error.retry_after is not None:
        wait = timedelta(seconds=max(1.0, error.retry_after))
        # Never earlier than the provider says.
        return wait + min(wait, MAX_DELAY) * random.uniform(0, JITTER)
    doubled: timedelta = FIRST_DELAY * 2 ** min(parkings - 1, 10)
    return min(doubled, MAX_DELAY) * random.uniform(1 - JITTER, 1 + JITTER)


def _note_failure(
    deployment: Deployment, found: KnownConnection, source: Source, started: float, error: Exception
) -> None:
    if isinstance(error, SourceBusy):
        return
    message = explain(error)
    with deployment.control() as control:
        sync_status.note_failure(
            control, found.organization_id, found.id, reason=_reason(found, error), message=message
        )
    entry = _fresh(deployment, found, source, _rows(source), time.monotonic() - started)
    failed = replace(entry, failed_at=now().isoformat(timespec="seconds"), error=message)
    deployment.run_state.record_connection(found.organization_id, failed)


def _reason(found: KnownConnection, error: Exception) -> str:
    if isinstance(error, ProviderRefused):
        return error.refusal.value
    if isinstance(error, Transient):
        return UNAVAILABLE
    if isinstance(error, IngestError):
        return UNREADABLE if found.problem is not None else "INVALID"
    return DEFECT


def _fresh(
    deployment: Deployment, found: KnownConnection, source: Source, rows: Mapping[str, int], seconds: float
) -> ConnectionEntry:
    """The entry of the last run with what every run changes. A run that ends is no longer parked."""
    entry = deployment.run_state.connection(found.organization_id, found.id)
    entry = entry or ConnectionEntry(found.id, found.name, found.category)
    try:
        state = source.state()
        facts, batch = state.digest(), state.batch
    except LakeCorrupt:
        facts, batch = None, 0
    return replace(
        entry,
        name=found.name,
        category=found.category,
        rows=dict(rows),
        seconds=round(seconds, 3),
        batch=batch,
        facts=facts,
        parkings=0,
        next_attempt_at=None,
    )


def _warnings(report: SyncReport) -> list[str]:
    """Sentences about rows that could not be read, and about parts that the provider's plan lacks."""
    unread = [
        f"{count} {'row' if count == 1 else 'rows'} of {stream} could not be read ({report.unread_reasons[stream]})."
        for stream, count in report.unread.items()
    ]
    return [*unread, *report.notes.values()]


def _rows(source: Source) -> Mapping[str, int]:
    try:
        return source.state().rows
    except LakeCorrupt:
        return {}
