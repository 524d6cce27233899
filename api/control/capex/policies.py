"""CapEx policies of an organization: dated versions of the rules for capitalization.

A version is created and withdrawn, never changed. The built-in policy (`default-1`) applies before the first version.
Keep out: the effect of a version on figures (read/capex/preview.py, the warehouse).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from api.control.audit import Target, logged, record
from api.control.categories import CATEGORIES
from api.control.errors import InvalidSetting
from api.control.ids import new_id
from api.control.list_pages import Key, ListPage, ListQuery, list_page
from api.control.models import CapexPolicy, Repository
from api.control.names import checked_text
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.records import copied, existing, owned
from api.control.snapshot.tables import policy_name
from api.control.store import ControlStore

KEYS = {"version": Key(CapexPolicy.version), "validFrom": Key(CapexPolicy.valid_from)}
ANY = "any"
MAX_RULES = 500
MAX_REASON_LENGTH = 1000
MAX_TYPE_LENGTH = 200


@dataclass(frozen=True, slots=True, order=True)
class Rule:
    """Work that can be capitalized: a category, in commits of a main category (or any), in a repository (or all).

    With a type or an objective, only commits with an issue of this type, or with one that reaches the objective.
    """

    category: str
    commit_category: str = ANY
    repository_id: str | None = None
    issue_type: str | None = None
    objective_id: str | None = None


@dataclass(frozen=True, slots=True)
class PolicyRecord:
    """A version of the policy. Rows of the report name it by `name`."""

    id: str
    version: int
    name: str
    valid_from: date
    reason: str
    rules: tuple[Rule, ...]
    created_by: str
    created_at: datetime
    withdrawn_at: datetime | None


def create_policy(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    valid_from: date,
    rules: Sequence[Rule],
    reason: str,
) -> PolicyRecord:
    """Create a version. It applies from its first month until a later version begins.

    Of versions with the same first month the newest applies. Without rules nothing can be capitalized. Raises
    InvalidSetting.
    """
    reason = checked_text(reason, "reason", max_length=MAX_REASON_LENGTH)
    with store.allowed_write(actor, organization_id, Permission.MANAGE_CAPEX) as session:
        checked = checked_rules(session, organization_id, valid_from, rules)
        last = session.scalar(
            select(func.max(CapexPolicy.version)).where(CapexPolicy.organization_id == organization_id)
        )
        row = CapexPolicy(
            id=new_id(),
            organization_id=organization_id,
            version=(last or 0) + 1,
            valid_from=valid_from,
            reason=reason,
            rules=[asdict(rule) for rule in checked],
            created_by=actor.actor[2],
            created_at=store.now(),
            withdrawn_at=None,
        )
        session.add(row)
        record(session, "capexPolicies.create", _target(row), None, _state(row), restates=True)
        return _record(row)


def withdraw_policy(
    store: ControlStore, actor: Principal, organization_id: str, policy_id: str
) -> PolicyRecord:
    """Withdraw a version: its months get the version that applies without it. A second call changes nothing.

    Raises NotFound.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_CAPEX) as session:
        row = existing(session, CapexPolicy, organization_id, policy_id, "CapEx policy", "capexPolicies")
        if row.withdrawn_at is None:
            row.withdrawn_at = store.now()
            record(session, "capexPolicies.withdraw", _target(row), _state(row), restates=True)
        return _record(row)


def list_policies(store: ControlStore, organization_id: str, asked: ListQuery) -> ListPage[PolicyRecord]:
    """A page of every version, also withdrawn ones, newest first."""
    statement = owned(CapexPolicy, organization_id)
    with store.session() as session:
        return list_page(session, statement, KEYS, asked, _record, default="version desc", unique="version")


def end_of(store: ControlStore, organization_id: str, valid_from: date, rules: Sequence[Rule]) -> date | None:
    """First month to which a version with this first month would no longer apply; None if it applies to all later
    months.

    Raises InvalidSetting if the version cannot be created.
    """
    with store.session() as session:
        checked_rules(session, organization_id, valid_from, rules)
        return session.scalar(
            select(func.min(CapexPolicy.valid_from)).where(
                CapexPolicy.organization_id == organization_id,
                CapexPolicy.withdrawn_at.is_(None),
                CapexPolicy.valid_from > valid_from,
            )
        )


def checked_rules(
    session: Session, organization_id: str, valid_from: date, rules: Sequence[Rule]
) -> list[Rule]:
    """The rules, each once and in order. Raises InvalidSetting."""
    if valid_from.day != 1:
        raise InvalidSetting("validFrom", "use the first day of a month: one policy applies to a whole month")
    if len(rules) > MAX_RULES:
        raise InvalidSetting("rules", f"use at most {MAX_RULES} rules (the request has {len(rules)})")
    for rule in rules:
        if rule.category not in CATEGORIES or rule.commit_category not in (ANY, *CATEGORIES):
            raise InvalidSetting(
                "rules",
                f"unknown category {rule.category!r} or commitCategory {rule.commit_category!r}; "
                f"use {', '.join(CATEGORIES)}",
            )
    rules = [replace(rule, issue_type=_checked_type(rule.issue_type)) for rule in rules]
    named = {rule.repository_id for rule in rules if rule.repository_id is not None}
    known = set(session.scalars(select(Repository.id).where(Repository.organization_id == organization_id)))
    if unknown := sorted(named - known):
        raise InvalidSetting("rules", f"this organization has no repository {unknown[0]!r}")
    return sorted(
        set(rules),
        key=lambda rule: (
            rule.category,
            rule.commit_category,
            *(value or "" for value in (rule.repository_id, rule.issue_type, rule.objective_id)),
        ),
    )


def _checked_type(issue_type: str | None) -> str | None:
    return None if issue_type is None else checked_text(issue_type, "rules", max_length=MAX_TYPE_LENGTH)


def _target(row: CapexPolicy) -> Target:
    return Target("capexPolicy", row.id, policy_name(row.version))


def _state(row: CapexPolicy) -> dict[str, Any]:
    rules = [logged(rule, {}) for rule in row.rules]
    return {"validFrom": row.valid_from.isoformat(), "reason": row.reason, "rules": rules}


def _record(row: CapexPolicy) -> PolicyRecord:
    rules = tuple(Rule(**rule) for rule in row.rules)
    return copied(PolicyRecord, row, name=policy_name(row.version), rules=rules)
