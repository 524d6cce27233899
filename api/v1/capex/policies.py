"""`/organizations/{organization}/capexPolicies`: versions of the CapEx policy, and the preview of a version."""

from datetime import date, datetime
from typing import Annotated, Any, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import CapexControlReader, CapexManager
from api.control.capex import locks as capex_locks
from api.control.capex import policies as capex_policies
from api.control.capex.policies import (
    ANY,
    MAX_REASON_LENGTH,
    MAX_RULES,
    MAX_TYPE_LENGTH,
    PolicyRecord,
    Rule,
)
from api.control.categories import CATEGORIES
from api.http.parameters import NoQuery, PagedQuery
from api.http.responses import private
from api.query.parameters import Category, Day, Id, OneOf
from api.query.records import shown
from api.read.capex.preview import HUNDREDTHS, PreviewedMonth, preview
from api.services import services
from api.shapes import Shape, page_of
from api.v1.answers import answer_change
from api.v1.control_lists import answer_list
from api.v1.paths import CapexPolicyPath

router = APIRouter(prefix="/organizations/{organization}/capexPolicies", tags=["capex"])

COMMIT_CATEGORIES = tuple(name.upper() for name in (ANY, *CATEGORIES))


class PolicyRule(Shape):
    """A rule for capitalizable work."""

    category: Category = Field(
        description="The rule matches file changes of this category …", examples=["TESTS"]
    )
    commit_category: Annotated[
        str,
        OneOf(*COMMIT_CATEGORIES),
        Field(
            description="… in commits with this main category; null: in all commits.",
            examples=["FEATURES"],
        ),
    ] = "ANY"
    repository_id: Id | None = Field(
        None, description="Only in this repository; null: in all.", examples=[None]
    )
    issue_type: str | None = Field(
        None,
        min_length=1,
        max_length=MAX_TYPE_LENGTH,
        description="Only in commits with an issue of this type, in any case; null: in all.",
        examples=[None],
    )
    objective_id: Id | None = Field(
        None,
        description="Only in commits with an issue that reaches this objective or sub-objective; null: in all.",
        examples=[None],
    )


class NewPolicy(Shape):
    """A new version."""

    valid_from: Day = Field(
        description="First day of the first month to which the version applies.", examples=["2026-01-01"]
    )
    rules: list[PolicyRule] = Field(
        max_length=MAX_RULES, description="Work that matches at least one rule can be capitalized."
    )


class NewReasonedPolicy(NewPolicy):
    """A new version with its reason."""

    reason: str = Field(max_length=MAX_REASON_LENGTH, examples=["Agreed with the auditor on 12 January."])


class CapexPolicy(Shape):
    """A version of the policy. It never changes; a later version or a withdrawal ends its use."""

    id: str
    version: int = Field(description="Number of the version in the organization, from 1.")
    name: str = Field(
        description="The name of this version; rows of the report have it in `policyVersion`.",
        examples=["policy-1"],
    )
    valid_from: date
    rules: list[PolicyRule]
    reason: str
    state: Literal["ACTIVE", "WITHDRAWN"] = Field(description="WITHDRAWN versions apply to no month.")
    created_by: str = Field(examples=["ada@example.org"])
    created_at: datetime
    withdrawn_at: datetime | None


CapexPolicyPage = page_of("CapexPolicyPage", "A page of versions.", capex_policies=CapexPolicy)


class PolicyMonth(Shape):
    """A completed month under the current and the proposed policy."""

    month: date
    is_locked: bool = Field(description="true: the month is closed. The policy would restate it.")
    policy_version: str = Field(description="The policy version that applies to the month now.")
    developers: int = Field(description="Number of developers with a row in the report.")
    changed_developers: int = Field(
        description="The number of developers with other CapEx hours under the proposed policy."
    )
    hours: float = Field(description="Working hours of all developers in the month.")
    capex_hours: float = Field(description="Capitalized hours under the current policy.")
    proposed_capex_hours: float = Field(description="Capitalized hours under the proposed policy.")
    change_hours: float = Field(description="`proposedCapexHours` minus `capexHours`.")


class PolicyPreview(Shape):
    """The effect of a policy by month."""

    months: list[PolicyMonth]
    hours: float = Field(description="Working hours of all developers in these months.")
    capex_hours: float = Field(description="Capitalized hours under the current policies.")
    proposed_capex_hours: float = Field(description="Capitalized hours under the proposed policy.")
    change_hours: float = Field(description="`proposedCapexHours` minus `capexHours`.")


@router.get("", summary="CapEx policies", response_model=CapexPolicyPage)
async def list_capex_policies(reader: CapexControlReader, query: PagedQuery, request: Request) -> Response:
    """All versions of the CapEx policy, newest first. Sortable by version, validFrom.

    Before the first month of the first version, the policy `default-1` applies: it capitalizes features, and tests
    and documentation in commits that are mainly features.
    """
    return await answer_list(
        request, reader.organization_id, query, "capexPolicies", capex_policies.list_policies, _shown
    )


@router.post("", summary="Create a CapEx policy", response_model=CapexPolicy)
async def create_capex_policy(
    manager: CapexManager, body: NewReasonedPolicy, _: NoQuery, request: Request
) -> Response:
    """Create a version of the CapEx policy. It applies from its first month until a later version begins. Of two
    versions with the same first month, the newer one applies. A version without rules capitalizes nothing.

    Closed months keep their signed figures; restatements record the difference.
    """
    return await answer_change(
        request, manager, _shown, capex_policies.create_policy, body.valid_from, _rules(body), body.reason
    )


# The path is the collection's with a verb, hence no slash before it.
@router.post(":preview", summary="Preview a CapEx policy", response_model=PolicyPreview)
async def preview_capex_policy(
    manager: CapexManager, body: NewPolicy, _: NoQuery, request: Request
) -> Response:
    """The effect of a new version on the completed months that it would cover. The service does not store the
    version.
    """
    app, whole = services(request), RowAccess(manager.organization_id)
    # A rule about one repository and category can reveal the work of a single person.
    RowAccess.of(whole.organization_id, manager.visibility).refuse_unless_whole(
        "the effect of a policy on past months"
    )
    rules = _rules(body)
    end = await run_sync(capex_policies.end_of, app.store, whole.organization_id, body.valid_from, rules)
    locked = set(await run_sync(capex_locks.locked_months, app.store, whole.organization_id))
    months = await app.reads.value(whole, lambda build: preview(build, whole, rules, body.valid_from, end))
    totals = [sum(getattr(month, name) for month in months) for name in HOURS]
    return private({"months": [_month(one, one.month in locked) for one in months]} | _hours(*totals))


@router.post("/{capexPolicy}:withdraw", summary="Withdraw a CapEx policy", response_model=CapexPolicy)
async def withdraw_capex_policy(
    manager: CapexManager, capex_policy: CapexPolicyPath, _: NoQuery, request: Request
) -> Response:
    """Withdraw a version. The version that applies without it then covers its months. A second call changes nothing."""
    return await answer_change(request, manager, _shown, capex_policies.withdraw_policy, capex_policy)


HOURS = ("hours", "capex_hours", "proposed_capex_hours")


def _rules(body: NewPolicy) -> list[Rule]:
    return [
        Rule(
            rule.category.lower(),
            rule.commit_category.lower(),
            rule.repository_id,
            rule.issue_type,
            rule.objective_id,
        )
        for rule in body.rules
    ]


def _month(one: PreviewedMonth, is_locked: bool) -> dict[str, Any]:
    return {
        "month": one.month,
        "isLocked": is_locked,
        "policyVersion": one.policy_version,
        "developers": one.developers,
        "changedDevelopers": one.changed_developers,
    } | _hours(one.hours, one.capex_hours, one.proposed_capex_hours)


def _hours(hours: int, present: int, proposed: int) -> dict[str, float]:
    return {
        "hours": hours / HUNDREDTHS,
        "capexHours": present / HUNDREDTHS,
        "proposedCapexHours": proposed / HUNDREDTHS,
        "changeHours": (proposed - present) / HUNDREDTHS,
    }


def _shown(one: PolicyRecord) -> dict[str, Any]:
    return shown(CapexPolicy, one, state="ACTIVE" if one.withdrawn_at is None else "WITHDRAWN")
