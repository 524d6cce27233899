"""AI spend of teams and months in an organization with a minimum group size, without rows of single people.

A team has the usage of all teams below, because the difference of two rows could be one person's. Figures of too few
people are null (access/group_privacy/usage.py). Only known people and US dollars are in them, as in metrics.
"""

from api.access.group_privacy.groups import REASON
from api.access.group_privacy.usage import hidden_usage
from api.access.row_access import RowAccess
from api.errors import InvalidArgument, PermissionDenied
from api.presentation.metrics import METRICS, formulas
from api.query.columns import id_literals
from api.query.conditions import Condition
from api.query.periods import Interval, Range, buckets
from api.read.entities import TEAMS
from api.read.figures.figures import Slice
from api.read.figures.measured import Grouping, measured_sql
from api.read.figures.points import closed_points
from api.read.figures.ranges import range_sql
from api.read.organizations import local_date
from api.snapshot.build import Build

_METRICS = [
    METRICS[name]
    for name in ("etv", "aiCost", "aiCostPerEtv", "aiSessions", "aiLinesSuggested", "aiLinesAccepted")
]
# Figures that need single rows of usage, by column.
_UNKNOWN = (
    "billed_cost_micro", "estimated_cost_micro", "computed_cost_micro", "not_counted_cost_micro",
    "unattributed_cost_micro", "requests", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens",
    "unpriced_tokens", "commits", "active_days", "people",
)  # fmt: skip
_NAMES = ("tool", "model", "model_names", "developer_id", "developer_name", "actor")


def group_rows(
    build: Build, access: RowAccess, group_by: str, asked: Range, teams: tuple[str, ...]
) -> Condition:
    """A query with the columns of AI spend for each team, or for each month of all or one of the teams.

    Raises PermissionDenied for another grouping, and InvalidArgument for months of several teams.
    """
    if group_by == "TEAM":
        found = _teams(build, access, asked, teams)
    elif group_by == "MONTH":
        found = _months(build, access, asked, teams)
    else:
        raise PermissionDenied(
            "this organization hides figures of few people, so AI spend has rows of teams and of months; use "
            "groupBy=TEAM or groupBy=MONTH"
        )
    nothing = ", ".join(
        [f"null::bigint as {name}" for name in _UNKNOWN]
        + [f"null::varchar as {name}" for name in _NAMES]
        + ["null::boolean as is_capped"]
    )
    shown = {
        "etv_micro": "etv",
        "cost_micro": "ai_cost",
        "cost_per_etv_micro": "round(ai_cost_per_etv * 1000000)::bigint",
        "sessions": "ai_sessions",
        "lines_suggested": "ai_lines_suggested",
        "lines_accepted": "ai_lines_accepted",
    }
    values = ", ".join(f"case when not is_hidden then {sql} end as {name}" for name, sql in shown.items())
    return Condition(
        "select group_key, period_start, team_id, team_name, "
        "case when not is_hidden and ai_cost is not null then 'USD' end as currency, "
        f"case when is_hidden then '{REASON}' end as suppressed_reason, {values}, {nothing} from ({found.sql}) "
        "where is_hidden or is_used",
        found.parameters,
    )


def _teams(build: Build, access: RowAccess, asked: Range, teams: tuple[str, ...]) -> Condition:
    figures = range_sql(build, access, TEAMS, asked)
    few = _literals(hidden_usage(build, access, "team", asked))
    wanted = f"teams.team_id in ({_literals(teams)})" if teams else "true"
    return Condition(
        "select teams.team_id as group_key, null::date as period_start, teams.team_id, teams.name as team_name, "
        f"teams.team_id in ({few}) as is_hidden, usage_days is not null as is_used, {formulas(_METRICS)} "
        f"from {access.table(build, 'teams')} as teams left join ({figures.sql}) as figures "
        f"on figures.row_number = teams.position where {wanted}",
        figures.parameters,
    )


def _months(build: Build, access: RowAccess, asked: Range, teams: tuple[str, ...]) -> Condition:
    if len(teams) > 1:
        raise InvalidArgument(
            "team", "a sum over several teams could count people twice; name one team, or use groupBy=TEAM"
        )
    piece = Slice(asked, teams=teams)
    months = buckets(Interval.MONTH, asked, local_date(build, access))
    closed = frozenset(closed_points(build, access, piece, None, months, [None], hidden_usage))
    grouping = Grouping(Interval.MONTH, None, None, closed)
    measured = measured_sql(build, access, piece, grouping, [*_METRICS, METRICS["aiActiveDays"]])
    few = ", ".join(["null", *(f"date '{start}'" for _, start in closed)])
    return Condition(
        "select bucket::varchar as group_key, bucket as period_start, null::varchar as team_id, "
        f"null::varchar as team_name, coalesce(bucket in ({few}), false) as is_hidden, "
        f"ai_active_days is not null as is_used, * from ({measured.sql})",
        measured.parameters,
    )


def _literals(ids: frozenset[str] | tuple[str, ...]) -> str:
    return ", ".join(id_literals(sorted(ids))) or "null"
