"""AI spend over a range of days, by tool, model, person, team, week or month."""

from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field

from api.access.row_access import RowAccess
from api.query.columns import Column, Kind
from api.query.conditions import Condition, both, days, named, selected
from api.query.fields import columns_of
from api.query.pages import Page, Position
from api.query.parameters import Filter, FirstDay, Id, LastDay, OneOf, OrderBy, PageQuery, several
from api.query.periods import Range, chosen_range
from api.read.ai_usage.shapes import AiSpendRow
from api.read.entities import DEVELOPERS
from api.read.ids import visible_ids, visible_teams
from api.read.lists import Listing
from api.read.organizations import local_date
from api.snapshot.build import Build

SPEND = Listing(columns_of(AiSpendRow), "cost desc", (Column("group_key", Kind.TEXT, "group_key"),))
UNATTRIBUTED = "unattributed"
NO_USAGE = "No AI tool reports usage: connect one with `eas connect`, or let tools send telemetry with an ingest token."


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
    "MODEL": Grouping("model"),
    "DEVELOPER": Grouping(
        f"coalesce(developer_id, 'actor ' || coalesce(actor, '{UNATTRIBUTED}'))",
        ("daily_by_developer", "developer_id"),
    ),
    "TEAM": Grouping("team_id", ("daily_by_team", "team_id")),
    "WEEK": Grouping(_start("week", "used_on"), ("daily", _start("week", "delivered_on"))),
    "MONTH": Grouping(_start("month", "used_on"), ("daily", _start("month", "delivered_on"))),
}


class AiSpendQuery(PageQuery):
    """Parameters of the list of AI spend."""

    start_date: FirstDay = None
    end_date: LastDay = None
    group_by: Annotated[str, OneOf(*GROUPINGS)] = Field("TOOL", description="What a row stands for.")
    tool: list[str] = Field([], max_length=50, description="Names of tools, such as `claude_code`.")
    developer: list[Id] = several("Ids of developers.")
    team: list[Id] = Field(
        [],
        max_length=50,
        description="Ids of teams, each including its sub-teams: usage of people in one of these teams on the day.",
    )
    filter: Filter = ""
    order_by: OrderBy = ""


def list_spend(build: Build, access: RowAccess, query: AiSpendQuery, position: Position | None) -> Page:
    """A page of AI spend. Default order: highest cost first.

    Raises InvalidArgument, PermissionDenied, and the error of `RowAccess.unknown` for an unknown id.
    """
    access.refuse_closed("ai_usage")
    asked = chosen_range(query.start_date, query.end_date, local_date(build, access))
    people = visible_ids(build, access, DEVELOPERS, query.developer)
    teams = visible_teams(build, access, query.team)
    wanted = both(
        days("used_on", asked.first, asked.last),
        named("tool", query.tool),
        selected("developer_id", people),
        selected("team_id", teams),
    )
    source = _rows(build, access, GROUPINGS[query.group_by], query.group_by, asked, wanted, (people, teams))
    found = SPEND.page(build, query, position, source)
    facts = {"nextStep": _next_step(build, access), "startDate": asked.first, "endDate": asked.last}
    return replace(found, after_rows=facts)


def _rows(
    build: Build,
    access: RowAccess,
    grouping: Grouping,
    name: str,
    asked: Range,
    wanted: Condition,
    selection: tuple[tuple[str, ...], tuple[str, ...]],
) -> Condition:
    """A query with the columns of the list. Amounts of one currency share a row."""
    usage = access.table(build, "ai_usage")
    tokens = "input_tokens", "cache_read_tokens", "output_tokens", "requests"
    counted = ", ".join(f"sum({one}) filter (counts_tokens)::bigint as {one}" for one in tokens)
    activity = ", ".join(
        f"sum({one}) filter (counts_activity)::bigint as {one}"
        for one in ("sessions", "lines_suggested", "lines_accepted", "commits")
    )
    written = "coalesce(cache_write_5m_tokens, 0) + coalesce(cache_write_1h_tokens, 0)"
    every = (
        f"coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0) + {written} + coalesce(output_tokens, 0)"
    )
    money = ", ".join(
        f"{_micro(condition)} as {column}"
        for column, condition in (
            ("billed_cost_micro", "counts_cost and cost_basis = 'billed'"),
            (
                "estimated_cost_micro",
                "counts_cost and cost_basis in ('vendor_estimated', 'client_estimated')",
            ),
            ("computed_cost_micro", "counts_cost and cost_basis = 'computed'"),
            ("not_counted_cost_micro", "not counts_cost"),
        )
    )
    etv, join = "null::bigint", ""
    if grouping.etv is not None:
        table, key = grouping.etv
        condition = both(
            days("delivered_on", asked.first, asked.last),
            Condition("not is_bot and not is_sandbox"),
            selected("developer_id", selection[0]),
            selected("team_id", selection[1]),
        )
        work = (
            f"select {key} as work_key, sum(etv_micro)::bigint as etv_micro from {access.table(build, table)} "
            f"where {condition.sql} group by 1"
        )
        etv, join = "work.etv_micro", f" left join ({work}) as work on spent.grouped = work.work_key"
    is_person, is_time = name == "DEVELOPER", name in ("WEEK", "MONTH")
    sql = (
        f"with usage as (select *, {grouping.key} as grouped from {usage} where {wanted.sql}), "
        # Rows without an amount belong to the currency of the others.
        "placed as (select *, coalesce(cost_currency, max(cost_currency) over (partition by grouped)) as currency "
        "from usage), "
        "spent as (select grouped, currency, max(developer_id) as developer_id, max(actor) as actor, "
        f"case when count(*) filter (counts_cost) > 0 then {_micro('counts_cost')} end as cost_micro, {money}, "
        f"{counted}, sum({written}) filter (counts_tokens)::bigint as cache_write_tokens, "
        f"coalesce(sum({every}) filter (counts_tokens and unpriced_reason is not null), 0)::bigint as unpriced_tokens, "
        f"{activity}, count(distinct used_on) filter (is_active)::bigint as active_days, "
        "count(distinct developer_id)::bigint as people from placed group by grouped, currency) "
        "select concat(cast(spent.grouped as varchar), ' ', spent.currency) as group_key, spent.* exclude "
        "(grouped, developer_id, actor), "
        f"{'spent.grouped' if name == 'TOOL' else 'null::varchar'} as tool, "
        f"{'spent.grouped' if name == 'MODEL' else 'null::varchar'} as model, "
        f"{'spent.developer_id' if is_person else 'null::varchar'} as developer_id, "
        f"{'people.name' if is_person else 'null::varchar'} as developer_name, "
        + (
            f"case when spent.developer_id is null then coalesce(spent.actor, '{UNATTRIBUTED}') end"
            if is_person
            else "null::varchar"
        )
        + f" as actor, {'spent.grouped' if name == 'TEAM' else 'null::varchar'} as team_id, "
        f"{'groups.name' if name == 'TEAM' else 'null::varchar'} as team_name, "
        f"{'spent.grouped' if is_time else 'null::date'} as period_start, {etv} as etv_micro, "
        f"case when {etv} > 0 then round(spent.cost_micro * 1000000.0 / {etv})::bigint end as cost_per_etv_micro "
        f"from spent{join}"
    )
    if is_person:
        sql += f" left join {access.table(build, 'developers')} as people on spent.developer_id = people.developer_id"
    if name == "TEAM":
        sql += f" left join {access.table(build, 'teams')} as groups on spent.grouped = groups.team_id"
    return Condition(f"select * from ({sql})", wanted.parameters)


def _micro(condition: str) -> str:
    """SQL of a sum of money in millionths."""
    return f"coalesce(round(sum(cost_nano) filter ({condition}) / 1000), 0)::bigint"


def _next_step(build: Build, access: RowAccess) -> str | None:
    """The remedy where there is no usage at all; None where there is some."""
    if build.value(f"select count(*) from (select 1 from {access.table(build, 'ai_usage')} limit 1)"):
        return None
    if access.is_narrowed and build.value("select count(*) from (select 1 from ai_usage limit 1)"):
        return "No usage is yours." if access.own is not None else "No usage is of a team that you lead."
    return NO_USAGE
