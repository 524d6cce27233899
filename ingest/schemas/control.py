"""Raw tables of the noun `control`: the settings that people decide, as the warehouse sees them.

Partitioned by organization only (`repository_id=_`). No secrets.
"""

import pyarrow as pa

from ingest.schemas.fields import day, flag, instant, text

ORGANIZATIONS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("name", "Display name."),
        text("slug", "Unique address of the organization."),
        text("time_zone", "IANA name of the zone in which periods are cut."),
        text("work_category_grouping", "five, three or two."),
    ]
)

REPOSITORIES = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("repository_id", "UUIDv5 of organization and normalized origin."),
        text("name", "Display name, `owner/name` where the origin has one."),
        text("origin", "Normalized origin URL without credentials, or the path of a local repository."),
        flag("is_sandbox", "Kept on its own page, left out of totals."),
        flag("is_excluded", "Left out of every metric."),
        flag("is_disabled", "Not analysed any more."),
        instant("analysis_start_at", "Deliveries before this instant have no score.", nullable=True),
    ]
)

TEAMS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("team_id", "UUID of the team."),
        text("parent_id", "UUID of the team that it is a part of.", nullable=True),
        text("name", "Name, unique within the organization."),
    ]
)

TEAM_MEMBERSHIPS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("team_id", "UUID of the team."),
        text("developer_id", "UUIDv5 of the developer as known when the membership was written."),
        day("start_on", "First day in the team."),
        day("end_on", "Last day in the team; null while it lasts.", nullable=True),
    ]
)

TABLES = {
    "organizations": ORGANIZATIONS,
    "repositories": REPOSITORIES,
    "teams": TEAMS,
    "team_memberships": TEAM_MEMBERSHIPS,
}
