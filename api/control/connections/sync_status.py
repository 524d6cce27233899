"""The sync status of connections: results of runs, and the operations that wait for one.

An operation with a connection waits until a run that began later has read the connection completely, or fails with that
run for good. A killed run leaves it waiting. Keep out: settings (connections.py), starting runs (orchestration).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, select, true, update
from sqlalchemy.orm import Session

from api.control.connections.health import ConnectionHealth, change_health, told_text
from api.control.models import Connection, Operation
from api.control.operations.operations import MAX_ERROR_LENGTH
from api.control.store import ControlStore

RESYNC, CHANGE = "connections.resync", "connections.update"
FULL = frozenset({RESYNC, CHANGE})
"""Actions after which everything is read again; other options may select other things."""
SHOWN_FAILURES = 3
SHOWN_LENGTH = 500


@dataclass(frozen=True, slots=True)
class WaitingSync:
    """An operation that waits since `at` for a connection to be read, completely if `is_full`."""

    operation_id: str
    organization_id: str
    connection_id: str
    is_full: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class DueConnection:
    """A connection that the provider limited until `next_attempt_at`, which has passed."""

    organization_id: str
    connection_id: str
    next_attempt_at: datetime


def note_attempt(store: ControlStore, organization_id: str, connection_id: str) -> bool:
    """Record that a run begins. It answers the operations that wait now; returns whether one of them wants everything
    read again.
    """
    with store.session() as session:
        row = _row(session, organization_id, connection_id)
        if row is not None:
            row.last_attempt_at = store.now()
        waiting = session.scalars(
            select(Operation).where(*_of(organization_id, connection_id), _unanswered())
        ).all()
        for one in waiting:
            one.started_at, one.error = store.now(), None
        return any(one.action in FULL for one in waiting) or _owes_everything(session, row)


def note_success(
    store: ControlStore,
    organization_id: str,
    connection_id: str,
    *,
    rows: Mapping[str, int],
    warnings: Sequence[str] = (),
) -> None:
    """Record a complete pass with the changed rows by table, and answer the operations that waited for it."""
    with store.session() as session:
        row = _row(session, organization_id, connection_id)
        if row is None:
            return
        row.last_synced_at, row.next_attempt_at = store.now(), None
        row.row_counts, row.warnings = dict(rows), _short(warnings)
        change_health(session, row, store.now(), ConnectionHealth.HEALTHY)
        session.execute(
            update(Operation)
            .where(*_started(organization_id, connection_id))
            .values(read_at=store.now(), result={"rows": dict(rows)}, error=None)
        )


def note_partial(
    store: ControlStore,
    organization_id: str,
    connection_id: str,
    *,
    rows: Mapping[str, int],
    warnings: Sequence[str] = (),
    failures: Mapping[str, str],
) -> None:
    """Record a pass of which some streams failed, with their messages. The time of the last sync stays."""
    first = [f"{name}: {told[:SHOWN_LENGTH]}" for name, told in list(failures.items())[:SHOWN_FAILURES]]
    more = len(failures) - len(first)
    count = "1 part" if len(failures) == 1 else f"{len(failures)} parts"
    message = f"{count} could not be read. {' '.join(first)}{f' And {more} more.' if more > 0 else ''}"
    with store.session() as session:
        row = _row(session, organization_id, connection_id)
        if row is None:
            return
        row.next_attempt_at, row.row_counts, row.warnings = None, dict(rows), _short(warnings)
        change_health(session, row, store.now(), ConnectionHealth.DEGRADED, message, "PARTIAL")
        _refuse(session, store.now(), organization_id, connection_id, message)


def note_failure(
    store: ControlStore, organization_id: str, connection_id: str, *, reason: str, message: str
) -> None:
    """Record that a run could not read the connection. Users see `message`; `reason` is a code such as EXPIRED."""
    with store.session() as session:
        row = _row(session, organization_id, connection_id)
        if row is None:
            return
        row.next_attempt_at = None
        change_health(session, row, store.now(), ConnectionHealth.FAILING, message, reason)
        _refuse(session, store.now(), organization_id, connection_id, message)


def note_held(store: ControlStore, organization_id: str, connection_id: str, *, message: str) -> None:
    """Record that figures leave out the newest rows of a connection, because the build fails with them."""
    with store.session() as session:
        row = _row(session, organization_id, connection_id)
        if row is not None:
            change_health(session, row, store.now(), ConnectionHealth.DEGRADED, message, "HELD")


def note_parked(
    store: ControlStore,
    organization_id: str,
    connection_id: str,
    *,
    until: datetime,
    message: str,
    reason: str = "RATE_LIMITED",
) -> None:
    """Record that a connection waits until an instant: for a limit of the provider, or until it answers again.
    Operations go on waiting.
    """
    with store.session() as session:
        row = _row(session, organization_id, connection_id)
        if row is None:
            return
        row.next_attempt_at = until
        change_health(session, row, store.now(), ConnectionHealth.LIMITED, message, reason)


def note_contents(
    store: ControlStore,
    organization_id: str,
    connection_id: str,
    *,
    item_counts: Mapping[str, int],
    team_names: Mapping[str, str],
    default_levels: Mapping[str, str] | None = None,
) -> None:
    """Record what the lake has of a tracker: items by kind, and the names of its teams by key.

    `default_levels` are the levels of the provider in this release.
    """
    with store.session() as session:
        row = _row(session, organization_id, connection_id)
        if row is not None:
            row.item_counts, row.team_names = dict(item_counts), dict(team_names)
            row.counted_at = store.now()
            if default_levels is not None:
                row.default_levels = dict(default_levels)


def waiting_syncs(store: ControlStore, limit: int) -> list[WaitingSync]:
    """The oldest operations that no run has answered or refused yet, but of connections that wait for a limit."""
    statement = (
        select(Operation)
        .join(Connection, Connection.id == Operation.connection_id)
        .where(
            _unanswered(),
            Operation.error.is_(None),
            Connection.removed_at.is_(None),
            Connection.next_attempt_at.is_(None) | (Connection.next_attempt_at <= store.now()),
        )
        .order_by(Operation.at, Operation.id)
        .limit(limit)
    )
    with store.session() as session:
        return [
            WaitingSync(row.id, row.organization_id, row.connection_id, row.action in FULL, row.at)
            for row in session.scalars(statement)
            if row.connection_id is not None
        ]


def due_connections(store: ControlStore, now: datetime) -> list[DueConnection]:
    """Connections whose limit has ended, the oldest first. They stay due until a run ends."""
    statement = (
        select(Connection)
        .where(Connection.removed_at.is_(None), Connection.next_attempt_at <= now)
        .order_by(Connection.next_attempt_at, Connection.id)
    )
    with store.session() as session:
        return [
            DueConnection(row.organization_id, row.id, row.next_attempt_at)
            for row in session.scalars(statement)
            if row.next_attempt_at is not None
        ]


def give_up(session: Session, now: datetime, organization_id: str, connection_id: str, why: str) -> None:
    """End the operations that wait for a connection, in the transaction that removes it."""
    session.execute(
        update(Operation)
        .where(*_of(organization_id, connection_id), _unanswered())
        .values(ended_at=now, error=why)
    )


def _owes_everything(session: Session, row: Connection | None) -> bool:
    """Whether a sync of everything failed, and none has read the connection since."""
    if row is None:
        return False
    failed = select(Operation.id).where(
        *_of(row.organization_id, row.id),
        Operation.action.in_(FULL),
        Operation.ended_at.is_not(None),
        Operation.read_at.is_(None),
        true() if row.last_synced_at is None else Operation.at > row.last_synced_at,
    )
    return session.scalar(failed.limit(1)) is not None


def _row(session: Session, organization_id: str, connection_id: str) -> Connection | None:
    row = session.get(Connection, connection_id)
    is_known = row is not None and row.organization_id == organization_id and row.removed_at is None
    return row if is_known else None


def _of(organization_id: str, connection_id: str) -> tuple[ColumnElement[bool], ...]:
    return Operation.organization_id == organization_id, Operation.connection_id == connection_id


def _unanswered() -> ColumnElement[bool]:
    return Operation.connection_id.is_not(None) & Operation.read_at.is_(None) & Operation.ended_at.is_(None)


def _started(organization_id: str, connection_id: str) -> tuple[ColumnElement[bool], ...]:
    return *_of(organization_id, connection_id), _unanswered(), Operation.started_at.is_not(None)


def _refuse(session: Session, now: datetime, organization_id: str, connection_id: str, message: str) -> None:
    """End the operations that a run began with. A later run answers those of its own time."""
    values: dict[str, Any] = {"error": told_text(message)[:MAX_ERROR_LENGTH], "ended_at": now}
    session.execute(update(Operation).where(*_started(organization_id, connection_id)).values(values))


def _short(warnings: Sequence[str]) -> list[str]:
    return [told_text(one) for one in warnings[:20]]
