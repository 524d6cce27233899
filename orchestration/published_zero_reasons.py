"""What earns nothing, and why, as it is to be published.

Add: a relation or column that the API, the report or `doctor` reads.
"""

from orchestration.published_copies import Copy
from orchestration.published_relation import Relation, columns

ZERO_REASONS: tuple[Relation, ...] = (
    Relation(
        "api_v1__zero_reasons",
        ("zero_reason",),
        columns(
            text="zero_reason level title description calculation_version",
            integer="position warning_share_micro",
        ),
        (Copy("zero_reasons", ("zero_reason",)),),
    ),
    Relation(
        "api_v1__zero_reason_days",
        ("delivered_on", "repository_id", "team_id", "developer_id", "is_bot", "is_sandbox", "zero_reason"),
        columns(
            date="delivered_on",
            text="repository_id team_id developer_id zero_reason",
            flag="is_bot is_sandbox",
            integer="commits files lines_added",
        ),
        (
            Copy(
                "zero_reason_days",
                ("delivered_on", "repository_id", "team_id", "developer_id", "is_bot", "zero_reason"),
            ),
        ),
    ),
    Relation(
        "api_v1__zero_reason_commits",
        ("commit_id", "zero_reason"),
        columns(
            date="delivered_on",
            text="commit_id commit_sha zero_reason repository_id repository_name team_id developer_id author_name "
            "subject commit_url",
            flag="is_sandbox",
            integer="files lines_added",
        ),
        (Copy("zero_reason_commits", ("delivered_on", "zero_reason", "commit_id")),),
    ),
)
