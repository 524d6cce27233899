"""What a built warehouse must offer to be published: relations, keys, columns, and the copies reads need.

Add: a relation or column that the API reads. Keep out: how it is copied (publish.py).
Types are families, not exact types, so that a model may widen an integer without a change here.
"""

from dataclasses import dataclass

from orchestration.published_copies import KNOWN_IDS, LINES, MEASURES, SUMS, TREE, Copy, periods

TEXT, INTEGER, FLAG, DATE, INSTANT, NUMBER, LIST = (
    "text",
    "integer",
    "flag",
    "date",
    "instant",
    "number",
    "list",
)

FAMILIES: dict[str, tuple[str, ...]] = {
    TEXT: ("VARCHAR",),
    INTEGER: ("TINYINT", "SMALLINT", "INTEGER", "BIGINT"),
    FLAG: ("BOOLEAN",),
    DATE: ("DATE",),
    INSTANT: ("TIMESTAMP WITH TIME ZONE",),
    NUMBER: ("DOUBLE", "FLOAT", "DECIMAL", "TINYINT", "SMALLINT", "INTEGER", "BIGINT"),
}


@dataclass(frozen=True, slots=True)
class Relation:
    """A published relation of the warehouse: its key, the columns reads rely on, and its copies."""

    name: str
    key: tuple[str, ...]
    columns: dict[str, str]
    copies: tuple[Copy, ...]
    not_empty: bool = False


def _columns(**families: str) -> dict[str, str]:
    return {name: family for family, names in families.items() for name in names.split()}


_NEWEST_FIRST = ("delivered_at desc nulls last", "commit_id")

RELATIONS: tuple[Relation, ...] = (
    Relation(
        "api_v1__organizations",
        ("organization_id",),
        _columns(
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
        _columns(
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
        _columns(
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
        _columns(
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
        _columns(
            text="suggestion_id developer_id developer_name developer_email other_id other_name other_email "
            "calculation_version",
            list="reasons",
        ),
        (Copy("merge_suggestions", ("suggestion_id",)),),
    ),
    Relation(
        "api_v1__commits",
        ("commit_id",),
        _columns(
            text="commit_id commit_sha repository_id repository_name developer_id developer_name team_id author_name "
            "author_email subject delivery_sha zero_reason exclusion_reason exclusion_note duplicate_of_sha category "
            "category_method explanation calculation_version",
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
        _columns(
            text="commit_id repository_id delivery_sha path previous_path status language role zero_reason category "
            "category_method category_evidence copied_from calculation_version",
            number="category_confidence",
            integer="line_points_micro file_bonus_micro removed_points_micro role_factor_micro points_micro "
            "effort_micro architecture_factor_micro multiplier_micro etv_micro",
            list="line_classes",
        ),
        (Copy("commit_files", ("commit_id", "delivery_sha", "path")),),
    ),
    Relation(
        "api_v1__line_kinds",
        ("kind",),
        _columns(text="class original_class note", integer="kind tokens rank"),
        (Copy("line_kinds", ("kind",)),),
    ),
    Relation(
        "api_v1__commit_credits",
        ("commit_id", "developer_id"),
        _columns(text="commit_id developer_id team_id role", integer="share_micro etv_micro effort_micro"),
        (Copy("commit_credits", ("commit_id", "developer_id")),),
    ),
    Relation(
        "api_v1__commit_ai_evidence",
        (),
        _columns(text="commit_id tool role signal matched_text", number="confidence"),
        (Copy("commit_ai_evidence", ("commit_id", "tool", "role", "signal", "matched_text")),),
    ),
    Relation(
        "api_v1__commit_origins",
        ("commit_id", "origin_commit_id"),
        _columns(text="commit_id origin_commit_id origin_sha basis", integer="likelihood_micro age_days"),
        (Copy("commit_origins", ("commit_id", "origin_commit_id")),),
    ),
    Relation(
        "api_v1__daily",
        ("delivered_on", "repository_id", "developer_id", "team_id", "category", "is_bot", "is_sandbox"),
        _columns(
            date="delivered_on",
            text="repository_id developer_id team_id category",
            flag="is_bot is_sandbox",
            integer=MEASURES,
        ),
        (
            Copy("daily", ("delivered_on", "repository_id", "developer_id", "team_id", "category", "is_bot")),
            # What a team's lead reads: the rows of each team together.
            Copy(
                "daily_by_team",
                ("team_id", "delivered_on", "repository_id", "developer_id", "category", "is_bot"),
            ),
            Copy(
                "daily_totals",
                ("delivered_on", "category", "is_bot", "is_sandbox"),
                f"delivered_on, category, is_bot, is_sandbox, {SUMS}",
                group=True,
            ),
            Copy(
                "daily_by_repository",
                ("repository_id", "delivered_on", "category", "is_bot", "is_sandbox"),
                f"repository_id, delivered_on, category, is_bot, is_sandbox, {SUMS}",
                group=True,
            ),
            Copy(
                "daily_by_developer",
                ("developer_id", "delivered_on", "team_id", "category", "is_bot", "is_sandbox"),
                f"developer_id, delivered_on, team_id, category, is_bot, is_sandbox, {SUMS}",
                group=True,
            ),
            # Who worked where in a month: what decides which figures too few people made.
            Copy(
                "people_of_months",
                ("month", "team_place", "repository_place", "developer_place", "is_bot", "is_sandbox"),
                "date_trunc('month', delivered_on)::date as month, team_place, repository_place, developer_place, "
                "is_bot, is_sandbox",
                group=True,
                places=("team", "repository", "developer"),
            ),
            # Lists of everybody.
            periods("developer_periods", "developer", "team"),
            periods("repository_periods", "repository"),
            periods("team_periods", "team"),
            # Lists of a team's lead.
            periods("developer_team_periods", "team", "developer"),
            periods("repository_team_periods", "team", "repository"),
        ),
    ),
    Relation(
        "api_v1__team_daily",
        ("delivered_on", "team_id", "repository_id", "developer_id", "category", "is_bot", "is_sandbox"),
        _columns(
            date="delivered_on",
            text="team_id repository_id developer_id category",
            flag="is_bot is_sandbox",
            integer=MEASURES,
        ),
        (
            Copy(
                "team_daily",
                (
                    "team_id",
                    "delivered_on",
                    "repository_id",
                    "developer_id",
                    "category",
                    "is_bot",
                    "is_sandbox",
                ),
            ),
            # The list of all teams: the days of a range together, without whose they are.
            Copy(
                "team_days",
                ("delivered_on", "team_id", "category", "is_bot", "is_sandbox"),
                f"delivered_on, team_id, category, is_bot, is_sandbox, {SUMS}",
                group=True,
            ),
        ),
    ),
    Relation(
        "api_v1__team_members",
        ("developer_id", "start_on"),
        _columns(text="developer_id team_id calculation_version", date="start_on end_on"),
        (Copy("team_members", ("team_id", "developer_id", "start_on"), places=("developer", "team")),),
    ),
    Relation(
        "api_v1__developer_identities",
        ("own_developer_id",),
        _columns(text="own_developer_id developer_id calculation_version"),
        (Copy("developer_identities", ("own_developer_id",)),),
    ),
    Relation(
        "api_v1__performance",
        ("entity_kind", "entity_id", "period", "period_start"),
        _columns(
            text="entity_kind entity_id period calculation_version",
            date="period_start period_end",
            flag="is_draft",
            integer="etv_micro reference_etv_per_week_micro",
            number="developer_weeks reference_developer_weeks performance",
        ),
        (
            Copy("performance", ("entity_kind", "period", "entity_id", "period_start"), places=("entity",)),
            # Lists read one period, or the weeks of a range, of everybody.
            Copy(
                "performance_by_period",
                ("entity_kind", "period", "period_start", "entity_id"),
                places=("entity",),
            ),
        ),
    ),
    Relation(
        "api_v1__movements",
        ("entity_kind", "entity_id", "period", "period_start"),
        _columns(
            text="entity_kind entity_id period calculation_version",
            date="period_start period_end",
            flag="is_draft",
            integer="etv_micro previous_etv_micro changes_micro mix_micro size_micro rework_micro value_micro",
        ),
        (Copy("movements", ("entity_kind", "entity_id", "period", "period_start"), places=("entity",)),),
    ),
    Relation(
        "api_v1__capex",
        ("month", "developer_id"),
        _columns(
            text="organization_id developer_id developer_name primary_email role seniority team_id team policy_version "
            "calculation_version",
            date="month",
            number="hours capex_percent capex_hours opex_hours",
            integer="etv_micro effort_micro capitalizable_effort_micro capitalizable_etv_micro commits",
            flag="dates_inferred is_draft",
        ),
        (Copy("capex", ("month", "developer_id"), places=("developer",)),),
    ),
    Relation(
        "api_v1__billable_developers",
        ("developer_id",),
        _columns(text="developer_id name primary_email", date="renews_on last_delivered_on"),
        (Copy("billable_developers", ("developer_id",)),),
    ),
    Relation(
        "api_v1__capex_evidence",
        ("month", "developer_id", "repository_id", "category", "commit_category"),
        _columns(
            text="developer_id repository_id category commit_category policy_version",
            date="month",
            integer="effort_micro etv_micro commits",
            flag="is_capitalizable",
        ),
        (Copy("capex_evidence", ("month", "developer_id")),),
    ),
)
