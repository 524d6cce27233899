"""AI spend over a range of days, by tool, model, person, team, week or month."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field

from api.access.group_privacy.groups import shown_range
from api.access.row_access import NO_INDIVIDUALS, RowAccess
from api.errors import PermissionDenied
from api.presentation.usage_measures import capped
from api.query.columns import Column, Kind
from api.query.conditions import Condition, both, days, named, selected
from api.query.fields import columns_of
from api.query.pages import Page, Position
from api.query.parameters import OneOf
from api.query.periods import Range, chosen_range
from api.read.ai_usage.groups import group_rows
from api.read.ai_usage.shapes import AiSpendRow
from api.read.ai_usage.switches import refuse_switched_off
from api.read.ai_usage.usage_query import UsageQuery
from api.read.entities import DEVELOPERS, TEAMS
from api.read.ids import visible_ids, visible_teams
from api.read.lists import Listing
from api.read.organizations import local_date
from api.snapshot.build import Build

SPEND = Listing(columns_of(AiSpendRow), "cost desc", (Column("group_key", Kind.TEXT, "group_key"),))
UNATTRIBUTED = "unattributed"
NO_USAGE = (
    "No AI tool reports usage. An owner or admin connects one (POST …/connections), or tools send telemetry with an "
    "ingest token."
)


@dataclass(frozen=True)
class Grouping:
    """`key` is SQL over usage; `etv` the table of work and the key of its rows, where work has the same grouping."""

    key: str
    etv: tuple[str, str] | None = None


def _start(unit: str, day: str) -> str:
    """SQL of the first day of the week or month of a day."""
    return f"cast(date_trunc('{unit}', {day}) as date)"


GROUPINGS = {
    "TOOL": Grouping("tool"),
    "MODEL": Grouping("coalesce(common_model, model)"),
    "DEVELOPER": Grouping(
        f"coalesce(developer_id, 'actor ' || coalesce(actor, '{UNATTRIBUTED}'))",
        ("daily_by_developer", "developer_id"),
    ),
    "TEAM": Grouping("team_id", ("daily_by_team", "team_id")),
    "WEEK": Grouping(_start("week", "used_on"), ("daily", _start("week", "delivered_on"))),
    "MONTH": Grouping(_start("month", "used_on"), ("daily", _start("month", "delivered_on"))),
}


class AiSpendQuery(UsageQuery):
    """Parameters of the list of AI spend."""

    group_by: Annotated[str, OneOf(*GROUPINGS)] = Field("TOOL", description="What a row stands for.")


def list_spend(build: Build, access: RowAccess, query: AiSpendQuery, position: Position | None) -> Page:
    """A page of AI spend. Default order: highest cost first.

    Raises InvalidArgument, PermissionDenied, and the error of `RowAccess.unknown` for an unknown id.
    """
    source, asked = _source(build, access, query)
    found = SPEND.page(build, query, position, source)
    facts = {"nextStep": _next_step(build, access), "startDate": asked.first, "endDate": asked.last}
    return replace(found, after_rows=facts)


def spend_batches(build: Build, access: RowAccess, query: AiSpendQuery) -> Iterator[list[tuple[Any, ...]]]:
    """All rows of AI spend in batches. Raises as `list_spend`."""
    yield from SPEND.batches(build, query, _source(build, access, query)[0])


def _source(build: Build, access: RowAccess, query: AiSpendQuery) -> tuple[Condition, Range]:
    """A query with the columns of the list, and the days that it sums."""
    refuse_switched_off(access, query.group_by, developers=bool(query.developer), teams=bool(query.team))
    if not access.has_individuals:
        return _of_groups(build, access, query)
    asked = chosen_range(query.start_date, query.end_date, local_date(build, access))
    people = visible_ids(build, access, DEVELOPERS, query.developer)
    teams = visible_teams(build, access, query.team)
    wanted = both(
        days("used_on", asked.first, asked.last),
        named("tool", query.tool),
        selected("developer_id", people),
        selected("team_id", teams),
    )
    return _rows(build, access, _Asked(query.group_by, asked, people, teams), wanted), asked


def _of_groups(build: Build, access: RowAccess, query: AiSpendQuery) -> tuple[Condition, Range]:
    """The list with a minimum group size: complete months of teams, or of all."""
    if query.developer or query.tool:
        raise PermissionDenied(NO_INDIVIDUALS)
    asked = shown_range(access, query.start_date, query.end_date, local_date(build, access))
    teams = visible_ids(build, access, TEAMS, query.team)
    return group_rows(build, access, query.group_by, asked, teams), asked


@dataclass(frozen=True)
class _Asked:
    """What a request selects: the grouping by its name, the days, and the people and teams; none of them means all."""

    name: str
    days: Range
    people: tuple[str, ...]
    teams: tuple[str, ...]

    @property
    def grouping(self) -> Grouping:
        return GROUPINGS[self.name]


def _rows(build: Build, access: RowAccess, asked: _Asked, wanted: Condition) -> Condition:
    """A query with the columns of the list. Amounts of one currency share a row."""
    usage = access.table(build, "ai_usage")
    placed = (
        f"select *, {asked.grouping.key} as grouped, "
        # Rows without an amount belong to the currency of the others.
        "coalesce(cost_currency, max(cost_currency) over (partition by grouped)) as currency "
        f"from {usage} where {wanted.sql}"
    )
    work = _work(build, access, asked)
    etv = "work.etv_micro" if work else "null::bigint"
    shown = _names(asked.name) | {
        "etv_micro": etv,
        "suppressed_reason": "null::varchar",
        # ETV is that of known people, so the cost beside it is theirs.
        "cost_per_etv_micro": f"case when {etv} > 0 then "
        + capped(f"round((spent.cost_micro - spent.unattributed_cost_micro) * 1000000.0 / {etv})")
        + " end",
    }
    named = ", ".join(f"{sql} as {column}" for column, sql in shown.items())
    sql = (
        f"select concat(cast(spent.grouped as varchar), ' ', spent.currency) as group_key, "
        f"spent.* exclude (grouped, developer_id, actor, model_names), {named} from ({_sums(placed)}) as spent"
    )
    if work:
        sql += f" left join ({work}) as work on spent.grouped = work.work_key"
    if asked.name == "DEVELOPER":
        sql += f" left join {access.table(build, 'developers')} as people on spent.developer_id = people.developer_id"
    if asked.name == "TEAM":
        sql += f" left join {access.table(build, 'teams')} as groups on spent.grouped = groups.team_id"
    return Condition(f"select * from ({sql})", wanted.parameters)


def _sums(placed: str) -> str:
    """A query that sums rows of usage by group and currency."""
    written = "coalesce(cache_write_5m_tokens, 0) + coalesce(cache_write_1h_tokens, 0)"
    every = (
        f"coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0) + {written} + coalesce(output_tokens, 0)"
    )
    columns = {
        "cost_micro": f"case when count(*) filter (counts_cost) > 0 then {_micro('counts_cost')} end",
        "billed_cost_micro": _micro("counts_cost and cost_basis = 'billed'"),
        "estimated_cost_micro": _micro(
            "counts_cost and cost_basis in ('vendor_estimated', 'client_estimated')"
        ),
        "computed_cost_micro": _micro("counts_cost and cost_basis = 'computed'"),
        "not_counted_cost_micro": _micro("not counts_cost"),
        "unattributed_cost_micro": _micro("counts_cost and developer_id is null"),
        **{
            name: capped(f"sum({name}) filter (counts_tokens)")
            for name in ("input_tokens", "cache_read_tokens", "output_tokens", "requests")
        },
        "cache_write_tokens": capped(f"sum({written}) filter (counts_tokens)"),
        "unpriced_tokens": capped(
            f"coalesce(sum({every}) filter (counts_tokens and unpriced_reason is not null), 0)"
        ),
        **{
            name: capped(f"sum({name}) filter (counts_activity)")
            for name in ("sessions", "lines_suggested", "lines_accepted", "commits")
        },
        "active_days": "count(distinct used_on) filter (is_active)::bigint",
        "people": "count(distinct developer_id)::bigint",
        "is_capped": "coalesce(bool_or(is_capped), false)",
    }
    summed = ", ".join(f"{sql} as {column}" for column, sql in columns.items())
    return (
        f"select grouped, currency, max(developer_id) as developer_id, max(actor) as actor, "
        f"string_agg(distinct model, ', ' order by model) as model_names, {summed} "
        f"from ({placed}) group by grouped, currency"
    )


def _work(build: Build, access: RowAccess, asked: _Asked) -> str | None:
    """A query with the ETV of each group; None for a grouping that work does not have."""
    if asked.grouping.etv is None:
        return None
    table, key = asked.grouping.etv
    condition = both(
        days("delivered_on", asked.days.first, asked.days.last),
        Condition("not is_bot and not is_sandbox"),
        selected("developer_id", asked.people),
        selected("team_id", asked.teams),
    )
    return (
        f"select {key} as work_key, sum(etv_micro)::bigint as etv_micro from {access.table(build, table)} "
        f"where {condition.sql} group by 1"
    )


def _names(grouping: str) -> dict[str, str]:
    """SQL of the columns that say what a row stands for. Those of other groupings are null."""
    nothing = dict.fromkeys(
        ("tool", "model", "model_names", "developer_id", "developer_name", "actor", "team_id", "team_name"),
        "null::varchar",
    ) | {"period_start": "null::date"}
    match grouping:
        case "TOOL":
            found = {"tool": "spent.grouped"}
        case "MODEL":
            found = {"model": "spent.grouped", "model_names": "spent.model_names"}
        case "DEVELOPER":
            unknown = f"coalesce(spent.actor, '{UNATTRIBUTED}')"
            found = {
                "developer_id": "spent.developer_id",
                "developer_name": "people.name",
                "actor": f"case when spent.developer_id is null then {unknown} end",
            }
        case "TEAM":
            found = {"team_id": "spent.grouped", "team_name": "groups.name"}
        case _:
            found = {"period_start": "spent.grouped"}
    return nothing | found


def _micro(condition: str) -> str:
    """SQL of a sum of money in millionths."""
    return capped(f"coalesce(round(sum(cost_nano) filter ({condition}) / 1000), 0)")


def _next_step(build: Build, access: RowAccess) -> str | None:
    """The remedy where there is no usage at all; None where there is some."""
    seen = access.table(build, "ai_usage") if access.has_individuals else "ai_usage"
    if build.value(f"select count(*) from (select 1 from {seen} limit 1)"):
        return None
    if access.is_narrowed and build.value("select count(*) from (select 1 from ai_usage limit 1)"):
        return "No usage is yours." if access.own is not None else "No usage is of a team that you lead."
    return NO_USAGE
