"""The rows of the control database that the warehouse reads: the raw tables of `control`.

Table names and fields are those of the raw schemas. Keep out: secrets, accounts.
"""

from datetime import date, datetime
from typing import Any

from sqlalchemy.orm import Session

from api.control.errors import NotFound
from api.control.models import (
    AiActor,
    AiPrice,
    CapexPolicy,
    CategoryAnswer,
    CheckSetting,
    CommitCategory,
    CommitExclusion,
    CommitGrant,
    Organization,
    Repository,
    Team,
    TeamMembership,
)
from api.control.pauses import pause_of
from api.control.snapshot.connections import connection_rows
from api.control.snapshot.identities import identity_rows
from api.control.snapshot.rows import columns, ordered

# Columns that the warehouse reads under their own names.
ORGANIZATION = (
    "name", "slug", "time_zone", "work_category_grouping", "working_weekdays", "hours_per_day_hundredths", "renews_on",
)  # fmt: skip
GRANT = ("organization_id", "repository_id", "first_number", "last_number")
REPOSITORY = ("organization_id", "name", "origin", "is_sandbox", "is_excluded", "is_disabled")
TEAM = ("organization_id", "parent_id", "name")
MEMBERSHIP = ("organization_id", "team_id", "developer_id", "start_on", "end_on")
CATEGORY = ("organization_id", "commit_id", "category")
ANSWER = (*CATEGORY, "confidence_micro", "model")
CHECK_SETTING = (
    "organization_id",
    "kind",
    "is_on",
    "threshold_micro",
    "critical_micro",
    "threshold_multiple_hundredths",
    "critical_multiple_hundredths",
)
AI_ACTOR = ("organization_id", "actor", "developer_id")
AI_PRICE = (
    "organization_id", "model", "valid_from", "valid_until", "priced_as", "discount_hundredths", "input_pico",
    "cache_read_pico", "cache_write_5m_pico", "cache_write_1h_pico", "output_pico",
)  # fmt: skip
EXCLUSION = ("organization_id", "commit_id", "is_excluded", "reason", "note")


def rows(session: Session, organization_id: str, now: datetime) -> dict[str, list[dict[str, Any]]]:
    """Rows by table, without removed repositories, sorted by id. `now` decides on the license and the payment. Raises
    NotFound.
    """
    organization = session.get(Organization, organization_id)
    if organization is None:
        raise NotFound(f"no organization has the id {organization_id!r}")
    pause = pause_of(session, organization, now)
    is_limited = organization.commit_limit is not None or organization.plan == "trial" or pause is not None
    own = {"organization_id": organization_id}
    repositories = ordered(session, Repository, organization_id, Repository.id)
    teams = ordered(session, Team, organization_id, Team.id)
    policies = ordered(session, CapexPolicy, organization_id, CapexPolicy.version)
    memberships = ordered(session, TeamMembership, organization_id, TeamMembership.id)
    grants = ordered(session, CommitGrant, organization_id, CommitGrant.repository_id)
    categories = ordered(session, CommitCategory, organization_id, CommitCategory.commit_id)
    answers = ordered(session, CategoryAnswer, organization_id, CategoryAnswer.commit_id)
    exclusions = ordered(
        session, CommitExclusion, organization_id, CommitExclusion.commit_id, CommitExclusion.is_excluded
    )
    checks = ordered(session, CheckSetting, organization_id, CheckSetting.kind)
    prices = ordered(session, AiPrice, organization_id, AiPrice.id)
    actors = ordered(session, AiActor, organization_id, AiActor.actor)
    settings: dict[str, list[dict[str, Any]]] = {
        "organizations": [
            own
            | columns(organization, *ORGANIZATION)
            | {
                "is_commit_limited": is_limited,
                "analysis_paused_by": None if pause is None else pause.reason.value,
                "analysis_paused_since": None if pause is None else pause.since,
            }
        ],
        "holidays": [
            own | {"holiday_on": date.fromisoformat(holiday["date"]), "name": holiday["name"]}
            for holiday in organization.holidays
        ],
        "check_settings": [columns(row, *CHECK_SETTING) for row in checks],
        "commit_grants": [columns(row, *GRANT) for row in grants if is_limited],
        "capex_rules": [row for one in policies if one.withdrawn_at is None for row in _rules(one)],
        "repositories": [
            columns(row, *REPOSITORY)
            | {
                "repository_id": row.id,
                "analysis_start_at": row.analysis_start_at or organization.analysis_start_at,
                "tags": sorted(row.tags),
                "unread_since": (row.read_at or row.created_at) if row.failed_at else None,
            }
            for row in repositories
            if row.removed_at is None
        ],
        "teams": [columns(row, *TEAM) | {"team_id": row.id} for row in teams],
        "team_memberships": [columns(row, *MEMBERSHIP) for row in memberships],
        "commit_categories": [columns(row, *CATEGORY) for row in categories],
        "category_answers": [
            columns(row, *ANSWER)
            for row in answers
            if organization.has_categories_by_model and row.category is not None
        ],
        "ai_prices": [
            columns(row, *AI_PRICE) | {"price_id": row.id} for row in prices if row.withdrawn_at is None
        ],
        "ai_actors": [columns(row, *AI_ACTOR) for row in actors],
        "commit_exclusions": [columns(row, *EXCLUSION) for row in exclusions],
    }
    return settings | connection_rows(session, organization_id) | identity_rows(session, organization_id)


def _rules(policy: CapexPolicy) -> list[dict[str, Any]]:
    # A version without a rule is still one: nothing can be capitalized from then on.
    nothing = {"category": None, "commit_category": "any"} | dict.fromkeys(
        ("repository_id", "issue_type", "objective_id")
    )
    return [
        {
            "organization_id": policy.organization_id,
            "policy_version": policy_name(policy.version),
            "version_number": policy.version,
            "valid_from": policy.valid_from,
            # Rules of earlier releases have no issue type and no objective.
            **(nothing | rule),
        }
        for rule in policy.rules or [nothing]
    ]


def policy_name(version: int) -> str:
    """The name of a CapEx policy version in figures."""
    return f"policy-{version}"
