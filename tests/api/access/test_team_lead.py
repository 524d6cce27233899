"""Answers to a team lead, compared with loops over the commits that people wrote while they were in the led teams."""

from collections import defaultdict
from collections.abc import Callable
from datetime import date, timedelta

import pytest

from tests.api.conftest import ROOT
from tests.api.published_facts import UNIT, Change, Commit
from tests.api.pull_request_facts import team_of
from tests.api.scoped_deployment import RANGE, LeadView, days_outside, etv
from tests.suite.tiers import IS_WHOLE


@pytest.mark.both_databases
def test_a_lead_sees_the_led_teams_and_below_with_the_work_written_in_them(lead: LeadView) -> None:
    answer = lead.get("teams", **RANGE)
    shown = {team["id"]: team for team in answer["teams"]}
    assert set(shown) == lead.teams
    assert answer["totalSize"] == len(lead.teams)
    for key, team in shown.items():
        own = [c for c in lead.facts.commits if key in lead.facts.and_above(lead.facts.team_of_commit(c))]
        assert team["etv"] == pytest.approx(etv(own), abs=1e-6)
        _, parent, _ = lead.facts.teams[key]
        assert team["parentId"] == (parent if parent in lead.teams else None)
        assert team["depth"] == len(set(lead.facts.and_above(key)) & lead.teams) - 1
    tree = lead.get("teams:tree")["teams"]
    assert {(team["id"], team["parentId"]) for team in tree} == {(k, t["parentId"]) for k, t in shown.items()}


def test_developers_of_the_teams_have_figures_of_work_for_them(lead: LeadView) -> None:
    answer = lead.get("developers", **RANGE)
    shown = {one["id"]: one for one in answer["developers"]}
    assert set(shown) == lead.people
    for key, developer in shown.items():
        commits = [commit for commit in lead.commits if commit.developer == key]
        delivered = [commit.delivered_at for commit in commits if commit.delivered_at]
        expected = sum(c.etv for commit in commits for c in commit.changes if not c.is_sandbox) / UNIT
        assert developer["etv"] == pytest.approx(expected, abs=1e-6)
        assert developer["commitCount"] == len(commits)
        assert developer["deliveredCommitCount"] == len(delivered)
        assert (developer["lastDeliveredAt"] is None) == (not delivered)
    assert answer["totals"]["etv"] == pytest.approx(etv(lead.commits), abs=1e-6)
    few = lead.get("developers", **RANGE, filter="etv > 20")
    assert few["totalSize"] == sum(one["etv"] > 20 for one in shown.values())
    assert few["totals"]["etv"] == pytest.approx(
        sum(one["etv"] for one in shown.values() if one["etv"] > 20 and not one["isBot"]), abs=1e-4
    )


def test_a_lead_sees_the_days_of_the_led_teams_in_the_organization(lead: LeadView) -> None:
    days = [change.day for commit in lead.commits for change in commit.changes]
    answer = lead.get("")
    assert answer["firstDeliveredOn"] == (min(days).isoformat() if days else None)
    assert answer["lastDeliveredOn"] == (max(days).isoformat() if days else None)
    assert answer["waitingCommits"] is None
    assert answer["asOf"] is not None
    (listed,) = lead.client.get(ROOT.rpartition("/")[0]).json()["organizations"]
    assert listed == answer


def test_repositories_are_those_of_visible_commits_with_their_numbers(lead: LeadView) -> None:
    answer = lead.get("repositories", **RANGE)
    commits = defaultdict[str, list[Commit]](list)
    for commit in lead.commits:
        commits[commit.repository].append(commit)
    assert {one["id"] for one in answer["repositories"]} == set(commits)
    for one in answer["repositories"]:
        mine = commits[one["id"]]
        assert one["commitCount"] == len(mine)
        assert one["developerCount"] == len({c.developer for c in mine} - {lead.facts.bot})
        expected = sum(c.etv for commit in mine for c in commit.changes if not c.is_bot) / UNIT
        assert one["etv"] == pytest.approx(expected, abs=1e-6)
    assert answer["totals"]["etv"] == pytest.approx(etv(lead.commits), abs=1e-6)


def test_the_list_of_commits_holds_the_visible_ones_page_by_page(lead: LeadView) -> None:
    for order in ("", "deliveredAt desc, id", "etv desc", "subject"):
        ids: list[str] = []
        token = ""
        while True:
            answer = lead.get("commits", pageSize=60, pageToken=token, orderBy=order)
            ids += [commit["id"] for commit in answer["commits"]]
            assert answer["totalSize"] == len(lead.commits)
            token = answer["nextPageToken"]
            if not token:
                break
        assert len(ids) == len(set(ids))
        assert set(ids) == {commit.id for commit in lead.commits}


def has_category(name: str) -> Callable[[Change], bool]:
    return lambda change: change.category.upper() == name


def test_series_sum_the_visible_rows(lead: LeadView) -> None:
    weekly = lead.get("metrics", **RANGE, interval="WEEK", metrics="etv")["series"][0]["points"]
    assert sum(point["etv"] for point in weekly) == pytest.approx(etv(lead.commits), abs=1e-4)
    keys: dict[str, Callable[[Commit], str] | None] = {
        "DEVELOPER": lambda c: c.developer,
        "REPOSITORY": lambda c: c.repository,
        "CATEGORY": None,
    }
    for group, key in keys.items():
        lines = lead.get("metrics", **RANGE, groupBy=group, interval="MONTH", metrics="etv")["series"]
        for line in lines:
            points = sum(point["etv"] for point in line["points"])
            if key is None:
                expected = etv(lead.commits, has_category(line["key"]))
            else:
                expected = etv([c for c in lead.commits if key(c) == line["key"]])
            if not (group == "REPOSITORY" and line["key"] == lead.facts.sandbox):
                assert points == pytest.approx(expected, abs=1e-4)
        total = sum(point["etv"] for line in lines for point in line["points"])
        assert total == pytest.approx(etv(lead.commits), abs=1e-3)
    for team in sorted(lead.teams):
        own = [c for c in lead.facts.commits if team in lead.facts.and_above(lead.facts.team_of_commit(c))]
        (line,) = lead.get("metrics", **RANGE, team=team, interval="YEAR", metrics="etv")["series"]
        assert sum(point["etv"] for point in line["points"]) == pytest.approx(etv(own), abs=1e-4)


def test_the_report_has_the_months_that_are_a_led_team_s_alone(lead: LeadView) -> None:
    rows = lead.get("capex", includeDrafts=True, pageSize=1000)["rows"]
    expected = set()
    for commit in lead.facts.commits:
        for change in commit.changes:
            if change.is_bot or change.is_sandbox:
                continue
            month = change.day.replace(day=1)
            outside = {day.replace(day=1) for day in days_outside(lead, commit.developer)}
            if lead.facts.team_of_month(commit.developer, month) in lead.teams and month not in outside:
                expected.add((month.isoformat(), commit.developer))
    assert {(row["month"], row["developerId"]) for row in rows} == expected
    answer = lead.client.get(f"{ROOT}/capex", params={"format": "CSV", "includeDrafts": "true"})
    assert len(answer.text.strip().split("\r\n")) == 1 + len(expected)


def test_movements_are_of_periods_that_were_worked_in_the_teams_alone(lead: LeadView) -> None:
    rows = lead.get("movements", **RANGE, entity="DEVELOPER", includeDrafts=True, pageSize=1000)["movements"]
    assert {row["entityId"] for row in rows} <= lead.people
    for row in rows:
        first = (date.fromisoformat(row["periodStart"]) - timedelta(days=1)).replace(day=1)
        last = date.fromisoformat(row["periodEnd"])
        assert not any(first <= day <= last for day in days_outside(lead, row["entityId"]))
    always = {p for p in lead.people if not days_outside(lead, p) and p != lead.facts.bot}
    assert {row["entityId"] for row in rows} >= always
    teams = lead.get("movements", **RANGE, entity="TEAM", pageSize=1000)["movements"]
    assert {row["entityId"] for row in teams} <= lead.teams
    for entity in ("ORGANIZATION", "REPOSITORY"):
        refused = lead.client.get(f"{ROOT}/movements", params={"entity": entity})
        assert (refused.status_code, refused.json()["code"]) == (403, 7)
        assert "a team lead sees only the teams that they lead" in refused.json()["message"]


def test_performance_is_shown_for_periods_worked_in_the_teams_alone(lead: LeadView) -> None:
    days = {"startDate": "2026-08-01", "endDate": "2026-08-31"}
    for one in lead.get("developers", **days)["developers"]:
        outside = [
            day for day in days_outside(lead, one["id"]) if date(2026, 8, 1) <= day <= date(2026, 8, 31)
        ]
        assert one["performance"] is None or not outside
    lines = lead.get("metrics", **RANGE, groupBy="REPOSITORY", interval="MONTH", metrics="performance")[
        "series"
    ]
    assert all(point["performance"] is None for line in lines for point in line["points"])


def test_commits_of_a_team_are_those_written_in_it_or_below(lead: LeadView) -> None:
    for team in lead.teams:
        expected = {c.id for c in lead.commits if team in lead.facts.and_above(lead.facts.team_of_commit(c))}
        found = lead.get("commits", team=team, pageSize=1000)
        assert {commit["id"] for commit in found["commits"]} == expected
        assert found["totalSize"] == len(expected)


def test_several_teams_have_a_line_each(lead: LeadView) -> None:
    teams = sorted(lead.teams)[:2]
    lines = lead.get("metrics", team=teams, groupBy="TEAM", interval="MONTH", **RANGE)["series"]
    single = {team: lead.get("metrics", team=team, interval="MONTH", **RANGE)["series"][0] for team in teams}
    assert {line["key"] for line in lines} <= set(teams)
    for line in lines:
        assert [p["etv"] for p in line["points"]] == [p["etv"] for p in single[line["key"]]["points"]]


def test_pull_requests_are_those_opened_in_a_led_team(lead: LeadView) -> None:
    mine = lead.pull_requests
    found = lead.get("pullRequests", pageSize=1000)
    assert {one["id"] for one in found["pullRequests"]} == {one.id for one in mine}
    assert found["totalSize"] == len(mine)
    for team in lead.teams:
        expected = {one.id for one in mine if team in lead.facts.and_above(team_of(lead.facts, one))}
        found = lead.get("pullRequests", team=team, pageSize=1000)
        assert {one["id"] for one in found["pullRequests"]} == expected


def test_a_visible_pull_request_shows_reviews_and_commits_of_led_teams_alone(lead: LeadView) -> None:
    facts, commits = lead.facts, {commit.id for commit in lead.commits}
    hidden = 0
    for one in lead.pull_requests[: 80 : 1 if IS_WHOLE else 4]:
        shown = lead.get(f"pullRequests/{one.id}")
        assert {commit["id"] for commit in shown["commits"]} == {c.id for c in one.commits} & commits
        inside = bool(
            one.reviewer
            and one.reviewed_at
            and facts.team_on(one.reviewer, one.reviewed_at.date()) in lead.teams
        )
        assert [review["developerId"] for review in shown["reviews"]] == ([one.reviewer] if inside else [])
        phases = {phase["measure"]: phase for phase in shown["phases"]}
        if one.reviewer and one.reviewer not in lead.people:
            hidden += 1
            assert phases["PICKUP"]["endedByLogin"] is None
            assert shown["mergedBy"] is None
            assert phases["PICKUP"]["hours"] is not None
        keys = [issue["key"] is not None for issue in shown["issues"]]
        assert keys == [True, next(iter(facts.teams)) in lead.teams]
    assert hidden or not lead.pull_requests or len(lead.people) > 4
