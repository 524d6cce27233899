"""Decisions of people about occurrences of checks: to snooze one until a day, to resolve it with a note, to reopen it.

Decisions are only added. The last one of an occurrence applies, and the others are its history. An occurrence that
comes back after it was resolved is open again without a decision (read/checks).
"""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from sqlalchemy import select, update

from api.control.audit import Target, record
from api.control.checks.standings import present_day
from api.control.errors import InvalidSetting, NotPossible
from api.control.ids import new_id
from api.control.models import CheckDecision
from api.control.names import checked_text
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.records import owned
from api.control.store import ControlStore

MAX_NOTE_LENGTH = 1000
MAX_SNOOZE_DAYS = 366


class Action(StrEnum):
    """A decision; upper case over HTTP."""

    SNOOZED = "snoozed"
    RESOLVED = "resolved"
    REOPENED = "reopened"


@dataclass(frozen=True, slots=True)
class NamedOccurrence:
    """An occurrence as the newest build knows it. `commit_id` is there for one about a commit, `measured_micro` for one
    with a measured value, in millionths of the unit of its kind.
    """

    id: str
    kind: str
    title: str
    has_ended: bool
    repository_id: str | None = None
    commit_id: str | None = None
    measured_micro: int | None = None


def snooze(
    store: ControlStore, actor: Principal, organization_id: str, occurrence: NamedOccurrence, until_on: date
) -> CheckDecision:
    """Hide an occurrence from the open ones until a day. Raises InvalidSetting, NotPossible."""
    today = present_day(store, organization_id)
    if not 0 < (until_on - today).days <= MAX_SNOOZE_DAYS:
        raise InvalidSetting(
            "untilDate", f"use a day after today ({today}), at most {MAX_SNOOZE_DAYS} days from now"
        )
    return _decide(store, actor, organization_id, occurrence, Action.SNOOZED, until_on, None)


def resolve(
    store: ControlStore, actor: Principal, organization_id: str, occurrence: NamedOccurrence, note: str
) -> CheckDecision:
    """Resolve an occurrence, with the reason in words. Raises InvalidSetting, NotPossible."""
    note = checked_text(note, "note", max_length=MAX_NOTE_LENGTH)
    return _decide(store, actor, organization_id, occurrence, Action.RESOLVED, None, note)


def reopen(
    store: ControlStore, actor: Principal, organization_id: str, occurrence: NamedOccurrence
) -> CheckDecision:
    """Open a snoozed or resolved occurrence again; of one without decisions nothing is stored. Raises NotPossible."""
    return _decide(store, actor, organization_id, occurrence, Action.REOPENED, None, None)


def decisions_of(store: ControlStore, organization_id: str, occurrence_id: str) -> list[CheckDecision]:
    """Every decision about an occurrence, in the order of time."""
    with store.session() as session:
        chosen = owned(CheckDecision, organization_id, CheckDecision.occurrence_id == occurrence_id)
        return list(session.scalars(chosen.order_by(CheckDecision.decided_at, CheckDecision.id)))


def _decide(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    occurrence: NamedOccurrence,
    action: Action,
    until_on: date | None,
    note: str | None,
) -> CheckDecision:
    if occurrence.has_ended:
        raise NotPossible(
            "the data no longer shows this occurrence, so it is resolved already; it opens by itself if it comes back"
        )
    with store.allowed_write(actor, organization_id, Permission.MANAGE_CHECKS) as session:
        of_this = (
            CheckDecision.organization_id == organization_id,
            CheckDecision.occurrence_id == occurrence.id,
            CheckDecision.is_last,
        )
        last = session.scalar(select(CheckDecision).where(*of_this))
        before = _state(last)
        after: dict[str, str | None] = {"action": action.value, "untilDate": _day(until_on), "note": note}
        if last is not None and before == after and action is not Action.RESOLVED:
            return last
        row = CheckDecision(
            id=new_id(),
            organization_id=organization_id,
            occurrence_id=occurrence.id,
            repository_id=occurrence.repository_id,
            commit_id=occurrence.commit_id,
            kind=occurrence.kind,
            action=action.value,
            until_on=until_on,
            note=note,
            measured_micro=occurrence.measured_micro,
            is_last=True,
            decided_by=actor.actor[2],
            decided_at=store.now(),
        )
        if last is None and action is Action.REOPENED:
            return row
        session.execute(update(CheckDecision).where(*of_this).values(is_last=False))
        session.add(row)
        target = Target("checkOccurrence", occurrence.id, occurrence.title)
        record(session, f"checkOccurrences.{_VERBS[action]}", target, before, after)
        return row


_VERBS = {Action.SNOOZED: "snooze", Action.RESOLVED: "resolve", Action.REOPENED: "reopen"}


def _state(row: CheckDecision | None) -> dict[str, str | None] | None:
    if row is None:
        return None
    return {"action": row.action, "untilDate": _day(row.until_on), "note": row.note}


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
