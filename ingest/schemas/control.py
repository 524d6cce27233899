"""Raw tables of `control`: the settings that people decide, as the warehouse sees them.

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
        text("working_weekdays", "ISO numbers of the working days; 1 is Monday."),
        integer("hours_per_day_hundredths", "Length of a working day in hundredths of an hour."),
        flag("is_commit_limited", "The plan limits the number of analysed commits; the others wait."),
        day("renews_on", "When billable developers are counted next; null for never.", nullable=True),
    ]
)

REPOSITORIES = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("repository_id", "UUIDv5 of organization and normalized remote URL."),
        text("name", "Display name, `owner/name` where the remote URL has one."),
        text("origin", "Normalized remote URL without credentials, or the path of a local repository."),
        flag("is_sandbox", "Kept on its own page, left out of totals."),
        flag("is_excluded", "Left out of every metric."),
        flag("is_disabled", "Not analysed any more."),
        instant("analysis_start_at", "Deliveries before this instant have no score.", nullable=True),
        field("tags", pa.list_(pa.string()), "Tags that people gave the repository, sorted."),
    ]
)

TEAMS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("team_id", "UUID of the team."),
        text("parent_id", "UUID of the parent team.", nullable=True),
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
        flag("is_excluded", "Left out of every metric; false: counted although a rule would leave it out."),
        text(
            "reason",
            "generated_code, import, revert, migration, formatting, duplicate, other.",
            nullable=True,
        ),
        text("note", "The reason, in words.", nullable=True),
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
        text("merge_id", "UUID of the decision; all developers of one merge are the same person."),
        text("developer_id", "UUIDv5 of the developer as known when the merge was decided."),
    ]
)

IDENTITY_SPLITS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text(
            "address_id", "UUIDv5 of the name and address that the split took out of its group or left there."
        ),
        text(
            "developer_id",
            "UUIDv5 of the developer that the split created from this address and others; null: the address stays in its group.",
            nullable=True,
        ),
        flag("is_last", "Only the last of several splits of an address applies."),
    ]
)

MAILBOX_SPLITS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("mailbox_id", "UUIDv5 of an address without name, from which a split took a name."),
        text("developer_id", "UUIDv5 of the developer of all names that no split mentions."),
    ]
)

SUGGESTION_DISMISSALS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text(
            "dismissal_id", "UUID of the decision; the two developers of one dismissal are different people."
        ),
        text("developer_id", "UUIDv5 of the developer as known at the time of the decision."),
    ]
)

DEVELOPER_ATTRIBUTES = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("developer_id", "UUIDv5 of the developer as known when the value was entered."),
        text(
            "attribute",
            "name, primary_email, role, seniority, joining_date, probation_end_date, leaving_date, avatar_url, kind.",
        ),
        text(
            "value",
            "The entered value, dates as 2026-11-20; null where a user entered that there is none.",
            nullable=True,
        ),
    ]
)

MEMBER_MAILBOXES = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text(
            "mailbox_id",
            "UUIDv5 of a member's verified address: it identifies commits with that address, and hides the address itself.",
        ),
    ]
)

HOLIDAYS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        day("holiday_on", "A day without work in the organization."),
        text("name", "Name of the holiday."),
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
        integer("version_number", "The higher of two versions of a month applies."),
        day("valid_from", "First month to which the version applies."),
        text("category", "Category that can be capitalized; null: the version has no rule.", nullable=True),
        text("commit_category", "Main category that the commit must have; `any` for every category."),
        text("repository_id", "The only repository that the rule covers; null for all.", nullable=True),
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
