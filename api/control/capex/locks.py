"""Closed months of the CapEx report with their signed figures.

The report continues to show current figures. Keep out: current figures (read/capex), later changes (restatements.py).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import Session

from api.control.audit import Target, record
from api.control.errors import AlreadyExists, InvalidSetting, NotFound, NotPossible
from api.control.list_pages import Key, ListPage, ListQuery, list_page
from api.control.models import CapexLock, CapexLockedRow, CapexRestatement, Operation, Repository
from api.control.names import checked_text
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.records import copied
from api.control.store import ControlStore

LOCK_KEYS = {"month": Key(CapexLock.month), "lockedAt": Key(CapexLock.locked_at)}
SIGNED_KEYS = {"month": Key(CapexLockedRow.month), "developerId": Key(CapexLockedRow.developer_id)}
MAX_NOTE_LENGTH = 1000
# Repositories that a refusal names.
SHOWN_UNREAD = 3
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LockRecord:
    """A closed month, with the number of signed rows and of restatements since."""

    month: date
    build_id: str
    note: str
    locked_by: str
    locked_at: datetime
    rows: int
    restatements: int


def frozen(row: Mapping[str, Any]) -> Row:
    """A published row of the report in its JSON form, so that stored rows can be compared with new ones."""
    return {name: _plain(value) for name, value in row.items()}


def lock_month(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    month: date,
    rows: Sequence[Mapping[str, Any]],
    build_id: str,
    note: str = "",
    *,
    is_current: Callable[[], bool] = lambda: True,
) -> LockRecord:
    """Close a month with these rows of a published build; `is_current` tells whether the build is still the newest.

    Raises InvalidSetting for a month without rows or an incomplete one, AlreadyExists for a closed one, and
    NotPossible while changes wait for a build or for the analysis of a repository, because they would restate the
    month at once. Raises NotPossible also for rows of an older build: a build restates closed months only when it is
    published.
    """
    note = checked_text(note, "note", max_length=MAX_NOTE_LENGTH) if note.strip() else ""
    check_month(month)
    if not rows:
        raise InvalidSetting("month", f"the report has no row for {month:%Y-%m}; choose a month with rows")
    if any(row["is_draft"] for row in rows):
        raise InvalidSetting("month", f"{month:%Y-%m} has not ended; close it after its last day")
    with store.allowed_write(actor, organization_id, Permission.MANAGE_CAPEX) as session:
        if session.get(CapexLock, (organization_id, month)) is not None:
            raise AlreadyExists(f"{month:%Y-%m} is already closed; reopen it first to close it again")
        _refuse_while_waiting(session, organization_id)
        if not is_current():
            raise NotPossible(
                "a new build was just published; check the figures of the month again, then close it"
            )
        row = CapexLock(
            organization_id=organization_id,
            month=month,
            build_id=build_id,
            note=note,
            locked_by=actor.actor[2],
            locked_at=store.now(),
        )
        session.add(row)
        session.flush()
        session.add_all(
            CapexLockedRow(
                organization_id=organization_id,
                month=month,
                developer_id=one["developer_id"],
                row=frozen(one),
            )
            for one in rows
        )
        after = {"buildId": build_id, "note": note} | _totals([frozen(one) for one in rows])
        record(session, "capexLocks.create", _target(month), after=after)
        return LockRecord(month, build_id, note, row.locked_by, row.locked_at, len(rows), 0)


def unlock_month(
    store: ControlStore, actor: Principal, organization_id: str, month: date, reason: str
) -> None:
    """Open a closed month: delete its signed figures and restatements. The audit log keeps their totals.

    Raises InvalidSetting without a reason or for a day that is not the first of a month, NotFound for an open month.
    """
    reason = checked_text(reason, "reason", max_length=MAX_NOTE_LENGTH)
    with store.allowed_write(actor, organization_id, Permission.MANAGE_CAPEX) as session:
        row = existing_lock(session, organization_id, month)
        before = {"buildId": row.build_id, "note": row.note} | _totals(
            _signed(session, organization_id, month)
        )
        record(session, "capexLocks.delete", _target(month), before=before, after={"reason": reason})
        session.delete(row)


def check_month(month: date) -> None:
    """Raises InvalidSetting for a day that is not the first of a month."""
    if month.day != 1:
        raise InvalidSetting("month", "use the first day of the month")


def existing_lock(session: Session, organization_id: str, month: date) -> CapexLock:
    """Raises InvalidSetting for a day that is not the first of a month, NotFound for an open month."""
    check_month(month)
    row = session.get(CapexLock, (organization_id, month))
    if row is None:
        raise NotFound(f"{month:%Y-%m} is not closed; …/capexLocks lists the closed months")
    return row


def list_locks(store: ControlStore, organization_id: str, asked: ListQuery) -> ListPage[LockRecord]:
    """A page of the closed months, latest first."""
    rows = (
        select(func.count())
        .where(CapexLockedRow.organization_id == organization_id, CapexLockedRow.month == CapexLock.month)
        .scalar_subquery()
    )
    changes = (
        select(func.count())
        .where(CapexRestatement.organization_id == organization_id, CapexRestatement.month == CapexLock.month)
        .scalar_subquery()
    )
    statement = select(CapexLock, rows, changes).where(CapexLock.organization_id == organization_id)
    with store.session() as session:
        return list_page(
            session, statement, LOCK_KEYS, asked,
            lambda lock, signed, restated: copied(LockRecord, lock, rows=signed, restatements=restated),
            default="month desc", unique="month",
        )  # fmt: skip


def locked_months(store: ControlStore, organization_id: str) -> list[date]:
    """The closed months, in order."""
    with store.session() as session:
        return list(
            session.scalars(
                select(CapexLock.month)
                .where(CapexLock.organization_id == organization_id)
                .order_by(CapexLock.month)
            )
        )


def list_signed(
    store: ControlStore, organization_id: str, asked: ListQuery, first: date | None, last: date | None
) -> ListPage[Row]:
    """A page of the rows of closed months between two (both included, None: open) as signed, by month and developer."""
    with store.session() as session:
        return list_page(
            session, _between(organization_id, first, last), SIGNED_KEYS, asked, lambda row: row,
            default="month, developerId", unique="developerId",
        )  # fmt: skip


def signed_rows(
    store: ControlStore, organization_id: str, first: date | None, last: date | None
) -> list[Row]:
    """All rows of closed months between two (both included, None: open) as signed, by month and developer."""
    statement = _between(organization_id, first, last)
    with store.session() as session:
        return list(session.scalars(statement.order_by(CapexLockedRow.month, CapexLockedRow.developer_id)))


def _refuse_while_waiting(session: Session, organization_id: str) -> None:
    """Raises NotPossible while changes wait for the figures, and names the repositories to read first.

    Changes that wait for an unreadable or stopped repository do not count.
    """
    is_coming = (
        Operation.error.is_(None)
        & Repository.removed_at.is_(None)
        & Repository.is_disabled.is_(False)
        & Repository.is_stopped.is_(False)
    )
    found = session.execute(
        select(Operation.read_at, Repository.name)
        .outerjoin(
            Repository,
            (Repository.organization_id == Operation.organization_id)
            & (Repository.id == Operation.repository_id),
        )
        .where(
            Operation.organization_id == organization_id,
            Operation.ended_at.is_(None),
            or_(Operation.repository_id.is_(None), Operation.read_at.is_not(None), is_coming),
        )
    ).all()
    if not found:
        return
    changes = "1 change waits" if len(found) == 1 else f"{len(found)} changes wait"
    unread = sorted({name for read_at, name in found if read_at is None and name is not None})
    read_first = ""
    if unread:
        others = f" and {len(unread) - SHOWN_UNREAD} more" if len(unread) > SHOWN_UNREAD else ""
        read_first = f" and for a new analysis of {', '.join(unread[:SHOWN_UNREAD])}{others}"
    raise NotPossible(
        f"the month cannot be closed yet: {changes} for the next build{read_first}; try again when "
        "…/operations?state=PENDING lists no change"
    )


def _between(organization_id: str, first: date | None, last: date | None) -> Select[tuple[Row]]:
    statement = select(CapexLockedRow.row).where(CapexLockedRow.organization_id == organization_id)
    if first is not None:
        statement = statement.where(CapexLockedRow.month >= first)
    return statement if last is None else statement.where(CapexLockedRow.month <= last)


def _signed(session: Session, organization_id: str, month: date) -> list[Row]:
    return list(
        session.scalars(
            select(CapexLockedRow.row).where(
                CapexLockedRow.organization_id == organization_id, CapexLockedRow.month == month
            )
        )
    )


def _totals(rows: Sequence[Row]) -> dict[str, Any]:
    return {
        "rows": len(rows),
        "hours": round(sum(row["hours"] for row in rows), 2),
        "capexHours": round(sum(row["capex_hours"] or 0 for row in rows), 2),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    return value.isoformat() if isinstance(value, date) else value


def _target(month: date) -> Target:
    return Target("capexLock", month.isoformat(), f"{month:%Y-%m}")
