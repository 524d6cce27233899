"""Organizations, repositories, developers and teams, as they are to be published.

Add: a relation or column that the API reads.
"""

from orchestration.published_copies import KNOWN_IDS, LINES, TREE, Copy
from orchestration.published_relation import Relation, columns

ENTITIES: tuple[Relation, ...] = (
    Relation(
        "api_v1__organizations",
        ("organization_id",),
        columns(
            text="organization_id name slug time_zone work_category_grouping calculation_version",
            instant="as_of",
            date="first_delivered_on last_delivered_on last_complete_week_start last_complete_month_start local_date "
            "renews_on",
            integer="waiting_commits",
        ),
        (Copy("organizations", ("organization_id",)),),
        not_empty=True,
    ),
    Relation(
        "api_v1__repositories",
        ("repository_id",),
        columns(
            text="repository_id name origin default_branch head_sha calculation_version",
            flag="is_sandbox is_excluded is_disabled is_shallow is_partial",
            integer="commit_count delivered_commit_count developer_count skipped_objects",
            instant="first_delivered_at last_delivered_at",
            list="tags",
        ),
        (Copy("repositories", ("repository_id",), numbered=True),),
    ),
    Relation(
        "api_v1__developers",
        ("developer_id",),
        columns(
            text="developer_id name primary_email bot_reason kind role seniority avatar_url team_id team "
            "calculation_version",
            flag="is_bot",
            integer="commit_count delivered_commit_count",
            instant="first_delivered_at last_delivered_at",
            date="joined_on probation_ends_on left_on",
            list="addresses known_ids merge_suggestions",
        ),
        (
            Copy("developers", ("developer_id",), numbered=True),
            # Whose every id is that somebody has had.
            Copy("developer_known_ids", ("known_id",), "known_id, developer_id", group=True, over=KNOWN_IDS),
        ),
    ),
    Relation(
        "api_v1__teams",
        ("team_id",),
        columns(
            text="team_id parent_id name calculation_version",
            integer="depth sub_team_count developer_count own_developer_count",
        ),
        (
            Copy("teams", ("path", "team_id"), "* exclude (path)", numbered=True, over=TREE),
            # Each team with itself and with every team that it is a part of.
            Copy(
                "team_lines",
                ("team_place", "ancestor_place"),
                "team_place, ancestor_place",
                group=True,
                over=LINES,
                places=("team", "ancestor"),
            ),
        ),
    ),
    Relation(
        "api_v1__merge_suggestions",
        ("suggestion_id",),
        columns(
            text="suggestion_id developer_id developer_name developer_email other_id other_name other_email "
            "calculation_version",
            list="reasons",
        ),
        (Copy("merge_suggestions", ("suggestion_id",)),),
    ),
)
