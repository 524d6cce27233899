"""Changes of closed CapEx months by later builds.

A restatement links the signed figures to those of a build. Keep out: closing months (locks.py).
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.control.capex.locks import Row, check_month, frozen
from api.control.ids import new_id
from api.control.list_pages import Key, ListPage, ListQuery, given, list_page, whole
from api.control.models import CapexLock, CapexLockedRow, CapexRestatement
from api.control.operations import operations
from api.control.records import owned
from api.control.store import ControlStore

RESTATEMENT_KEYS = {"at": Key(CapexRestatement.at), "id": Key(CapexRestatement.id)}
FIGURES = (
    "hours", "capex_percent", "capex_hours", "opex_hours", "etv_micro", "capitalizable_etv_micro", "effort_micro",
    "capitalizable_effort_micro", "commits", "policy_version",
)  # fmt: skip
"""Columns of the report whose change restates a row. The interval of the share is none: it narrows whenever somebody
confirms a commit, and nobody signed it as a figure."""


def restate(
    store: ControlStore,
    organization_id: str,
    build_id: str,
    present: Sequence[Mapping[str, Any]],
    reasons: Sequence[str],
    *,
    months: Collection[date] | None = None,
) -> int:
    """Record the differences between a published build and the closed months. Returns the number of changed rows.

    `present` are the rows of the build in these months, or in `months`: a month that was closed after these rows were
    selected was closed with this build and has no rows among them. A second call for the same build changes nothing.
    """
    with store.write_transaction(organization_id) as session:
        closed = select(CapexLock.month).where(CapexLock.organization_id == organization_id)
        compared = {month for month in session.scalars(closed) if months is None or month in months}
        known = {key: row for key, row in _last_known(session, organization_id).items() if key[0] in compared}
        now = {
            (one["month"], one["developer_id"]): frozen(one) for one in present if one["month"] in compared
        }
        changed = [
            key
            for key in sorted(known.keys() | now.keys())
            if _figures(known.get(key)) != _figures(now.get(key))
        ]
        session.add_all(
            CapexRestatement(
                id=new_id(),
                organization_id=organization_id,
                month=month,
                developer_id=developer_id,
                at=store.now(),
                build_id=build_id,
                before=known.get((month, developer_id)),
                after=now.get((month, developer_id)),
                reasons=list(reasons),
            )
            for month, developer_id in changed
        )
        return len(changed)


def reasons_of(
    store: ControlStore, organization_id: str, watermark: operations.Watermark | None
) -> list[str]:
    """The waiting changes that a build includes, as reasons of a restatement."""
    if watermark is None:
        return []
    return [f"{one.action}: {one.target_name}" for one in operations.up_to(store, organization_id, watermark)]


def list_restatements(
    store: ControlStore, organization_id: str, asked: ListQuery, *, month: date | None = None
) -> ListPage[CapexRestatement]:
    """A page of the restatements, newest first; optionally of one month.

    Raises InvalidSetting for a day that is not the first of a month.
    """
    if month is not None:
        check_month(month)
    statement = owned(CapexRestatement, organization_id, *given((CapexRestatement.month, month)))
    with store.session() as session:
        return list_page(session, statement, RESTATEMENT_KEYS, asked, whole, default="at desc", unique="id")


def _last_known(session: Session, organization_id: str) -> dict[tuple[date, str], Row]:
    """Rows of the closed months after their last restatement, else as signed."""
    known: dict[tuple[date, str], Row] = {
        (row.month, row.developer_id): row.row
        for row in session.scalars(owned(CapexLockedRow, organization_id))
    }
    for one in session.scalars(
        owned(CapexRestatement, organization_id).order_by(CapexRestatement.at, CapexRestatement.id)
    ):
        if one.after is None:
            known.pop((one.month, one.developer_id), None)
        else:
            known[one.month, one.developer_id] = one.after
    return known


def _figures(row: Row | None) -> tuple[Any, ...] | None:
    return tuple(row.get(name) for name in FIGURES) if row is not None else None
