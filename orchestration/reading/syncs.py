"""Reads one connection into the lake: the beginning is noted, the provider is read, the outcome is recorded.

A provider that limits requests or does not answer parks the connection: the run ends, and a sensor starts the next one
at `next_attempt_at`. Nothing sleeps meanwhile. Keep out: what a provider sends (`ingest`), what its rows tell
people (`ingest.connections.contents`), the record of an outcome (state/outcomes.py), when runs start (graph/).
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from ingest.connection_reading import ConnectionRead, ConnectionReading
from ingest.connections.model import WantedRepository
from ingest.connections.progress import SyncReport
from ingest.errors import (
    IngestError,
    LakeCorrupt,
    ProviderRefused,
    RateLimited,
    SourceBusy,
    Transient,
)
from ingest.git.supervision import Readers
from ingest.lake import Source
from ingest.providers.registry import provider
from orchestration.deployment import Deployment
from orchestration.runtime.explanations import explain
from orchestration.runtime.progress import Progress
from orchestration.runtime.run_state import ConnectionEntry
from orchestration.state import outcomes
from orchestration.state.connections import KnownConnection, forget_facts, older_than_recorded, usable
from orchestration.state.fingerprints import now
from orchestration.state.outcomes import Attempt, ConnectionOutcome

FIRST_DELAY = timedelta(minutes=2)
MAX_DELAY = timedelta(hours=2)
JITTER = 0.25
"""Share of a delay by which it varies, so that connections of one host do not return at the same moment."""
MAX_PARKINGS = 6
"""A host that does not answer for so many attempts (about two hours) counts as failing until the next night."""
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


@dataclass
class _Pass:
    """What one pass over a connection has read so far. `has_begun`: it asks the provider."""

    read: ConnectionRead = field(default_factory=ConnectionRead)
    has_begun: bool = False


def sync(
    deployment: Deployment,
    found: KnownConnection,
    progress: Progress,
    *,
    is_full: bool = False,
    readers: Readers | None = None,
) -> Synced:
    """Read what changed, or everything if `is_full` or if a waiting operation wants it.

    The process that reads belongs to `readers`, which can end it.

    Raises SourceBusy while another process reads the connection, and the errors that end a run for good: refusals and
    defects. They are recorded, as is everything else.
    """
    source = source_of(deployment, found)
    started, done = time.monotonic(), _Pass()

    def recorded(error: Exception | None = None) -> ConnectionOutcome:
        entry = _entry(deployment, found, source, time.monotonic() - started)
        outcome = _outcome(found, entry, done, error)
        outcomes.record(deployment, outcome)
        return outcome

    with source.extracting():
        before = _rows(source)
        attempt = outcomes.begin_sync(deployment, found)
        attempt = replace(attempt, is_full=is_full or attempt.is_full)
        try:
            _read(deployment, readers or Readers(deployment.settings), found, progress, attempt, done)
        except SourceBusy:
            raise
        except Exception as error:
            outcome = recorded(error)
            if outcome.parked_until is None:
                raise
        else:
            outcome = recorded()
    message = outcome.entry.error if outcome.parked_until is not None else None
    return Synced(
        before, outcome.entry.rows, done.read.report, outcome.entry.seconds, outcome.parked_until, message
    )


def source_of(deployment: Deployment, found: KnownConnection) -> Source:
    """The lake's source of a connection."""
    return deployment.lake.source(found.category, found.organization_id, found.id)


def _read(
    deployment: Deployment,
    readers: Readers,
    found: KnownConnection,
    progress: Progress,
    attempt: Attempt,
    done: _Pass,
) -> None:
    """Read every stream of the provider into the lake. An error leaves the rows that were read before it."""

    def report_progress(stream: str, rows: int) -> None:
        progress.stage(found.name, f"reading {stream.partition('/')[0].replace('_', ' ')}", rows, 0)

    source = source_of(deployment, found)
    if source.damage() or older_than_recorded(deployment, found):
        # Everything is read again; the provider has it.
        source.clear()
        forget_facts(deployment, found)
    reading = ConnectionReading(
        deployment.lake,
        usable(found),
        [WantedRepository(*one) for one in attempt.wanted],
        deployment.settings.reach,
        attempt.is_full,
    )
    done.has_begun = True
    done.read = reading.run(readers, found.name, report_progress)
    if done.read.error is not None:
        raise done.read.error


def _outcome(
    found: KnownConnection, entry: ConnectionEntry, done: _Pass, error: Exception | None
) -> ConnectionOutcome:
    """The state after a pass. A limit of requests, or a provider that is silent a few times, parks the connection."""
    at, report = now(), done.read.report
    outcome = ConnectionOutcome(
        found.organization_id,
        replace(entry, parkings=0, next_attempt_at=None, failed_at=at.isoformat(timespec="seconds")),
        done.read.contents,
        report.rows,
        _warnings(report),
        report.failures,
    )
    if error is None and report.is_complete:
        succeeded = replace(outcome.entry, succeeded_at=outcome.entry.failed_at, failed_at=None, error=None)
        return replace(outcome, entry=succeeded)
    if error is None:
        told = "; ".join(f"{name}: {reason}" for name, reason in report.failures.items())
        return replace(outcome, entry=replace(outcome.entry, error=told[:2000]))
    parkings = entry.parkings + 1
    is_limited = isinstance(error, RateLimited)
    if not isinstance(error, Transient) or not done.has_begun or (not is_limited and parkings > MAX_PARKINGS):
        failed = replace(outcome.entry, error=explain(error))
        return replace(outcome, entry=failed, reason=_reason(found, error))
    until = at + delay_of(error, parkings)
    message = f"{error} The next try comes with the first run after {until:%H:%M} UTC."
    if is_limited:
        message = (
            f"{provider(found.kind).title} limits requests; "
            f"the next try comes with the first run after {until:%H:%M} UTC. {error}"
        )
    waits = until.isoformat(timespec="seconds")
    parked = replace(outcome.entry, error=message, parkings=parkings, next_attempt_at=waits)
    reason = "RATE_LIMITED" if is_limited else UNAVAILABLE
    return replace(outcome, entry=parked, reason=reason, parked_until=until)


def delay_of(error: Transient, parkings: int) -> timedelta:
    """The wait before the next attempt: as long as the provider says, else doubling, with jitter in both."""
    if isinstance(error, RateLimited) and error.retry_after is not None:
        wait = timedelta(seconds=max(1.0, error.retry_after))
        # Never earlier than the provider says.
        return wait + min(wait, MAX_DELAY) * random.uniform(0, JITTER)
    doubled: timedelta = FIRST_DELAY * 2 ** min(parkings - 1, 10)
    return min(doubled, MAX_DELAY) * random.uniform(1 - JITTER, 1 + JITTER)


def _reason(found: KnownConnection, error: Exception) -> str:
    if isinstance(error, ProviderRefused):
        return error.refusal.value
    if isinstance(error, Transient):
        return UNAVAILABLE
    if isinstance(error, IngestError):
        return UNREADABLE if found.problem is not None else "INVALID"
    return DEFECT


def _entry(deployment: Deployment, found: KnownConnection, source: Source, seconds: float) -> ConnectionEntry:
    """The entry of the last run, with what every run changes."""
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
        rows=dict(_rows(source)),
        seconds=round(seconds, 3),
        batch=batch,
        facts=facts,
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
