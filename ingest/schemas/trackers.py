"""Raw tables of `trackers` (one connection to an issue tracker per source).

A row is one version of its entity: the row of the highest `batch` holds today. Rows are written only if they changed.
"""

import pyarrow as pa

from ingest.schemas.category import CONNECTION, VERSION, Category, Versions
from ingest.schemas.fields import day, field, instant, integer, text

CHANGE = pa.struct(
    [
        pa.field("field", pa.string(), nullable=False),
        pa.field("at", pa.timestamp("us", tz="UTC"), nullable=False),
        pa.field("before", pa.string()),
        pa.field("after", pa.string()),
        pa.field("after_category", pa.string()),
        pa.field("actor", pa.string()),
    ]
)

ITEMS = pa.schema(  # one row per version of an issue, epic, project, initiative, goal or milestone
    [
        *CONNECTION,
        text("provider_id", "Id at the provider, which survives renames and moves."),
        text(
            "kind",
            "The provider's kind, which the level table maps: issue, epic, project, initiative, level_2, ….",
        ),
        text(
            "key",
            "Key as people write it: `ABC-123`, `owner/repository#45`, `AB#45`; null if none.",
            nullable=True,
        ),
        field("previous_keys", pa.list_(pa.string()), "Keys before a move."),
        text(
            "repository_id", "UUIDv5 of the repository whose `#number` names it, on Git hosts.", nullable=True
        ),
        integer("number", "Number within the repository or project.", nullable=True),
        text("type_name", "Name of the issue type as the tracker shows it.", nullable=True),
        text("title", "Title."),
        text("status", "Name of the status.", nullable=True),
        text("status_category", "todo, doing, done or canceled."),
        field("parent_ids", pa.list_(pa.string()), "Provider ids of the parents; the first one counts."),
        text(
            "team_key", "Team, project or space of the tracker, which can be mapped to a team.", nullable=True
        ),
        text("team_name", "Name of that team, project or space.", nullable=True),
        text("assignee", "Login or id of the owner.", nullable=True),
        text("assignee_name", "Display name of the owner.", nullable=True),
        text("assignee_email", "Email address of the owner, if the tracker shows it.", nullable=True),
        text("creator", "Login or id of the creator.", nullable=True),
        instant("created_at", "Time of creation."),
        instant("updated_at", "Last change that the tracker names."),
        instant("started_at", "First start of work that the tracker names.", nullable=True),
        instant("completed_at", "Time of completion; null while open or reopened.", nullable=True),
        day("start_on", "Planned first day.", nullable=True),
        day(
            "target_on",
            "Target or due day; the last day of a month, quarter or year that is the target.",
            nullable=True,
        ),
        field("estimate", pa.float64(), "Points or the tracker's own estimate.", nullable=True),
        text(
            "resolution", "Why it was closed, such as `Fixed`, `not_planned` or `Duplicate`.", nullable=True
        ),
        text("branch_name", "Branch that the tracker proposes.", nullable=True),
        text("url", "Page of the item.", nullable=True),
        field("labels", pa.list_(pa.string()), "Names of labels."),
        field("pull_requests", pa.list_(pa.string()), "Addresses of pull requests that the tracker links."),
        field(
            "history",
            pa.list_(CHANGE),
            "Changes of status by time; `after_category` as `status_category`, null if unknown.",
        ),
        text("payload", "The provider's answer as JSON."),
        VERSION,
    ]
)

ISSUE_TRACKER = Category(
    noun="trackers",
    name="ISSUE_TRACKER",
    title="issue tracker",
    reads="issues and objectives",
    job="sync_tracker",
    versions={
        "items": Versions(
            ITEMS, "One row per version of an issue, epic, project, initiative, goal or milestone."
        ),
    },
    has_levels=True,
)
