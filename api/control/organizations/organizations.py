"""Organizations: creation, names, settings and company context.

Keep out: the organization of the command line (store.py), plans and limits (plans/).
"""

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from api.control.accounts.members import add_member
from api.control.accounts.verified_addresses import refuse_leaving_behind
from api.control.audit import Target, logged, record, record_for
from api.control.errors import AlreadyExists, InvalidSetting, NotPossible
from api.control.ids import new_id
from api.control.list_pages import Key, ListPage, ListQuery, list_page, whole
from api.control.models import Account, CompanyContext, Member, Organization, SignInSession
from api.control.names import check_time_zone, checked_name
from api.control.permissions import Permission, Role
from api.control.plans.plans import begin_trial
from api.control.principals import Principal
from api.control.records import copied, owned
from api.control.rights import refuse_lasting
from api.control.slugs import free_slug
from api.control.store import GROUPINGS, ControlStore

CONTEXT_KEYS = {"version": Key(CompanyContext.version)}
MAX_NAME_LENGTH = 255
MAX_CONTEXT_LENGTH = 20_000
# Larger than that would hide most teams there are.
MAX_MINIMUM_GROUP_SIZE = 100
WEEKDAYS = "1?2?3?4?5?6?7?"
MAX_HOLIDAYS = 2000
ANALYSIS_MODES = ("automatic", "on_request")
# Two requests can take the same free slug at once: the second tries the next.
ATTEMPTS = 5
# Limit for one account, because each organization has a trial of its own.
MAX_OWNED_ORGANIZATIONS = 20
# The settings that the warehouse reads: changing one restates figures.
RESTATING = frozenset(
    {
        "time_zone", "work_category_grouping", "analysis_start_on", "working_weekdays", "hours_per_day_hundredths",
        "holidays", "has_categories_by_model",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class OrganizationSettings:
    """The settings of an organization. `company_context` is the text of `context_version`."""

    time_zone: str
    work_category_grouping: str
    analysis_start_on: date | None
    has_ai_developer_columns: bool
    has_ai_repository_columns: bool
    has_ai_team_columns: bool
    has_individual_figures: bool
    minimum_group_size: int
    has_categories_by_model: bool
    # ISO numbers of the days of the week, ascending.
    working_weekdays: str
    hours_per_day_hundredths: int
    # `{"date": …, "name": …}`, by date.
    holidays: list[dict[str, str]]
    analysis_mode: str
    company_context: str
    context_version: int


def create_organization(store: ControlStore, actor: Principal, name: str) -> str:
    """Create an organization owned by the signed-in account, and make it active in the session. Returns its id.

    The unique slug is derived from the name. Raises InvalidSetting, NotPossible for an owner of too many organizations
    and for an account with an unverified address.
    """
    name = checked_name(name, "name", max_length=MAX_NAME_LENGTH)
    for _ in range(ATTEMPTS):
        try:
            return _create(store, actor, name)
        except IntegrityError:
            continue
    raise AlreadyExists(f"several accounts are creating an organization {name!r} at this moment; try again")


def rename_organization(store: ControlStore, actor: Principal, organization_id: str, name: str) -> None:
    """Rename an organization; its address stays the same. Raises InvalidSetting, NotAllowed."""
    with store.allowed_write(actor, organization_id, Permission.MANAGE_ORGANIZATION) as session:
        row = session.get_one(Organization, organization_id)
        if row.name == name or row.name == (name := checked_name(name, "name", max_length=MAX_NAME_LENGTH)):
            return
        before, row.name = {"name": row.name}, name
        target = Target("organization", organization_id, name)
        record(session, "organizations.rename", target, before, {"name": name}, restates=True)


def settings(store: ControlStore, organization_id: str) -> OrganizationSettings:
    """The settings of an organization."""
    with store.session() as session:
        return _settings(session, session.get_one(Organization, organization_id))


def context_version(store: ControlStore, organization_id: str) -> int:
    """The version of the company context; 0 without one."""

    def read() -> int:
        with store.session() as session:
            return session.get_one(Organization, organization_id).context_version

    return store.unchanged(("context_version", organization_id), read)


def change_settings(
    store: ControlStore, actor: Principal, organization_id: str, changes: Mapping[str, Any]
) -> OrganizationSettings:
    """Replace the named settings; each new text of the company context is a version.

    Raises InvalidSetting, NotAllowed, for root also where figures of fewer people would be shown from then on.
    Unchanged values are not validated again.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_ORGANIZATION) as session:
        row = session.get_one(Organization, organization_id)
        present = _settings(session, row)
        changed = {name: value for name, value in changes.items() if getattr(present, name) != value}
        if not changed:
            return present
        _check(changed, present)
        if _shows_smaller_groups(changed, present):
            refuse_lasting(actor, "show the figures of smaller groups of people")
        for name in changed.keys() - {"company_context"}:
            setattr(row, name, changed[name])
        if "company_context" in changed:
            row.context_version += 1
            text = changed["company_context"]
            session.add(
                CompanyContext(
                    organization_id=organization_id,
                    version=row.context_version,
                    text=text,
                    created_at=store.now(),
                )
            )
        session.flush()
        target = Target("organization", organization_id, row.name)
        told = _logged({name: getattr(present, name) for name in changed}), _logged(changed)
        is_restated = not changed.keys().isdisjoint(RESTATING)
        record(session, "organizations.changeSettings", target, *told, restates=is_restated)
        return _settings(session, row)


def list_contexts(store: ControlStore, organization_id: str, asked: ListQuery) -> ListPage[CompanyContext]:
    """A page of every version of the company context, newest first."""
    statement = owned(CompanyContext, organization_id)
    with store.session() as session:
        return list_page(
            session, statement, CONTEXT_KEYS, asked, whole,
            default="version desc", unique="version",
        )  # fmt: skip


def _create(store: ControlStore, actor: Principal, name: str) -> str:
    now, organization_id = store.now(), new_id()
    with store.write_transaction() as session:
        refuse_leaving_behind(session, actor, "create an organization")
        # Concurrent creations wait here for each other, so the limit counts all of them.
        _refuse_too_many(session, actor)
        row = Organization(
            id=organization_id,
            name=name,
            slug=free_slug(session, name),
            time_zone="UTC",
            work_category_grouping="five",
            created_at=now,
        )
        begin_trial(row, now)
        session.add(row)
        session.flush()
        account = session.get_one(Account, actor.account_id)
        add_member(session, now, organization_id, account.id, Role.OWNER)
        signed_in = session.get(SignInSession, actor.session_id) if actor.session_id else None
        if signed_in is not None:
            signed_in.active_organization_id = organization_id
        target = Target("organization", organization_id, name)
        after = {"name": name, "slug": row.slug}
        record_for(session, organization_id, actor, "organizations.create", target, after=after)
    return organization_id


def _refuse_too_many(session: Session, actor: Principal) -> None:
    owned = session.scalar(
        select(func.count()).where(Member.account_id == actor.account_id, Member.role == Role.OWNER)
    )
    if owned is not None and owned >= MAX_OWNED_ORGANIZATIONS:
        raise NotPossible(
            f"you own {owned} organizations, and an account can own at most {MAX_OWNED_ORGANIZATIONS}; "
            "use one of them, or ask another owner to change your role in one of them"
        )


def _check(changes: Mapping[str, Any], present: OrganizationSettings) -> None:
    if "time_zone" in changes:
        check_time_zone(changes["time_zone"])
    if changes.get("work_category_grouping", "five") not in GROUPINGS:
        raise InvalidSetting("work_category_grouping", f"use one of {', '.join(GROUPINGS)}")
    if "working_weekdays" in changes and not re.fullmatch(WEEKDAYS, changes["working_weekdays"]):
        raise InvalidSetting("working_weekdays", "give each working day once")
    if not 0 < changes.get("hours_per_day_hundredths", 800) <= 2400:
        raise InvalidSetting(
            "hours_per_day", "use more than 0 and at most 24 hours, with at most two decimals"
        )
    if changes.get("analysis_mode", "automatic") not in ANALYSIS_MODES:
        raise InvalidSetting("analysis_mode", f"use one of {', '.join(ANALYSIS_MODES)}")
    _check_holidays(changes.get("holidays", []), {holiday["name"] for holiday in present.holidays})
    if not 0 <= changes.get("minimum_group_size", 0) <= MAX_MINIMUM_GROUP_SIZE:
        raise InvalidSetting("minimum_group_size", f"use 0 (any) to {MAX_MINIMUM_GROUP_SIZE} people")
    if len(changes.get("company_context", "")) > MAX_CONTEXT_LENGTH:
        raise InvalidSetting("company_context", f"use at most {MAX_CONTEXT_LENGTH} characters")
    if "\0" in changes.get("company_context", ""):
        raise InvalidSetting("company_context", "NUL characters are not allowed; remove them")


def _shows_smaller_groups(changes: Mapping[str, Any], present: OrganizationSettings) -> bool:
    is_fewer = changes.get("minimum_group_size", math.inf) < present.minimum_group_size
    return is_fewer or bool(changes.get("has_individual_figures", False))


def _check_holidays(holidays: list[dict[str, str]], known: set[str]) -> None:
    days = [holiday["date"] for holiday in holidays]
    if len(days) > MAX_HOLIDAYS:
        raise InvalidSetting("holidays", f"give at most {MAX_HOLIDAYS} days (the request has {len(days)})")
    if repeated := next((day for day, count in Counter(days).items() if count > 1), None):
        raise InvalidSetting("holidays", f"{repeated} appears more than once; give it once")
    for name in {holiday["name"] for holiday in holidays} - known:
        checked_name(name, "holidays", max_length=MAX_NAME_LENGTH)


def _settings(session: Session, row: Organization) -> OrganizationSettings:
    context = session.get(CompanyContext, (row.id, row.context_version))
    return copied(OrganizationSettings, row, company_context=context.text if context else "")


def _logged(values: Mapping[str, Any]) -> dict[str, Any]:
    hundredths = "hours_per_day_hundredths"
    shown = {name: value / 100 if name == hundredths else value for name, value in values.items()}
    return logged(shown, {hundredths: "hoursPerDay", "analysis_start_on": "defaultAnalysisStartDate"})
