"""Renewals: the billable developers at the start of each period, counted once.

Keep out: the rule for billable developers (the model fct_billable_developers).
"""

import calendar
from collections.abc import Sequence
from datetime import date
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from api.control.list_pages import Key, ListPage, ListQuery, list_page, whole
from api.control.models import Organization, Renewal
from api.control.records import owned
from api.control.store import ControlStore

KEYS = {"renewalDate": Key(Renewal.renewed_on)}


def due(store: ControlStore, organization_id: str, today: date) -> date | None:
    """The day of a renewal that has come and is not counted yet."""
    with store.session() as session:
        found = session.get_one(Organization, organization_id)
        return found.renews_on if found.renews_on is not None and found.renews_on <= today else None


def renew(
    store: ControlStore,
    organization_id: str,
    renewed_on: date,
    build_id: str,
    developers: Sequence[dict[str, Any]],
) -> bool:
    """Record the billable developers of a renewal, and set the next one a month later. Returns False when a renewal
    was already recorded.
    """
    with store.write_transaction(organization_id) as session:
        row = session.get_one(Organization, organization_id)
        if row.renews_on != renewed_on:
            return False
        row.renews_on = _next(session, organization_id, renewed_on)
        # A date that was set back to a day which is counted already: its record stays.
        if session.get(Renewal, (organization_id, renewed_on)) is not None:
            return False
        session.add(
            Renewal(
                organization_id=organization_id,
                renewed_on=renewed_on,
                counted_at=store.now(),
                build_id=build_id,
                developers=list(developers),
            )
        )
        return True


def month_later(day: date, wanted: int | None = None) -> date:
    """The same (or the wanted) day of the next month, or its last."""
    year, month = (day.year + 1, 1) if day.month == 12 else (day.year, day.month + 1)
    return date(year, month, min(wanted or day.day, calendar.monthrange(year, month)[1]))


def _next(session: Session, organization_id: str, renewed_on: date) -> date:
    """A month later. After a short month the original day returns: 31 January, 28 February, 31 March."""
    last = session.scalar(
        select(func.max(Renewal.renewed_on)).where(
            Renewal.organization_id == organization_id, Renewal.renewed_on < renewed_on
        )
    )
    cut = last is not None and last.day > renewed_on.day and month_later(last) == renewed_on
    return month_later(renewed_on, last.day if last is not None and cut else renewed_on.day)


def list_renewals(store: ControlStore, organization_id: str, asked: ListQuery) -> ListPage[Renewal]:
    """A page of the renewals, latest first."""
    statement = owned(Renewal, organization_id)
    with store.session() as session:
        return list_page(
            session, statement, KEYS, asked, whole,
            default="renewalDate desc", unique="renewalDate",
        )  # fmt: skip
