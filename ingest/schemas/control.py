"""Raw tables of `control`: the settings that people decide, as the warehouse sees them.

Partitioned by organization only (`repository_id=_`). No secrets.
"""

import pyarrow as pa

from ingest.schemas.ai_settings import AI_ACTORS, AI_PRICES
from ingest.schemas.fields import day, field, flag, instant, integer, text

ORGANIZATIONS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("name", "Display name."),
        text("slug", "Unique address of the organization."),
        text("time_zone", "IANA name of the time zone of days, weeks and months."),
        text("work_category_grouping", "Number of category groups that lists show: five, three or two."),
        text("working_weekdays", "ISO numbers of the working days; 1 is Monday."),
        integer("hours_per_day_hundredths", "Length of a working day in hundredths of an hour."),
        flag(
            "is_commit_limited",
            "True if the plan, the license or the payment limits the analysed commits. Commits beyond the limit wait.",
        ),
        text(
            "analysis_paused_by",
            "What all new commits wait for: license, trial, payment, subscription, or null where only the limit"
            " of the plan counts.",
            nullable=True,
        ),
        day(
            "analysis_paused_since",
            "Day on which the trial, the time to pay or the subscription ended; null without such a pause.",
            nullable=True,
        ),
        day(
            "renews_on",
            "Day on which billable developers are counted next; null without a renewal.",
            nullable=True,
        ),
    ]
)

REPOSITORIES = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("repository_id", "UUIDv5 of organization and normalized remote URL."),
        text("name", "Display name, `owner/name` where the remote URL has one."),
        text("origin", "Normalized remote URL without credentials, or the path of a local repository."),
        flag("is_sandbox", "True for a sandbox, which is left out of totals."),
        flag("is_excluded", "True if the repository is left out of every metric."),
        flag("is_disabled", "True if the repository is no longer analysed."),
        instant(
            "analysis_start_at",
            "Deliveries before this instant earn nothing; null without such a limit.",
            nullable=True,
        ),
        field("tags", pa.list_(pa.string()), "Tags that people gave the repository, sorted."),
        instant(
            "unread_since",
            "Last complete reading, if a later one failed, or the creation without any (UTC); null after a success.",
            nullable=True,
        ),
    ]
)

CONNECTIONS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("connection_id", "UUIDv7 of the connection."),
        text("kind", "Kind of provider, such as GITHUB or JIRA_CLOUD."),
        text("category", "hosts for a Git host, trackers for an issue tracker."),
        text("name", "Name that people gave the connection."),
        instant("unsynced_since", "Time of its last complete sync, or of its creation before the first one."),
    ]
)

CONNECTION_LEVELS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("connection_id", "UUIDv7 of a connection to an issue tracker."),
        text("item_kind", "Kind of item, as in trackers.items."),
        text("level", "objective, sub_objective, issue or ignored. A kind without a row is an issue."),
    ]
)

TRACKER_TEAMS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("connection_id", "UUIDv7 of a connection to an issue tracker."),
        text("team_key", "Team, project or space of the tracker, as in trackers.items."),
        text("team_id", "UUID of the team that owns its objectives."),
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
        text("developer_id", "UUIDv5 of the developer at the time of the entry."),
        day("start_on", "First day in the team."),
        day("end_on", "Last day in the team; null for a current membership.", nullable=True),
    ]
)

COMMIT_EXCLUSIONS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("commit_id", "UUIDv5 of the commit."),
        flag(
            "is_excluded",
            "True: left out of every metric. False: counted although a rule leaves the commit out.",
        ),
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

CATEGORY_ANSWERS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("commit_id", "UUIDv5 of the commit."),
        text("category", "features, maintenance or fixes."),
        integer("confidence_micro", "The model's probability that the category is right, in millionths."),
        text("model", "Name of the model."),
    ]
)

IDENTITY_MERGES = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("merge_id", "UUID of the decision; all developers of one merge are the same person."),
        text("developer_id", "UUIDv5 of the developer at the time of the decision."),
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
        flag("is_last", "True for the last of several splits of an address; only this one applies."),
    ]
)

MAILBOX_SPLITS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("mailbox_id", "UUIDv5 of an address without name, from which a split took a name."),
        text("developer_id", "UUIDv5 of the developer of all later names of the mailbox."),
    ]
)

SUGGESTION_DISMISSALS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text(
            "dismissal_id", "UUID of the decision; the two developers of one dismissal are different people."
        ),
        text("developer_id", "UUIDv5 of the developer at the time of the decision."),
    ]
)

DEVELOPER_ATTRIBUTES = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("developer_id", "UUIDv5 of the developer at the time of the entry."),
        text(
            "attribute",
            "name, primary_email, role, seniority, joining_date, probation_end_date, leaving_date, avatar_url, kind.",
        ),
        text(
            "value",
            "Entered value; dates have the form 2026-11-20. Null where a person cleared the value.",
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

CHECK_SETTINGS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("kind", "Name of the kind of check."),
        flag("is_on", "True if the kind is looked for."),
        field(
            "threshold_micro",
            pa.int64(),
            "Threshold in millionths of the kind's unit; null without one.",
            nullable=True,
        ),
        field(
            "critical_micro",
            pa.int64(),
            "Critical threshold in millionths of the unit; null without one.",
            nullable=True,
        ),
        field(
            "threshold_multiple_hundredths",
            pa.int64(),
            "Threshold in hundredths of the organization's own median; null: the number applies.",
            nullable=True,
        ),
        field(
            "critical_multiple_hundredths",
            pa.int64(),
            "Critical threshold in hundredths of this median; null without one.",
            nullable=True,
        ),
    ]
)

COMMIT_GRANTS = pa.schema(
    [
        text("organization_id", "UUID of the organization."),
        text("repository_id", "UUID of the repository."),
        integer("first_number", "First commit that may be analysed, in the order of delivery, from 1."),
        integer("last_number", "Last commit that may be analysed; below the first where none may be."),
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
        text("issue_type", "Type that an issue of the commit must have; null for all.", nullable=True),
        text(
            "objective_id",
            "UUIDv5 of the objective or sub-objective that an issue of the commit must reach; null for all.",
            nullable=True,
        ),
    ]
)

TABLES = {
    "organizations": ORGANIZATIONS,
    "holidays": HOLIDAYS,
    "check_settings": CHECK_SETTINGS,
    "commit_grants": COMMIT_GRANTS,
    "capex_rules": CAPEX_RULES,
    "repositories": REPOSITORIES,
    "connections": CONNECTIONS,
    "connection_levels": CONNECTION_LEVELS,
    "tracker_teams": TRACKER_TEAMS,
    "teams": TEAMS,
    "team_memberships": TEAM_MEMBERSHIPS,
    "commit_exclusions": COMMIT_EXCLUSIONS,
    "commit_categories": COMMIT_CATEGORIES,
    "category_answers": CATEGORY_ANSWERS,
    "identity_merges": IDENTITY_MERGES,
    "identity_splits": IDENTITY_SPLITS,
    "mailbox_splits": MAILBOX_SPLITS,
    "suggestion_dismissals": SUGGESTION_DISMISSALS,
    "developer_attributes": DEVELOPER_ATTRIBUTES,
    "member_mailboxes": MEMBER_MAILBOXES,
    "ai_prices": AI_PRICES,
    "ai_actors": AI_ACTORS,
}
