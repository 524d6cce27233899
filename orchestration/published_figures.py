"""Sums over days and periods, and who was where in them, as they are to be published.

Add: a relation or column that the API reads.
"""

from orchestration.published_copies import KINDS, MEASURES, SUMS, Copy, periods
from orchestration.published_relation import Relation, columns

FIGURES: tuple[Relation, ...] = (
    Relation(
        "api_v1__daily",
        ("delivered_on", "repository_id", "developer_id", "team_id", "category", "is_bot", "is_sandbox"),
        columns(
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
            # Who worked where in a month, and at what: it decides which figures too few people made.
            Copy(
                "people_of_months",
                ("month", "team_place", "repository_place", "developer_place", "is_bot", "is_sandbox"),
                "date_trunc('month', delivered_on)::date as month, team_place, repository_place, developer_place, "
                f"is_bot, is_sandbox, {KINDS}",
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
        columns(
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
        columns(text="developer_id team_id calculation_version", date="start_on end_on"),
        (Copy("team_members", ("team_id", "developer_id", "start_on"), places=("developer", "team")),),
    ),
    Relation(
        "api_v1__developer_identities",
        ("own_developer_id",),
        columns(text="own_developer_id developer_id calculation_version"),
        (Copy("developer_identities", ("own_developer_id",)),),
    ),
    Relation(
        "api_v1__performance",
        ("entity_kind", "entity_id", "period", "period_start"),
        columns(
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
        columns(
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
        columns(
            text="organization_id developer_id developer_name primary_email role seniority team_id team policy_version "
            "calculation_version",
            date="month",
            number="hours capex_percent capex_percent_low capex_percent_high capex_hours opex_hours",
            integer="etv_micro effort_micro capitalizable_effort_micro capitalizable_etv_micro commits",
            flag="dates_inferred is_draft",
        ),
        (Copy("capex", ("month", "developer_id"), places=("developer",)),),
    ),
    Relation(
        "api_v1__billable_developers",
        ("developer_id",),
        columns(text="developer_id name primary_email", date="renews_on last_delivered_on"),
        (Copy("billable_developers", ("developer_id",)),),
    ),
    Relation(
        "api_v1__capex_evidence",
        ("month", "developer_id", "repository_id", "category", "commit_category"),
        columns(
            text="developer_id repository_id category commit_category policy_version",
            date="month",
            integer="effort_micro etv_micro commits",
            flag="is_capitalizable",
        ),
        (Copy("capex_evidence", ("month", "developer_id")),),
    ),
    Relation(
        "api_v1__uncertain_commits",
        ("commit_id",),
        columns(
            text="commit_id commit_sha subject repository_id repository_name developer_id developer_name team_id "
            "category evidence calculation_version",
            date="month",
            flag="is_draft",
            number="features_probability maintenance_probability fixes_probability",
            integer="effort_micro capitalizable_effort_micro features_capitalizable_micro "
            "maintenance_capitalizable_micro fixes_capitalizable_micro deviation_micro",
        ),
        (Copy("uncertain_commits", ("month", "deviation_micro desc", "commit_id")),),
    ),
)
