"""Details of an objective: its parts, its issues, its contributors, and its work over time."""

from datetime import date
from typing import Any

from api.access.group_privacy.groups import shown_interval
from api.access.group_privacy.objectives import COUNTED, hidden_objectives
from api.access.row_access import RowAccess
from api.query.conditions import days, one_of
from api.query.periods import Interval, Range, buckets, coarsened, last_of, refuse_backwards, start_of
from api.read.alignment.issues import list_issues
from api.read.alignment.objectives import last_complete_day, list_objectives, one_objective
from api.read.alignment.parameters import IssueQuery, ObjectiveQuery, TimeQuery
from api.read.organizations import local_date
from api.snapshot.build import Build, Row

ISSUES_SHOWN = 100
CONTRIBUTORS_SHOWN = 100


def get_objective(build: Build, access: RowAccess, query: TimeQuery, wanted: str) -> Row:
    """The objective of this id with all that it is made of. Raises the error of `RowAccess.unknown`."""
    found = one_objective(build, access, wanted)
    objective = found["id"]
    parts = ObjectiveQuery.model_validate({"parent": objective})
    below = IssueQuery.model_validate({"objective": objective, "pageSize": ISSUES_SHOWN})
    return found | {
        "subObjectives": list_objectives(build, access, parts, None).rows,
        "issues": list_issues(build, access, below, None).rows,
        "contributors": _contributors(build, access, objective),
        "etvOverTime": _over_time(build, access, objective, query),
    }


def _contributors(build: Build, access: RowAccess, objective: str) -> list[Row]:
    if not access.has_individuals:
        return []
    return build.rows(
        'select work.developer_id as "developerId", people.name as "developerName", '
        "sum(work.etv_micro) / 1e6 as etv, sum(work.commits)::bigint as commits, "
        'min(work.delivered_on) as "firstDeliveredOn", max(work.delivered_on) as "lastDeliveredOn" '
        f"from (select * from {access.table(build, 'objective_days')} "
        f"where {one_of('objective_id', [objective]).sql} and {COUNTED}) as work "
        f"left join {access.table(build, 'developers')} as people on people.developer_id = work.developer_id "
        f"group by all order by etv desc, work.developer_id limit {CONTRIBUTORS_SHOWN}"
    )


def _over_time(build: Build, access: RowAccess, objective: str, query: TimeQuery) -> Row:
    refuse_backwards(query.start_date, query.end_date)
    worked = f"{access.table(build, 'objective_days')} where {one_of('objective_id', [objective]).sql} and {COUNTED}"
    shown = _range(build, access, worked, query)
    interval = shown_interval(access, Interval(query.interval))
    if shown is None:
        return {"interval": interval, "startDate": None, "endDate": None, "points": []}
    interval = coarsened(interval, shown)
    found = {
        row.pop("bucket"): row
        for row in build.rows(
            f"select date_trunc('{interval.sql}', delivered_on)::date as bucket, sum(etv_micro)::bigint as etv_micro, "
            'sum(commits)::bigint as commits, count(distinct developer_id) as "contributorCount" '
            f"from {worked} and {days('delivered_on', shown.first, shown.last).sql} group by 1"
        )
    }
    return {
        "interval": interval,
        "startDate": shown.first,
        "endDate": shown.last,
        "points": _points(build, access, objective, interval, shown, found),
    }


def _range(build: Build, access: RowAccess, worked: str, query: TimeQuery) -> Range | None:
    """The requested days; with a minimum group size, the complete months within them. None without any work."""
    first, last = query.start_date, query.end_date
    if first is None or last is None:
        (ends,) = build.rows(f"select min(delivered_on) as first, max(delivered_on) as last from {worked}")
        first, last = (
            first or ends["first"],
            last or max(filter(None, (ends["last"], query.start_date)), default=None),
        )
    if first is None or last is None or last < first:
        return None
    if access.has_individuals:
        return Range(first, last)
    month = start_of(Interval.MONTH, first)
    last = min(last_of(Interval.MONTH, start_of(Interval.MONTH, last)), last_complete_day(build, access))
    return Range(month, last) if month <= last else None


def _points(
    build: Build, access: RowAccess, objective: str, interval: Interval, shown: Range, found: dict[date, Row]
) -> list[dict[str, Any]]:
    points = []
    total: int | None = 0
    idle = {"etv_micro": 0, "commits": 0, "contributorCount": 0}
    for bucket in buckets(interval, shown, local_date(build, access)):
        few = hidden_objectives(build, access, max(bucket.start, shown.first), min(bucket.end, shown.last))
        is_hidden = objective in few
        work = found.get(bucket.start, idle)
        total = None if is_hidden or total is None else total + work["etv_micro"]
        points.append(
            {
                "start": bucket.start,
                "end": bucket.end,
                "label": bucket.label,
                "weekNumber": bucket.week,
                "isPartial": bucket.is_partial,
                "isDraft": bucket.is_draft,
                "isSuppressed": is_hidden,
                "etv": None if is_hidden else work["etv_micro"] / 1e6,
                "cumulativeEtv": None if total is None else total / 1e6,
                "commits": None if is_hidden else work["commits"],
                "contributorCount": None if is_hidden else work["contributorCount"],
            }
        )
    return points
