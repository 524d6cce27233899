"""Lists of objectives, the tree, and the rows and ids that other reads of alignment need."""

from dataclasses import replace
from datetime import date, timedelta

from api.access.group_privacy.groups import REASON
from api.access.group_privacy.objectives import COUNTED, hidden_objectives
from api.access.row_access import RowAccess
from api.query.columns import id_literals, select_list
from api.query.conditions import Condition, flagged, matching, named, one_of, selected
from api.query.fields import columns_of
from api.query.pages import Page, Position
from api.query.periods import Interval, start_of
from api.read.alignment.parameters import ObjectiveQuery
from api.read.alignment.shapes import Objective, TreeObjective
from api.read.ids import visible_teams
from api.read.lists import Listing
from api.read.organizations import local_date
from api.snapshot.build import Build, Row

COLUMNS = columns_of(Objective)
TREE = columns_of(TreeObjective)
OBJECTIVES = Listing(COLUMNS, "targetDate, title", (COLUMNS["id"],))
# The columns of `listed`, which no mart has.
COMPUTED = ("team_name", "progress", "suppressed_reason")
_FIGURES = ("etv_micro", "commits", "contributor_count", "first_delivered_on", "last_delivered_on")
_PROGRESS = "done_issue_count / nullif(issue_count - canceled_issue_count, 0)"


def list_objectives(
    build: Build, access: RowAccess, query: ObjectiveQuery, position: Position | None
) -> Page:
    """A page of the selected objectives. Default order: earliest target date first.

    Raises InvalidArgument, and the error of `RowAccess.unknown` for an unknown id.
    """
    found = OBJECTIVES.page(
        build,
        query,
        position,
        listed(build, access),
        named("level", query.level),
        named("status_category", query.status_category),
        selected("team_id", visible_teams(build, access, query.team)),
        selected("parent_id", [visible_objective(build, access, query.parent)] if query.parent else []),
        flagged("is_overdue", query.overdue),
        matching(query.search, ("title", "key", "owner_name")),
    )
    return replace(found, after_rows={"nextStep": None if found.total else _next_step(build, access)})


def one_objective(build: Build, access: RowAccess, wanted: str) -> Row:
    """The objective of this id. Raises the error of `RowAccess.unknown`."""
    source = listed(build, access)
    only = one_of("objective_id", [visible_objective(build, access, wanted)]).sql
    return build.rows(
        f"select {select_list(COLUMNS.values())} from ({source.sql}) as listed where {only}",
        source.parameters,
    )[0]


def visible_objective(build: Build, access: RowAccess, wanted: str) -> str:
    """The id of a visible objective as stored. Raises the error of `RowAccess.unknown`."""
    known = one_of("objective_id", [wanted]).sql
    if not build.value(f"select count(*) from {access.table(build, 'objectives')} where {known}"):
        raise access.unknown(f"objective {wanted!r}", of_all=True)
    return wanted.lower()


def and_below(build: Build, access: RowAccess, objective: str) -> list[str]:
    """The ids of an objective and of every visible one below it."""
    (literal,) = id_literals([objective])
    # `union` without `all` also ends at a circle.
    rows = build.rows(
        f"with recursive below as (select {literal} as objective_id union select part.objective_id "
        f"from below join {access.table(build, 'objectives')} as part on part.parent_id = below.objective_id) "
        "select objective_id from below order by objective_id"
    )
    return [row["objective_id"] for row in rows]


def list_tree(build: Build, access: RowAccess) -> Row:
    """Every visible objective with its place in the tree, by target date."""
    rows = build.rows(
        f"select {select_list(TREE.values())} from {access.table(build, 'objectives')} "
        "order by target_on nulls last, title, objective_id"
    )
    return {"objectives": rows, "nextStep": _next_step(build, access)}


def listed(build: Build, access: RowAccess) -> Condition:
    """A query with the visible objectives and the computed columns.

    With a minimum group size, figures cover complete months, and are null where too few people worked.
    """
    teams = f"(select team_id as known_id, name as team_name from {access.table(build, 'teams')})"
    objectives = access.table(build, "objectives")
    if access.has_individuals:
        return Condition(
            f"select objectives.*, teams.team_name, {_PROGRESS} as progress, null::varchar as suppressed_reason "
            f"from {objectives} as objectives left join {teams} as teams on teams.known_id = objectives.team_id"
        )
    last = last_complete_day(build, access)
    few = ", ".join(id_literals(sorted(hidden_objectives(build, access, None, last)))) or "null"
    is_hidden = f"coalesce(objectives.objective_id in ({few}), false)"
    made = ", ".join(f"case when not {is_hidden} then work.{name} end as {name}" for name in _FIGURES)
    return Condition(
        f"select objectives.* replace ({made}, null::bigint as ai_cost_micro, "
        "null::integer as ai_cost_confidence_micro), "
        f"teams.team_name, {_PROGRESS} as progress, "
        f"case when {is_hidden} then '{REASON}' end as suppressed_reason "
        f"from {objectives} as objectives left join {teams} as teams on teams.known_id = objectives.team_id "
        f"left join ({_work(build, access, last)}) as work on work.objective_id = objectives.objective_id"
    )


def last_complete_day(build: Build, access: RowAccess) -> date:
    """The last day of the last complete month."""
    return start_of(Interval.MONTH, local_date(build, access)) - timedelta(days=1)


def _work(build: Build, access: RowAccess, last: date) -> str:
    """A query with the figures of every objective up to a day."""
    return (
        "select objectives.objective_id, coalesce(sum(days.etv_micro), 0)::bigint as etv_micro, "
        "coalesce(sum(days.commits), 0)::bigint as commits, count(distinct days.developer_id) as contributor_count, "
        "min(days.delivered_on) as first_delivered_on, max(days.delivered_on) as last_delivered_on "
        f"from {access.table(build, 'objectives')} as objectives "
        f"left join (select * from {access.table(build, 'objective_days')} where {COUNTED} "
        f"and delivered_on <= date '{last}') as days on days.objective_id = objectives.objective_id "
        "group by objectives.objective_id"
    )


def _next_step(build: Build, access: RowAccess) -> str | None:
    """The remedy where there is no objective at all; None where there is one."""
    if build.value(f"select count(*) from (select 1 from {access.table(build, 'objectives')} limit 1)"):
        return None
    if no_items(build):
        return NO_TRACKER
    if access.is_narrowed and build.value("select count(*) from objectives"):
        return "No objective is of the whole organization or of the teams that you lead."
    return NO_OBJECTIVE


NO_TRACKER = (
    "No issue tracker has given any items to this build. …/connections lists the connected ones with their health; "
    "without one, an owner or admin connects it: POST …/connections. Issues and objectives are here after its first "
    "sync and the next build."
)
NO_OBJECTIVE = (
    "No kind of item of the connected trackers is an objective. An owner or admin sets the levels: "
    "PUT …/connections/{connection}/levels."
)


def no_items(build: Build) -> bool:
    """Whether the build has no item of any tracker."""
    return not build.value(
        "select (select count(*) from (select 1 from issues limit 1)) + "
        "(select count(*) from (select 1 from objectives limit 1))"
    )
