"""Lists with random row access over random ranges, compared with loops over all daily rows."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from types import ModuleType
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.access.row_access import RowAccess
from api.control.visibility import LedTeam
from api.query.parameters import FigureQuery
from api.query.periods import Interval, Range, last_of, parts_of, start_of
from api.read import developers, repositories, teams
from api.read.entities import DEVELOPERS, REPOSITORIES, TEAMS, Entity
from api.read.figures.entities import entity_page
from api.read.figures.ranges import listed_sql, range_sql
from api.snapshot.build import Build
from api.snapshot.builds import Builds
from tests.api.conftest import Deployment
from tests.api.published_facts import ORGANIZATION, UNIT
from tests.suite.tiers import fewer

FIRST, LAST = date(2025, 11, 1), date(2026, 12, 31)
LISTS: dict[str, tuple[Entity, ModuleType]] = {
    "developers": (DEVELOPERS, developers),
    "repositories": (REPOSITORIES, repositories),
    "teams": (TEAMS, teams),
}
SUMMED = {
    "etv": UNIT,
    "effort": UNIT,
    "points": UNIT,
    "commits": 1,
    "files": 1,
    "linesAdded": 1,
}
STORED = {
    "etv": "etv_micro", "effort": "effort_micro", "points": "points_micro", "commits": "commits",
    "files": "files", "linesAdded": "lines_added",
}  # fmt: skip
USED = {
    "aiCost": "usage_cost_nano", "aiTokens": "usage_tokens", "aiActiveDays": "usage_days",
    "aiSessions": "usage_sessions", "aiLinesSuggested": "usage_lines_suggested",
    "aiLinesAccepted": "usage_lines_accepted",
}  # fmt: skip
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def build(deployed: Deployment) -> Iterator[Build]:
    builds = Builds(deployed.data_dir / "published" / ORGANIZATION, 256)
    opened = builds.lease_current()
    yield opened
    builds.release(opened)
    builds.close()


@pytest.fixture(scope="module")
def warehouse(deployed: Deployment) -> dict[str, Rows]:
    """Every daily row, team and membership from the models."""
    with duckdb.connect(str(deployed.warehouse), read_only=True) as connection:
        return {
            name: connection.execute(f"select * from api_v1__{name}").to_arrow_table().to_pylist()
            for name in ("daily", "teams", "team_members", "commits", "ai_days", "ai_costs")
        }


ranges = st.tuples(st.integers(0, 425), st.integers(0, 425)).map(
    lambda ends: Range(FIRST + timedelta(days=min(ends)), FIRST + timedelta(days=max(ends)))
)


@given(ranges)
def test_years_months_and_days_are_each_day_of_the_range_once(days: Range) -> None:
    found: list[date] = []
    for interval, part in parts_of(days):
        assert start_of(interval, part.first) == part.first
        assert last_of(interval, start_of(interval, part.last)) == part.last
        found += [part.first + timedelta(days=n) for n in range(part.length)]
    assert found == [days.first + timedelta(days=n) for n in range(days.length)]
    assert sum(part.length for interval, part in parts_of(days) if interval is Interval.DAY) <= 60


def led_scope(rows: Rows, led: set[str]) -> RowAccess:
    """The row access of a lead of these teams and all below."""
    above = {row["team_id"]: row["parent_id"] for row in rows}
    visible = {key for key in above if led & set(_and_above(key, above))}
    return RowAccess(
        ORGANIZATION,
        teams=tuple(LedTeam(key, above[key] if above[key] in visible else None) for key in sorted(visible)),
    )


def _and_above(key: str | None, above: Mapping[str, str | None]) -> list[str]:
    found: list[str] = []
    while key is not None:
        found.append(key)
        key = above[key]
    return found


def add_usage(
    sums: dict[str, dict[str, float]], data: dict[str, Rows], led: set[str] | None, kind: str, days: Range
) -> None:
    """Add what AI tools were used for. Repositories have the cost of their commits."""
    if kind == "repositories":
        bots = {row["developer_id"] for row in data["daily"] if row["is_bot"]}
        for row in data["ai_costs"]:
            is_seen = (led is None or row["team_id"] in led) and row["developer_id"] not in bots
            is_seen = is_seen and row["cost_currency"] == "USD"
            if is_seen and days.first <= row["used_on"] <= days.last and row["repository_id"] in sums:
                sums[row["repository_id"]]["aiCost"] += row["cost_nano"]
        return
    above = {row["team_id"]: row["parent_id"] for row in data["teams"]}
    for row in data["ai_days"]:
        if led is not None and row["team_id"] not in led:
            continue
        if not days.first <= row["used_on"] <= days.last or (row["is_bot"] and kind != "developers"):
            continue
        keys = {
            "developers": [row["developer_id"]],
            "teams": _and_above(row["team_id"], above) if row["team_id"] in above else [],
        }[kind]
        for key in keys:
            for name, stored in USED.items():
                if key in sums and row[stored] is not None:
                    sums[key][name] += row[stored]


def expected(data: dict[str, Rows], scope: RowAccess, kind: str, days: Range) -> dict[str, dict[str, float]]:
    """The expected figures of the range for each visible entity."""
    teams_ = None if scope.teams is None else {team.id for team in scope.teams}
    above = {row["team_id"]: row["parent_id"] for row in data["teams"]}
    if kind == "developers":
        members = [row for row in data["team_members"] if teams_ is None or row["team_id"] in teams_]
        shown = {row["developer_id"] for row in members}
        if teams_ is None:
            shown |= {row["developer_id"] for row in data["commits"]}
    elif kind == "repositories":
        shown = {
            row["repository_id"] for row in data["commits"] if teams_ is None or row["team_id"] in teams_
        }
    else:
        shown = set(above) if teams_ is None else set(teams_)
    sums: dict[str, dict[str, float]] = {key: defaultdict(float) for key in shown}
    for row in data["daily"]:
        if teams_ is not None and row["team_id"] not in teams_:
            continue
        if not days.first <= row["delivered_on"] <= days.last:
            continue
        if (row["is_bot"] and kind != "developers") or (row["is_sandbox"] and kind != "repositories"):
            continue
        keys = {
            "developers": [row["developer_id"]],
            "repositories": [row["repository_id"]],
            "teams": _and_above(row["team_id"], above) if row["team_id"] in above else [],
        }[kind]
        for key in keys:
            if key in sums:
                for name, stored in STORED.items():
                    sums[key][name] += row[stored]
                sums[key]["signs"] += row["ai_commits"] + row["ai_etv_micro"]
                sums[key]["aiCommits"] += row["ai_commits"]
    add_usage(sums, data, teams_, kind, days)
    return sums


def shown(sums: Mapping[str, float], name: str) -> Any:
    """A figure of usage: null without any."""
    if name == "aiCommits":
        return (
            int(sums.get(name, 0)) if sums.get("signs") or {"aiActiveDays", "aiCost"} & sums.keys() else None
        )
    if name == "aiCostPerEtv":
        cost, etv = sums.get("aiCost"), sums.get("etv")
        return None if cost is None or not etv else pytest.approx(cost / 1e3 / etv)
    found = sums.get(name)
    return found if found is None or name != "aiCost" else pytest.approx(found / 1e9, abs=1e-6)


def listed(
    build: Build, scope: RowAccess, kind: str, days: Range, filter_: str = ""
) -> tuple[Rows, Any, int]:
    """Every page of a list, its totals and its size."""
    entity, resource = LISTS[kind]
    query = FigureQuery.model_validate(
        {"startDate": days.first, "endDate": days.last, "filter": filter_, "pageSize": 1000}
    )
    page = entity_page(build, scope, entity, resource.COLUMNS, resource.SEARCHED, query, None)
    assert page.next_values is None
    return page.rows, page.after_rows.get("totals"), page.total


@settings(max_examples=fewer(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), days=ranges, kind=st.sampled_from(sorted(LISTS)))
def test_every_scope_lists_what_a_loop_over_all_rows_finds(
    build: Build, warehouse: dict[str, Rows], data: st.DataObject, days: Range, kind: str
) -> None:
    keys = sorted(row["team_id"] for row in warehouse["teams"])
    led = data.draw(st.none() | st.sets(st.sampled_from(keys), max_size=4), label="led")
    scope = RowAccess(ORGANIZATION) if led is None else led_scope(warehouse["teams"], led)
    wanted = expected(warehouse, scope, kind, days)
    rows, totals, size = listed(build, scope, kind, days)
    assert {row["id"] for row in rows} == set(wanted)
    assert size == len(wanted)
    for row in rows:
        for name, unit in SUMMED.items():
            assert row[name] == pytest.approx(wanted[row["id"]][name] / unit, abs=1e-6), (
                kind,
                row["id"],
                name,
            )
        for name in (*USED, "aiCommits", "aiCostPerEtv"):
            assert row[name] == shown(wanted[row["id"]], name), (kind, row["id"], name)
    assert [row["etv"] for row in rows] == sorted((row["etv"] for row in rows), reverse=True)
    some, part, few = listed(build, scope, kind, days, "etv > 3")
    assert {row["id"] for row in some} == {row["id"] for row in rows if row["etv"] > 3}
    assert few == len(some)
    if kind != "teams":
        outside = "isBot" if kind == "developers" else "isSandbox"
        counted = [row for row in some if not row[outside]]
        assert part["etv"] == pytest.approx(sum(row["etv"] for row in counted), abs=1e-5)
        assert part["commits"] == sum(row["commits"] for row in counted)
        assert totals["commits"] >= part["commits"]
        costs = [row["aiCost"] for row in counted if row["aiCost"] is not None]
        assert part["aiCost"] == (pytest.approx(sum(costs), abs=1e-5) if costs else None)


@settings(max_examples=fewer(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), days=ranges)
def test_a_range_shows_a_lead_no_performance_that_all_days_do_not(
    build: Build, warehouse: dict[str, Rows], data: st.DataObject, days: Range
) -> None:
    """Work for other teams is only checked within the range, so a figure must not depend on days outside it."""
    keys = sorted(row["team_id"] for row in warehouse["teams"])
    scope = led_scope(warehouse["teams"], data.draw(st.sets(st.sampled_from(keys), min_size=1, max_size=4)))
    key = "entity_kind, entity_id, period, period_start"
    of_range, of_all = (
        {tuple(row.values()) for row in build.rows(f"select {key} from {table} as rows")}
        for table in (
            scope.table(build, "performance_by_period", days),
            scope.table(build, "performance_by_period"),
        )
    )
    assert of_range <= of_all


@pytest.mark.parametrize(
    ("days", "weeks_needed", "reason"),
    [
        (Range(date(2026, 9, 1), date(2026, 9, 30)), 26, None),
        (Range(date(2026, 9, 1), date(2026, 9, 30)), 151, "no_comparison_yet"),
        (Range(date(2026, 9, 1), date(2026, 9, 28)), 26, None),
        (Range(date(2026, 9, 1), date(2026, 9, 28)), 151, "no_comparison_yet"),
        (Range(date(2026, 9, 1), date(2026, 9, 4)), 26, "no_whole_week"),
    ],
)
def test_a_range_says_why_nobody_has_a_performance(
    build: Build, monkeypatch: pytest.MonkeyPatch, days: Range, weeks_needed: int, reason: str | None
) -> None:
    monkeypatch.setattr("api.read.figures.ranges.MIN_REFERENCE_WEEKS", weeks_needed)
    access = RowAccess(ORGANIZATION)
    figures = range_sql(build, access, DEVELOPERS, days)
    found = build.rows(f"select distinct performance_gap as gap from ({figures.sql})", figures.parameters)
    assert [row["gap"] for row in found] == [reason]
    listed = listed_sql(access, DEVELOPERS, DEVELOPERS.table, f"({figures.sql})")
    rows = build.rows(
        f"select performance, performance_missing_reason as reason from ({listed})", figures.parameters
    )
    assert all(row["reason"] in (reason, "no_etv") for row in rows if row["performance"] is None)
    assert all(row["reason"] is None for row in rows if row["performance"] is not None)
    assert reason != "no_whole_week" or any(row["reason"] == reason for row in rows)
