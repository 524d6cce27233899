"""Objectives with the work that reaches them, compared with loops over the facts."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api.conftest import ROOT, client_for, deploy, serving
from tests.api.published_facts import UNIT, Facts
from tests.api.published_plans import Item, Plan, counted_links, make_plan, work
from tests.api.published_rows import write

NOBODY = "0190d3b0-0000-7000-8000-00000000dead"


def answer(client: httpx.Client, path: str = "objectives", **params: Any) -> dict[str, Any]:
    found = client.get(f"{ROOT}/{path}", params=params)
    assert found.status_code == 200, found.text
    return dict(found.json())


def ids(rows: list[dict[str, Any]]) -> list[str]:
    return [row["id"] for row in rows]


def test_each_objective_has_the_work_of_everything_below_it(client: httpx.Client, plan: Plan) -> None:
    found = {row["id"]: row for row in answer(client, pageSize=1000)["objectives"]}
    assert found.keys() == {item.id for item in plan.objectives}
    for item in plan.objectives:
        row = found[item.id]
        expected = work(counted_links(plan.facts, plan.reaching(item)))
        assert row["etv"] == expected["etv_micro"] / UNIT
        assert (row["commits"], row["contributorCount"]) == (
            expected["commits"],
            expected["contributor_count"],
        )
        days = expected["first_delivered_on"], expected["last_delivered_on"]
        assert (row["firstDeliveredOn"], row["lastDeliveredOn"]) == tuple(
            day and day.isoformat() for day in days
        )
        assert row["parentId"] == (item.parent and item.parent.id)
        assert (row["level"], row["statusCategory"]) == (item.level.upper(), item.status.upper())
        assert (row["isOverdue"], row["targetDate"]) == (
            item.is_overdue,
            item.target and item.target.isoformat(),
        )
        assert (row["owner"], row["teamId"]) == (f"owner{item.number}", item.team)
        assert row["teamName"] == (plan.facts.teams[item.team][0] if item.team else None)
        issues = [one for one in plan.below(item) if one.level == "issue"]
        counting = [one for one in issues if one.status != "canceled"]
        done = sum(one.status == "done" for one in issues)
        assert (row["issueCount"], row["doneIssueCount"]) == (len(issues), done)
        assert row["progress"] == (pytest.approx(done / len(counting)) if counting else None)
        assert row["suppressedReason"] is None
    assert any(row["etv"] == 0 for row in found.values())
    assert sum(row["etv"] > 0 for row in found.values()) > 5


SELECTIONS: list[tuple[dict[str, Any], Callable[[Item], bool]]] = [
    ({"level": "OBJECTIVE"}, lambda item: item.level == "objective"),
    ({"level": ["OBJECTIVE", "sub_objective"]}, lambda _: True),
    ({"statusCategory": "DONE"}, lambda item: item.status == "done"),
    ({"status_category": ["TODO", "DOING"]}, lambda item: item.status in ("todo", "doing")),
    ({"overdue": "true"}, lambda item: item.is_overdue),
    ({"overdue": "false"}, lambda item: not item.is_overdue),
    ({"search": "o1 OBJECTIVE"}, lambda item: "Objective O1 " in item.title),
    ({"search": "plan-0"}, lambda item: item.number == 0),
    ({"filter": "teamId:*"}, lambda item: item.team is not None),
    ({"filter": "NOT parentId:*"}, lambda item: item.parent is None),
    ({"filter": "connectionKind = LINEAR AND level = SUB_OBJECTIVE"}, lambda item: item.level != "objective"),
    ({"filter": "targetDate < 2026-11-20 AND NOT statusCategory = DONE"},
     lambda item: item.target is not None and item.target < date(2026, 11, 20) and item.status != "done"),
]  # fmt: skip


@pytest.mark.parametrize(("params", "keep"), SELECTIONS, ids=[str(one[0]) for one in SELECTIONS])
def test_a_selection_has_the_objectives_that_fit(
    client: httpx.Client, plan: Plan, params: dict[str, Any], keep: Callable[[Item], bool]
) -> None:
    expected = {item.id for item in plan.objectives if keep(item)}
    found = answer(client, **params)
    assert set(ids(found["objectives"])) == expected
    assert found["totalSize"] == len(expected) > 0


def test_figures_and_progress_can_be_filtered_and_sorted(client: httpx.Client) -> None:
    rows = answer(client)["objectives"]
    for name in ("etv", "progress", "commits", "contributorCount"):
        values = sorted(row[name] for row in rows if row[name] is not None)
        middle = values[len(values) // 2]
        found = answer(client, filter=f"{name} >= {middle}", orderBy=f"{name} desc")
        assert [row[name] for row in found["objectives"]] == [v for v in reversed(values) if v >= middle]


def test_of_a_team_are_its_own_and_those_of_sub_teams(client: httpx.Client, plan: Plan) -> None:
    for team in plan.facts.teams:
        expected = {item.id for item in plan.objectives if team in plan.facts.and_above(item.team)}
        assert set(ids(answer(client, team=team)["objectives"])) == expected
        assert expected
    refused = client.get(f"{ROOT}/objectives", params={"team": NOBODY})
    assert (refused.status_code, f"no team {NOBODY!r}" in refused.text) == (404, True)


def test_pages_have_all_objectives_by_target_date_and_undated_ones_last(
    client: httpx.Client, plan: Plan
) -> None:
    expected = sorted(plan.objectives, key=lambda item: (item.target or date.max, item.title, item.id))
    found: list[str] = []
    token = ""
    while True:
        page = answer(client, pageSize=4, pageToken=token)
        found += ids(page["objectives"])
        token = page["nextPageToken"]
        if not token:
            break
    assert found == [item.id for item in expected]


def test_the_list_has_every_objective_where_no_size_of_a_page_is_given(
    client: httpx.Client, plan: Plan
) -> None:
    assert len(plan.objectives) > 50
    for found in (answer(client), answer(client, pageSize=0)):
        assert len(found["objectives"]) == found["totalSize"] == len(plan.objectives)
        assert found["nextPageToken"] == ""


def test_the_tree_has_every_objective_with_the_one_above(client: httpx.Client, plan: Plan) -> None:
    rows = answer(client, "objectives:tree")["objectives"]
    assert {row["id"]: row["parentId"] for row in rows} == {
        item.id: item.parent and item.parent.id for item in plan.objectives
    }


def test_one_objective_has_its_parts_issues_and_contributors(client: httpx.Client, plan: Plan) -> None:
    listed = {row["id"]: row for row in answer(client, pageSize=1000)["objectives"]}
    for item in plan.told_apart:
        found = answer(client, f"objectives/{item.id.upper()}")
        assert {name: found[name] for name in listed[item.id]} == listed[item.id]
        parts = {one.id for one in plan.objectives if one.parent == item}
        assert set(ids(found["subObjectives"])) == parts
        assert set(ids(answer(client, parent=item.id)["objectives"])) == parts
        issues = {one.id for one in plan.below(item) if one.level == "issue"}
        assert set(ids(found["issues"])) == issues
        assert set(ids(answer(client, "issues", objective=item.id)["issues"])) == issues
        of_people: dict[str, list[Any]] = defaultdict(list)
        for link in counted_links(plan.facts, plan.reaching(item)):
            of_people[link.commit.developer].append(link)
        expected = {
            person: (plan.facts.developers[person], sum(one.etv for one in own) / UNIT, len(own))
            for person, own in of_people.items()
        }
        shown = found["contributors"]
        assert {
            one["developerId"]: (one["developerName"], one["etv"], one["commits"]) for one in shown
        } == expected
        assert [one["etv"] for one in shown] == sorted((one["etv"] for one in shown), reverse=True)


@pytest.mark.parametrize("interval", ["DAY", "WEEK", "MONTH", "QUARTER", "YEAR"])
def test_etv_over_time_adds_up_to_the_whole(client: httpx.Client, plan: Plan, interval: str) -> None:
    item = plan.objectives[0]
    found = answer(client, f"objectives/{item.id}", interval=interval)
    shown = found["etvOverTime"]
    assert (shown["interval"], shown["startDate"]) == (interval, found["firstDeliveredOn"])
    by_day: dict[date, int] = defaultdict(int)
    for link in counted_links(plan.facts, plan.reaching(item)):
        for change in link.commit.changes:
            by_day[change.day] += link.share(change)
    total = 0
    for point in shown["points"]:
        start, end = date.fromisoformat(point["start"]), date.fromisoformat(point["end"])
        own = sum(etv for day, etv in by_day.items() if start <= day <= end)
        total += own
        assert (point["etv"], point["cumulativeEtv"]) == (own / UNIT, total / UNIT)
    assert total / UNIT == found["etv"]
    assert sum(point["commits"] for point in shown["points"]) == found["commits"]


def test_etv_over_time_is_of_the_requested_days(client: httpx.Client, plan: Plan) -> None:
    item = plan.objectives[0]
    path = f"objectives/{item.id}"
    some = answer(client, path, startDate="2026-08-10", endDate="2026-09-20")["etvOverTime"]
    assert [point["label"] for point in some["points"]] == ["2026-08", "2026-09"]
    assert all(point["isPartial"] for point in some["points"])
    before = answer(client, path, startDate="2019-01-01", endDate="2019-12-31")["etvOverTime"]
    assert {point["etv"] for point in before["points"]} == {0}
    refused = client.get(f"{ROOT}/{path}", params={"startDate": "2026-02-01", "endDate": "2026-01-01"})
    assert refused.json()["details"][0]["fieldViolations"][0]["field"] == "endDate"
    (idle,) = (one for one in plan.objectives if "nobody works" in one.title)
    empty = answer(client, f"objectives/{idle.id}")
    assert empty["etvOverTime"] == {"interval": "MONTH", "startDate": None, "endDate": None, "points": []}
    assert (empty["contributors"], empty["progress"]) == ([], None)


Planned = Callable[[Plan], AbstractContextManager[httpx.Client]]


@pytest.fixture
def planned(tmp_path: Path, facts: Facts, monkeypatch: pytest.MonkeyPatch) -> Planned:
    """A client of the organization with another plan than its own."""

    @contextmanager
    def served(plan: Plan) -> Iterator[httpx.Client]:
        monkeypatch.setattr("tests.api.published_plans.make_plan", lambda _: plan)
        deployment = deploy(tmp_path / "data", facts, write(facts, tmp_path / "built.duckdb"))
        deployment.publish()
        monkeypatch.undo()
        with serving(deployment.data_dir) as address, client_for(address, deployment.key()) as made:
            yield made

    return served


def test_without_a_tracker_lists_are_empty_and_name_the_next_step(planned: Planned, facts: Facts) -> None:
    with planned(Plan(facts, [], [])) as client:
        for path in ("objectives", "issues", "objectives:tree"):
            found = answer(client, path)
            assert found[path.removesuffix(":tree")] == []
            assert "POST …/connections" in found["nextStep"]
        assert client.get(f"{ROOT}/objectives/{NOBODY}").status_code == 404


def test_with_issues_alone_the_levels_are_the_next_step(planned: Planned, facts: Facts) -> None:
    issues = [replace(item, parent=None) for item in make_plan(facts).issues]
    with planned(Plan(facts, issues, [])) as client:
        assert "levels" in answer(client)["nextStep"]
        assert answer(client, "issues")["nextStep"] is None


def test_with_objectives_there_is_no_next_step(client: httpx.Client) -> None:
    assert answer(client)["nextStep"] is None
    # The filter finds nothing, which is no reason to connect a tracker.
    assert answer(client, search="nothing like it")["nextStep"] is None


def test_twelve_hundred_objectives_are_listed_without_a_cap(planned: Planned, facts: Facts) -> None:
    template = make_plan(facts).objectives[0]
    many = [replace(template, id=NOBODY[:-4] + f"{n:04x}", number=n, title=f"Goal {n}") for n in range(1200)]
    with planned(Plan(facts, many, [])) as client:
        assert len(answer(client, "objectives:tree")["objectives"]) == 1200
        first = answer(client, pageSize=1000)
        second = answer(client, pageSize=1000, pageToken=first["nextPageToken"])
        assert first["totalSize"] == 1200
        assert len({*ids(first["objectives"]), *ids(second["objectives"])}) == 1200
        assert second["nextPageToken"] == ""
