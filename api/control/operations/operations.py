"""The outbox: changes that a later build applies to the figures.

audit.record calls `append` in the transaction of the write. Keep out: starting runs
(orchestration/graph/sensors.py).
"""

from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, func, or_, select, update
from sqlalchemy.orm import Session

from api.control.ids import new_id
from api.control.list_pages import Key, ListPage, ListQuery, list_page
from api.control.models import Operation
from api.control.records import copied, existing, owned
from api.control.store import ControlStore

KEYS = {"at": Key(Operation.at), "position": Key(Operation.position)}
MAX_ERROR_LENGTH = 2000
SYNC = "connections.sync"

appended: ContextVar[list[str] | None] = ContextVar("appended", default=None)
"""A list of a request, to which the ids of its new operations are added."""


@dataclass(frozen=True, slots=True)
class Watermark:
    """The watermark of a build: it includes changes up to `position`.

    A change that needs its repository or connection read again counts only if that was done by `at`.
    """

    position: int
    at: datetime


class OperationState(StrEnum):
    """The state of an operation. A FAILED one is tried again a few times, and whenever another input changes; that of a
    sync stays FAILED, and later syncs have their own.
    """

    PENDING = "PENDING"
    DONE = "DONE"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True)
class OperationRecord:
    """A change and its result. `build_id` is the first published build that includes it."""

    id: str
    position: int
    at: datetime
    action: str
    target_kind: str
    target_id: str
    target_name: str
    repository_id: str | None
    connection_id: str | None
    ended_at: datetime | None
    build_id: str | None
    error: str | None
    result: dict[str, Any] | None

    @property
    def state(self) -> OperationState:
        """The state of the operation."""
        if self.ended_at is not None and self.build_id is not None:
            return OperationState.DONE
        return OperationState.FAILED if self.error is not None else OperationState.PENDING


def append(
    session: Session,
    now: datetime,
    organization_id: str,
    *,
    action: str,
    target: tuple[str, str, str],
    repository_id: str | None = None,
    connection_id: str | None = None,
) -> str:
    """Add a change to the outbox of an organization, in a `write_transaction`. Returns the id of the operation."""
    kind, target_id, name = target
    row = Operation(
        id=new_id(),
        organization_id=organization_id,
        position=last_position(session, organization_id) + 1,
        at=now,
        action=action,
        target_kind=kind,
        target_id=target_id,
        target_name=name,
        repository_id=repository_id,
        connection_id=connection_id,
    )
    session.add(row)
    # Without it a second change of the same transaction would not see this position.
    session.flush()
    ids = appended.get()
    if ids is not None:
        ids.append(row.id)
    return row.id


def last_position(session: Session, organization_id: str) -> int:
    """The position of the newest change; 0 before the first."""
    last = session.scalar(
        select(func.max(Operation.position)).where(Operation.organization_id == organization_id)
    )
    return last or 0


def current_watermark(store: ControlStore, organization_id: str) -> Watermark:
    """The present watermark. Take it before reading the decisions, so that the read includes all of them."""
    at = store.now()
    with store.session() as session:
        return Watermark(last_position(session, organization_id), at)


def include(store: ControlStore, organization_id: str, watermark: Watermark, build_id: str) -> None:
    """Mark the changes that a published build includes. A second call changes nothing."""
    with store.session() as session:
        session.execute(
            update(Operation)
            .where(*_up_to(organization_id, watermark))
            .values(ended_at=store.now(), build_id=build_id, error=None)
        )


def fail(store: ControlStore, organization_id: str, watermark: Watermark, error: str) -> None:
    """Record the error of a run that should have included these changes. They stay due."""
    with store.session() as session:
        session.execute(
            update(Operation)
            .where(*_up_to(organization_id, watermark))
            .values(error=error[:MAX_ERROR_LENGTH])
        )


def note_result(store: ControlStore, organization_id: str, operation_id: str, result: dict[str, Any]) -> None:
    """Store what became of an operation, before it is included in a build."""
    with store.session() as session:
        session.execute(
            update(Operation)
            .where(Operation.organization_id == organization_id, Operation.id == operation_id)
            .values(result=result)
        )


def list_operations(
    store: ControlStore, organization_id: str, asked: ListQuery, *, state: OperationState | None = None
) -> ListPage[OperationRecord]:
    """A page of the outbox, newest first; optionally of one state."""
    statement = owned(Operation, organization_id)
    if state is not None:
        statement = statement.where(_in_state(state))
    with store.session() as session:
        return list_page(session, statement, KEYS, asked, _record, default="position desc", unique="position")


def operation(store: ControlStore, organization_id: str, operation_id: str) -> OperationRecord:
    """An operation. Raises NotFound."""
    with store.session() as session:
        row = existing(session, Operation, organization_id, operation_id, "operation", "operations")
        return _record(row)


def pending(store: ControlStore, organization_id: str) -> Sequence[OperationRecord]:
    """Every change that no published build includes yet, oldest first."""
    with store.session() as session:
        rows = session.scalars(
            owned(Operation, organization_id, Operation.ended_at.is_(None)).order_by(Operation.position)
        )
        return [_record(row) for row in rows]


def due_since(store: ControlStore, organization_id: str) -> datetime | None:
    """The instant since which the oldest change waits for a build and nothing else; None where no change does."""
    with store.session() as session:
        return session.scalar(
            select(func.min(func.coalesce(Operation.read_at, Operation.at))).where(
                Operation.organization_id == organization_id,
                Operation.ended_at.is_(None),
                or_(_needs_no_reading(), Operation.read_at.is_not(None)),
            )
        )


def up_to(store: ControlStore, organization_id: str, watermark: Watermark) -> Sequence[OperationRecord]:
    """The waiting changes that a build with this watermark includes, oldest first."""
    with store.session() as session:
        rows = session.scalars(
            select(Operation).where(*_up_to(organization_id, watermark)).order_by(Operation.position)
        )
        return [_record(row) for row in rows]


def _up_to(organization_id: str, watermark: Watermark) -> tuple[ColumnElement[bool], ...]:
    return (
        Operation.organization_id == organization_id,
        Operation.position <= watermark.position,
        Operation.ended_at.is_(None),
        or_(_needs_no_reading(), Operation.read_at <= watermark.at),
    )


def _needs_no_reading() -> ColumnElement[bool]:
    return Operation.repository_id.is_(None) & Operation.connection_id.is_(None)


def _in_state(state: OperationState) -> ColumnElement[bool]:
    if state is OperationState.DONE:
        return Operation.build_id.is_not(None)
    failed = Operation.error.is_not(None)
    return Operation.build_id.is_(None) & (failed if state is OperationState.FAILED else ~failed)


def _record(row: Operation) -> OperationRecord:
    return copied(OperationRecord, row)
