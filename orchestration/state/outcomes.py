"""Records the outcome of a run that read a repository or a connection.

`record` is the only function that does: in the run state, for later runs and `eas doctor`, and in the control database,
for people and sensors. The lake states its facts itself, and the events of a run follow from its outcome
(graph/assets/). Add: something else that is remembered of a run. Keep out: reading (reading/), builds (publishing/).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

from api.control.connections import sync_status as connections
from api.control.connections.available import AvailableRepository, replace_available
from api.control.connections.usable import UsableConnection, wanted_repositories
from api.control.errors import NotFound
from api.control.repositories import sync_status as repositories
from api.control.store import ControlStore
from ingest.connections.contents import Contents
from orchestration.deployment import Deployment
from orchestration.runtime.run_state import ConnectionEntry, RepositoryEntry
from orchestration.state.fingerprints import now


@dataclass(frozen=True)
class RepositoryOutcome:
    """What a run found in a repository, or the error in its entry.

    `branches` has the head of each branch by its name. `is_busy`: another process reads the repository. People do not
    see that as a failure.
    """

    organization_id: str
    entry: RepositoryEntry
    is_busy: bool = False
    branches: Mapping[str, str] = field(default_factory=dict)

    def tell(self, control: ControlStore) -> None:
        """Record it in the control database."""
        subject = self.organization_id, self.entry.repository_id
        if self.entry.error is None:
            repositories.note_success(control, *subject, self.entry.commits, self.branches)
        elif not self.is_busy:
            repositories.note_failure(control, *subject, self.entry.error)


def failed(
    organization_id: str, entry: RepositoryEntry, reason: str, *, is_busy: bool = False
) -> RepositoryOutcome:
    """The outcome of a run that could not read a repository."""
    at = now().isoformat(timespec="seconds")
    return RepositoryOutcome(organization_id, replace(entry, failed_at=at, error=reason), is_busy)


@dataclass(frozen=True)
class ConnectionOutcome:
    """What a run read of a connection, or the error in its entry.

    `rows` are the changed ones by table, `failures` the messages of parts that could not be read. `reason` is the code
    of a failure or pause; a pause ends at `parked_until`.
    """

    organization_id: str
    entry: ConnectionEntry
    contents: Contents = field(default_factory=Contents)
    rows: Mapping[str, int] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    failures: Mapping[str, str] = field(default_factory=dict)
    reason: str | None = None
    parked_until: datetime | None = None

    def tell(self, control: ControlStore) -> None:
        """Record it in the control database. Contents come first: who sees a sync end, looks at them."""
        subject = self.organization_id, self.entry.connection_id
        contents = self.contents
        if contents.available is not None:
            with suppress(NotFound):  # the connection may have been removed meanwhile
                replace_available(
                    control, *subject, [AvailableRepository(**one) for one in contents.available]
                )
        if contents.item_counts is not None:
            connections.note_contents(
                control,
                *subject,
                item_counts=contents.item_counts,
                team_names=contents.team_names,
                default_levels=contents.default_levels,
            )
        message = self.entry.error or ""
        if self.parked_until is not None:
            connections.note_parked(
                control, *subject, until=self.parked_until, message=message, reason=self.reason or ""
            )
        elif self.reason is not None:
            connections.note_failure(control, *subject, reason=self.reason, message=message)
        elif self.failures:
            connections.note_partial(
                control, *subject, rows=self.rows, warnings=self.warnings, failures=self.failures
            )
        else:
            connections.note_success(control, *subject, rows=self.rows, warnings=self.warnings)


@dataclass(frozen=True)
class Attempt:
    """A sync that begins: whether an operation wants everything read again, and the repositories to ask for."""

    is_full: bool
    wanted: Sequence[tuple[str, str, str | None]]


def begin_sync(deployment: Deployment, found: UsableConnection) -> Attempt:
    """Note that a sync begins. Operations that come later wait for the next one."""
    with deployment.control() as control:
        is_full = connections.note_attempt(control, found.organization_id, found.id)
        return Attempt(is_full, wanted_repositories(control, found.organization_id))


def record(deployment: Deployment, outcome: RepositoryOutcome | ConnectionOutcome) -> None:
    """Record an outcome. A run that is killed in between is repeated, because its operations go on waiting."""
    deployment.run_state.record(outcome.organization_id, outcome.entry)
    with deployment.control() as control:
        outcome.tell(control)
