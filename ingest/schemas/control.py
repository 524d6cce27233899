"""Raw tables of the noun `control`: the settings that people decide, as the warehouse sees them.

Partitioned by organization only (`repository_id=_`). No secrets.
"""

import pyarrow as pa

from ingest.schemas.fields import day, field, flag, instant, integer, text

ORGANIZATIONS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("name", "Display name."),
        text("slug", "Unique address of the organization."),
        text("time_zone", "IANA name of the zone in which periods are cut."),
        text("work_category_grouping", "five, three or two."),
        text("working_weekdays", "ISO numbers of the days that are worked on; 1 is Monday."),
        integer("hours_per_day_hundredths", "Hundredths of an hour that a working day has."),
        flag("is_commit_limited", "Its plan says how many commits are analysed; the others wait."),
        day("renews_on", "When billable developers are counted next; null for never.", nullable=True),
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
        field("tags", pa.list_(pa.string()), "Words that people gave it, sorted."),
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

COMMIT_EXCLUSIONS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("commit_id", "UUIDv5 of the commit."),
        flag("is_excluded", "Left out of every metric; false: counted although a rule leaves it out."),
        text(
            "reason",
            "generated_code, import, revert, migration, formatting, duplicate, other.",
            nullable=True,
        ),
        text("note", "Why, in words.", nullable=True),
    ]
)

COMMIT_CATEGORIES = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("commit_id", "UUIDv5 of the commit."),
        text("category", "features, maintenance, tests, documentation or fixes."),
    ]
)

IDENTITY_MERGES = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("merge_id", "UUID of the decision; every developer of one merge is the same."),
        text("developer_id", "UUIDv5 of the developer as known when the merge was decided."),
    ]
)

IDENTITY_SPLITS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("address_id", "UUIDv5 of the name and address that was taken out of its group, or left."),
        text(
            "developer_id",
            "UUIDv5 of the developer that the split made of this address and others; null: it stays where it was found.",
            nullable=True,
        ),
        flag("is_last", "Of several splits of an address the last one holds."),
    ]
)

MAILBOX_SPLITS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("mailbox_id", "UUIDv5 of an address without its name, of which a split took out a name."),
        text("developer_id", "UUIDv5 of the developer of every name that no split knew."),
    ]
)

SUGGESTION_DISMISSALS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("dismissal_id", "UUID of the decision; the two developers of one are not the same."),
        text("developer_id", "UUIDv5 of the developer as known when it was decided."),
    ]
)

DEVELOPER_ATTRIBUTES = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("developer_id", "UUIDv5 of the developer as known when it was said."),
        text(
            "attribute",
            "name, primary_email, role, seniority, joining_date, probation_end_date, leaving_date, avatar_url, kind.",
        ),
        text(
            "value",
            "What was said, dates as 2026-11-20; null where it was said that there is none.",
            nullable=True,
        ),
    ]
)

MEMBER_MAILBOXES = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text(
            "mailbox_id",
            "UUIDv5 of a member's verified address: recognized where commits use it, and not told else.",
        ),
    ]
)

HOLIDAYS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        day("holiday_on", "A day on which the organization does not work."),
        text("name", "What is celebrated."),
    ]
)

COMMIT_GRANTS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("repository_id", "UUID of the repository."),
        integer("first_number", "First commit that may be analysed, in the order of delivery, from 1."),
        integer("last_number", "Last commit that may be analysed."),
    ]
)

CAPEX_RULES = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("policy_version", "Name of the version of the policy."),
        integer("version_number", "Of two versions of a month the higher one holds."),
        day("valid_from", "First month to which the version applies."),
        text("category", "Category that can be capitalized; null: the version has no rule.", nullable=True),
        text("commit_category", "Main category that the commit must have; any for every one."),
        text("repository_id", "The only repository that it is about; null for every one.", nullable=True),
    ]
)

TABLES = {
    "organizations": ORGANIZATIONS,
    "holidays": HOLIDAYS,
    "commit_grants": COMMIT_GRANTS,
    "capex_rules": CAPEX_RULES,
    "repositories": REPOSITORIES,
    "teams": TEAMS,
    "team_memberships": TEAM_MEMBERSHIPS,
    "commit_exclusions": COMMIT_EXCLUSIONS,
    "commit_categories": COMMIT_CATEGORIES,
    "identity_merges": IDENTITY_MERGES,
    "identity_splits": IDENTITY_SPLITS,
    "mailbox_splits": MAILBOX_SPLITS,
    "suggestion_dismissals": SUGGESTION_DISMISSALS,
    "developer_attributes": DEVELOPER_ATTRIBUTES,
    "member_mailboxes": MEMBER_MAILBOXES,
}
