"""Commits and what explains each, as they are to be published.

Add: a relation or column that the API reads.
"""

from orchestration.published_copies import Copy
from orchestration.published_relation import Relation, columns

_NEWEST_FIRST = ("delivered_at desc nulls last", "commit_id")

COMMITS: tuple[Relation, ...] = (
    Relation(
        "api_v1__commits",
        ("commit_id",),
        columns(
            text="commit_id commit_sha repository_id repository_name developer_id developer_name team_id author_name "
            "author_email subject delivery_sha zero_reason import_burst_id exclusion_reason exclusion_note "
            "duplicate_of_sha category category_method explanation calculation_version",
            flag="is_bot is_merge is_counted is_ai_assisted is_credit_estimated is_provisional",
            instant="authored_at committed_at delivered_at provisional_until",
            date="delivered_on",
            number="category_confidence",
            integer="points_micro effort_micro etv_micro features_etv_micro maintenance_etv_micro tests_etv_micro "
            "documentation_etv_micro fixes_etv_micro files_changed lines_added lines_deleted",
            list="parent_shas ai_tools",
        ),
        (
            Copy("commits_by_time", _NEWEST_FIRST, numbered=True),
            Copy(
                "commit_places",
                ("commit_id",),
                "commit_id, position, team_id, developer_id",
                of="commits_by_time",
            ),
            Copy(
                "commits_by_repository",
                ("repository_id", *_NEWEST_FIRST),
                "* exclude (explanation)",
                numbered=True,
            ),
            Copy(
                "commits_by_developer",
                ("developer_id", *_NEWEST_FIRST),
                "* exclude (explanation)",
                numbered=True,
            ),
            # What people wrote in a team, counted: what a list shows to a lead of all time.
            Copy(
                "commit_counts",
                ("team_place", "repository_place", "developer_place", "is_bot"),
                "team_place, repository_place, developer_place, is_bot, count(*) as commit_count, "
                "count(delivered_at) as delivered_commit_count, min(delivered_at) as first_delivered_at, "
                "max(delivered_at) as last_delivered_at",
                group=True,
                places=("team", "repository", "developer"),
            ),
        ),
    ),
    Relation(
        "api_v1__commit_files",
        ("commit_id", "delivery_sha", "path"),
        columns(
            text="commit_id repository_id delivery_sha path previous_path status language role zero_reason category "
            "category_method category_evidence copied_from calculation_version",
            number="category_confidence",
            integer="line_points_micro file_bonus_micro removed_points_micro role_factor_micro points_micro "
            "effort_micro multiplier_micro etv_micro",
            list="line_classes",
        ),
        (Copy("commit_files", ("commit_id", "delivery_sha", "path")),),
    ),
    Relation(
        "api_v1__line_kinds",
        ("kind",),
        columns(text="class original_class note", integer="kind tokens rank"),
        (Copy("line_kinds", ("kind",)),),
    ),
    Relation(
        "api_v1__commit_credits",
        ("commit_id", "developer_id"),
        columns(text="commit_id developer_id team_id role", integer="share_micro etv_micro effort_micro"),
        (Copy("commit_credits", ("commit_id", "developer_id")),),
    ),
    Relation(
        "api_v1__commit_ai_evidence",
        (),
        columns(text="commit_id tool role signal matched_text", number="confidence"),
        (Copy("commit_ai_evidence", ("commit_id", "tool", "role", "signal", "matched_text")),),
    ),
    Relation(
        "api_v1__commit_origins",
        ("commit_id", "origin_commit_id"),
        columns(text="commit_id origin_commit_id origin_sha basis", integer="likelihood_micro age_days"),
        (Copy("commit_origins", ("commit_id", "origin_commit_id")),),
    ),
    Relation(
        "api_v1__import_bursts",
        ("burst_id",),
        columns(
            text="burst_id rule status developer_id developer_name first_commit_id first_commit_sha first_subject "
            "calculation_version",
            instant="started_at ended_at evidence_until",
            integer="commit_count counted_commit_count file_count novel_lines arrived_lines reworked_share_micro "
            "worked_share_micro",
            list="repository_ids",
        ),
        (Copy("import_bursts", ("started_at desc", "burst_id")),),
    ),
)
