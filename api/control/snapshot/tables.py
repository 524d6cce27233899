"""The rows of the control database that the warehouse reads: the raw tables of `control`.

Table names and fields are those of the raw schemas. Keep out: secrets, accounts.
"""

from datetime import date, datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.control.errors import NotFound
from api.control.models import (
    CapexPolicy,
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


def rows(session: Session, organization_id: str, now: datetime) -> dict[str, list[dict[str, Any]]]:
    """Rows by table, without removed repositories, sorted by id. `now` decides on the license and the payment. Raises
    NotFound.
    """
    organization = session.get(Organization, organization_id)
    if organization is None:
        raise NotFound(f"no organization has the id {organization_id!r}")
    repositories = session.scalars(
        select(Repository)
        .where(Repository.organization_id == organization_id, Repository.removed_at.is_(None))
        .order_by(Repository.id)
    )
    teams = session.scalars(select(Team).where(Team.organization_id == organization_id).order_by(Team.id))
    memberships = session.scalars(
        select(TeamMembership)
        .where(TeamMembership.organization_id == organization_id)
        .order_by(TeamMembership.id)
    )
    exclusions = session.scalars(
        select(CommitExclusion)
        .where(CommitExclusion.organization_id == organization_id)
        .order_by(CommitExclusion.commit_id, CommitExclusion.is_excluded)
    )
    categories = session.scalars(
        select(CommitCategory)
        .where(CommitCategory.organization_id == organization_id)
        .order_by(CommitCategory.commit_id)
    )
    pause = pause_of(session, organization, now)
    is_limited = organization.commit_limit is not None or organization.plan == "trial" or pause is not None
    grants = session.scalars(
        select(CommitGrant)
        .where(CommitGrant.organization_id == organization_id)
        .order_by(CommitGrant.repository_id)
    )
    policies = session.scalars(
        select(CapexPolicy)
        .where(CapexPolicy.organization_id == organization_id, CapexPolicy.withdrawn_at.is_(None))
        .order_by(CapexPolicy.version)
    )
    settings: dict[str, list[dict[str, Any]]] = {
        "organizations": [
            {
                "organization_id": organization.id,
                "name": organization.name,
                "slug": organization.slug,
                "time_zone": organization.time_zone,
                "work_category_grouping": organization.work_category_grouping,
                "working_weekdays": organization.working_weekdays,
                "hours_per_day_hundredths": organization.hours_per_day_hundredths,
                "is_commit_limited": is_limited,
                "analysis_paused_by": None if pause is None else pause.reason.value,
                "analysis_paused_since": None if pause is None else pause.since,
                "renews_on": organization.renews_on,
            }
        ],
        "holidays": [
            {
                "organization_id": organization.id,
                "holiday_on": date.fromisoformat(holiday["date"]),
                "name": holiday["name"],
            }
            for holiday in organization.holidays
        ],
        "commit_grants": [
            {
                "organization_id": row.organization_id,
                "repository_id": row.repository_id,
                "first_number": row.first_number,
                "last_number": row.last_number,
            }
            for row in grants
            if is_limited
        ],
        "capex_rules": [row for policy in policies for row in _rules(policy)],
        "repositories": [
            {
                "organization_id": row.organization_id,
                "repository_id": row.id,
                "name": row.name,
                "origin": row.origin,
                "is_sandbox": row.is_sandbox,
                "is_excluded": row.is_excluded,
                "is_disabled": row.is_disabled,
                "analysis_start_at": row.analysis_start_at or organization.analysis_start_at,
                "tags": sorted(row.tags),
            }
            for row in repositories
        ],
        "teams": [
            {
                "organization_id": row.organization_id,
                "team_id": row.id,
                "parent_id": row.parent_id,
                "name": row.name,
            }
            for row in teams
        ],
        "team_memberships": [
            {
                "organization_id": row.organization_id,
                "team_id": row.team_id,
                "developer_id": row.developer_id,
                "start_on": row.start_on,
                "end_on": row.end_on,
            }
            for row in memberships
        ],
        "commit_categories": [
            {
                "organization_id": row.organization_id,
                "commit_id": row.commit_id,
                "category": row.category,
            }
            for row in categories
        ],
        "commit_exclusions": [
            {
                "organization_id": row.organization_id,
                "commit_id": row.commit_id,
                "is_excluded": row.is_excluded,
                "reason": row.reason,
                "note": row.note,
            }
            for row in exclusions
        ],
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
