"""Backtests: what a kind of check would have found with settings that nobody has stored.

episodes.sql is the query with which the builds judge (dbt_project/check_episodes.py). The measured times of a build are
there for kinds that are off as well.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path

from api.access.row_access import RowAccess
from api.presentation.checks import CheckKind
from api.query.columns import select_list
from api.query.conditions import one_of
from api.query.fields import columns_of
from api.query.periods import Range, refuse_backwards
from api.read.checks.shapes import BacktestedOccurrence
from api.snapshot.build import Build, Row

SQL = Path(__file__).with_name("episodes.sql")
DEFAULT_WEEKS = 13
MAX_LISTED = 200
# What people take for unusual: more than their own median of the last weeks, by these factors.
MEDIAN_WEEKS = 12
WARNING_MULTIPLE = 1.5
CRITICAL_MULTIPLE = 2.0
# The median of fewer values depends on chance.
FEWEST_VALUES = 10
COLUMNS = columns_of(BacktestedOccurrence)
# Where the title, the reference and the page of a thing are, by its kind.
SUBJECTS = {
    "pull_request": ("pull_requests", "pull_request_id", "title", "concat('#', number)", "url"),
    # A page that is null makes null of the whole address.
    "commit": (
        "commits_by_time", "commit_id", "subject", "substr(commit_sha, 1, 12)",
        "(select commit_page from repositories where repositories.repository_id = seen.repository_id) || commit_sha",
    ),
    "issue": ("issues", "issue_id", "title", "key", "url"),
    "objective": ("objectives", "objective_id", "title", "key", "url"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Proposal:
    """Settings of a kind, in millionths of its unit."""

    kind: CheckKind
    threshold_micro: int | None
    critical_micro: int | None
    threshold_multiple_hundredths: int | None = None
    critical_multiple_hundredths: int | None = None


def backtest(
    build: Build, access: RowAccess, proposal: Proposal, first: date | None, last: date | None
) -> Row:
    """The occurrences that opened on these days of the organization, by week, and the newest of them.

    The default range is the last 13 weeks before the build. Raises InvalidArgument.
    """
    refuse_backwards(first, last)
    (organization,) = build.rows("select time_zone, local_date from organizations")
    end = last or organization["local_date"]
    days = Range(first or end - timedelta(days=7 * DEFAULT_WEEKS - 1), end)
    refuse_backwards(days.first, days.last)
    found = f"({judged(build, access, proposal, days, organization['time_zone'])})"
    weeks = build.rows(
        "select week_start, count(*) as occurrences, count(*) filter (where is_critical) as critical, "
        f"count(*) filter (where ended_at is null) as open from {found} group by week_start order by week_start"
    )
    rows = build.rows(
        f"select {select_list(COLUMNS.values())} from {_named(build, access, found)} "
        f"order by opened_at desc, occurrence_id limit {MAX_LISTED}"
    )
    texts = _texts(build, access, rows)
    return {
        "startDate": days.first,
        "endDate": days.last,
        **{name: sum(week[name] for week in weeks) for name in ("occurrences", "critical", "open")},
        "weeks": [
            {
                "weekStart": week["week_start"],
                "occurrences": week["occurrences"],
                "critical": week["critical"],
            }
            for week in weeks
        ],
        **_usual(build, access, proposal.kind),
        "checkOccurrences": [row | texts.get(row["subjectId"], {}) for row in rows],
    }


def judged(build: Build, access: RowAccess, proposal: Proposal, days: Range, time_zone: str) -> str:
    """SQL with the episodes that opened on these days of the organization."""
    local = f"timezone('{time_zone}', opened_at)"
    return (
        f"with fct_check_stretches as (select * from {access.table(build, 'check_stretches')} "
        f"where kind = '{proposal.kind.name}'), "
        f"int_checks__kinds as ({_setting(proposal)}), "
        f"int_pull_requests__working_days as (select * from {access.table(build, 'working_days')}), "
        "int_organization as (select organization_id, as_of from organizations) "
        f"select *, cast(date_trunc('week', {local}) as date) as week_start from ({episodes_query()}) as episodes "
        f"where cast({local} as date) between date '{days.first}' and date '{days.last}'"
    )


@cache
def episodes_query() -> str:
    """The query of the builds, over tables with the names of their models."""
    return SQL.read_text()


def _usual(build: Build, access: RowAccess, kind: CheckKind) -> Row:
    """The median of what the kind measured in the whole weeks before that of the build, and thresholds that follow.

    Multiples of this median apply to what begins in the week of the build (fct_check_stretches). Clocks count when
    they ended, other values when they began.
    """
    unit, is_clock = _unit_seconds(kind), _is_clock(kind)
    measured = f"(worked_at_end - worked_at_start) / ({unit})" if is_clock else "value_micro"
    time = f"timezone(time_zone, {'ended_at' if is_clock else 'started_at'})"
    (found,) = build.rows(
        "select count(measured) as measured_count, median(measured) / 1e6 as median from ("
        f"select {measured} as measured from {access.table(build, 'check_stretches')} "
        "cross join (select time_zone, date_trunc('week', local_date) as monday from organizations) "
        f"where kind = '{kind.name}' and {time} >= monday - interval {7 * MEDIAN_WEEKS} days and {time} < monday)"
    )
    # Small values are occurrences of some kinds, and the usual says nothing about these.
    is_known = found["measured_count"] >= FEWEST_VALUES and not kind.is_below and kind.threshold is not None
    median = round(found["median"], 2) if is_known else None
    return {
        "ownMedian": median,
        "suggestedThreshold": None if median is None else round(median * WARNING_MULTIPLE, 2),
        "suggestedCritical": None if median is None else round(median * CRITICAL_MULTIPLE, 2),
    }


def _is_clock(kind: CheckKind) -> bool:
    return kind.unit in ("working_hours", "working_days", "calendar_days")


def _unit_seconds(kind: CheckKind) -> str:
    """SQL of the time of one unit in seconds."""
    units = {
        "working_hours": "3600::bigint",
        "working_days": "(select max(seconds_per_day) from working_days)",
        "calendar_days": "86400::bigint",
    }
    return units.get(kind.unit, "null::bigint")


def _setting(proposal: Proposal) -> str:
    kind = proposal.kind
    values = {
        "kind": f"'{kind.name}'",
        "is_on": "true",
        "is_below": str(kind.is_below).lower(),
        "is_clock": str(_is_clock(kind)).lower(),
        "is_calendar": str(kind.unit == "calendar_days").lower(),
        "lasting_days": _integer(kind.lasting_days),
        "threshold_micro": _integer(proposal.threshold_micro),
        "critical_micro": _integer(proposal.critical_micro),
        "threshold_multiple_hundredths": _integer(proposal.threshold_multiple_hundredths),
        "critical_multiple_hundredths": _integer(proposal.critical_multiple_hundredths),
        "unit_seconds": _unit_seconds(kind),
    }
    return f"select {', '.join(f'{value} as {name}' for name, value in values.items())}"


def _integer(value: int | None) -> str:
    return f"{'null' if value is None else value}::bigint"


def _named(build: Build, access: RowAccess, found: str) -> str:
    """The rows with the names of repository and person."""
    return (
        "(select found.*, repositories.name as repository_name, developers.name as developer_name, "
        "case when is_critical then 'critical' else 'warning' end as severity, "
        "null::varchar as subject_reference, null::varchar as url "
        f"from {found} as found "
        f"left join {access.table(build, 'repositories')} as repositories using (repository_id) "
        f"left join {access.table(build, 'developers')} as developers using (developer_id))"
    )


def _texts(build: Build, access: RowAccess, rows: list[Row]) -> dict[str, Row]:
    """Title, reference and page of the things of these rows, by id."""
    found: dict[str, Row] = {
        row["subjectId"]: {"subjectTitle": row["repositoryName"]}
        for row in rows
        if row["subjectType"] == "REPOSITORY"
    }
    for kind, (table, key, title, reference, url) in SUBJECTS.items():
        ids = [row["subjectId"] for row in rows if row["subjectType"] == kind.upper()]
        if ids:
            found |= {
                one.pop("id"): one
                for one in build.rows(
                    f"select {key} as id, {title} as subjectTitle, {reference} as subjectReference, {url} as url "
                    f"from {access.table(build, table)} as seen where {one_of(key, ids).sql}"
                )
            }
    teams = [row["subjectId"] for row in rows if row["subjectType"] == "TEAM"]
    if teams:
        found |= {
            one["team_id"]: {"subjectTitle": one["name"]}
            for one in build.rows(
                f"select team_id, name from {access.table(build, 'teams')} where {one_of('team_id', teams).sql}"
            )
        }
    return found
