"""Time series of merged pull requests, compared with loops over the facts."""

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from statistics import median
from typing import Any

import httpx
import pytest

from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import join, sign_in
from tests.api.published_facts import ORGANIZATION, UNIT, Facts
from tests.api.pull_request_facts import PullRequest, pull_requests, team_of
from tests.api.scoped_deployment import LeadView

WIDE = {"startDate": "2026-04-01", "endDate": "2026-11-20", "interval": "MONTH"}
MEASURES = ("cycle", "pickup", "review", "approval", "merge")


def monthly(made: list[PullRequest], month: date) -> list[PullRequest]:
    return [one for one in made if one.merged_at and one.merged_at.date().replace(day=1) == month]


def typical(values: list[int | None]) -> Any:
    known = [value for value in values if value is not None]
    return pytest.approx(median(known) / UNIT, abs=2e-6) if known else None


def check(point: dict[str, Any], chosen: list[PullRequest]) -> None:
    assert point["mergedPullRequests"] == len(chosen)
    for measure in MEASURES:
        assert point[f"{measure}Hours"] == typical([one.hours(measure) for one in chosen])
        assert point[f"{measure}WorkingHours"] == typical([one.working_hours(measure) for one in chosen])
    assert point["pullRequestEtv"] == typical([one.etv for one in chosen])
    reviewed = [one for one in chosen if one.reviewer]
    assert point["reviewedShare"] == (pytest.approx(len(reviewed) / len(chosen)) if chosen else None)
    assert point["reworkShare"] == (pytest.approx(0.5) if reviewed else None)
    assisted = sum(one.ai for one in chosen)
    assert point["aiPullRequestShareAtLeast"] == (pytest.approx(assisted / len(chosen)) if assisted else None)


def test_every_metric_is_that_of_the_rows_of_its_bucket(client: httpx.Client, facts: Facts) -> None:
    made = [
        one
        for one in pull_requests(facts)
        if one.state == "merged" and one.developer != facts.bot and one.repository != facts.sandbox
    ]
    web = next(iter(facts.repositories))
    ada = next(iter(facts.developers))
    cases: list[tuple[dict[str, Any], Callable[[PullRequest], Any]]] = [
        ({}, lambda _: True),
        ({"repository": web}, lambda one: one.repository == web),
        ({"developer": ada}, lambda one: one.developer == ada),
        *(
            ({"team": team}, lambda one, team=team: team in facts.and_above(team_of(facts, one)))
            for team in facts.teams
        ),
    ]
    for params, wanted in cases:
        (line,) = client.get(f"{ROOT}/pullRequestMetrics", params=WIDE | params).json()["series"]
        assert len(line["points"]) == 8
        for point in line["points"]:
            chosen = [one for one in monthly(made, date.fromisoformat(point["start"])) if wanted(one)]
            check(point, chosen)


def test_groups_have_a_line_each_and_teams_contain_their_sub_teams(
    client: httpx.Client, facts: Facts
) -> None:
    made = [one for one in pull_requests(facts) if one.state == "merged" and one.repository != facts.sandbox]
    people = [one for one in made if one.developer != facts.bot]
    keys: dict[str, Callable[[PullRequest], list[str | None]]] = {
        "REPOSITORY": lambda one: [one.repository],
        "DEVELOPER": lambda one: [one.developer],
        "TEAM": lambda one: list(facts.and_above(team_of(facts, one))),
    }
    for group, of in keys.items():
        answer = client.get(f"{ROOT}/pullRequestMetrics", params=WIDE | {"groupBy": group}).json()
        wanted = {key for one in people for key in of(one)}
        assert {line["key"] for line in answer["series"]} == wanted
        assert answer["totalSize"] == len(wanted)
        counts = [sum(point["mergedPullRequests"] for point in line["points"]) for line in answer["series"]]
        assert counts == sorted(counts, reverse=True)
        for line in answer["series"]:
            for point in line["points"]:
                month = monthly(people, date.fromisoformat(point["start"]))
                check(point, [one for one in month if line["key"] in of(one)])
    bots = client.get(f"{ROOT}/pullRequestMetrics", params=WIDE | {"includeBots": "true"}).json()["series"][0]
    assert sum(point["mergedPullRequests"] for point in bots["points"]) == len(made)


def test_chosen_metrics_and_definitions(client: httpx.Client) -> None:
    described = client.get(f"{ROOT}/pullRequestMetrics:describe").json()["metrics"]
    names = [one["name"] for one in described]
    assert {"mergedPullRequests", "cycleHours", "pickupWorkingHours", "pullRequestEtv"} <= set(names)
    params = {"metrics": "cycleHours,merged_pull_requests", "interval": "QUARTER"}
    point = client.get(f"{ROOT}/pullRequestMetrics", params=params).json()["series"][0]["points"][0]
    assert set(names) & set(point) == {"cycleHours", "mergedPullRequests"}
    refused = client.get(f"{ROOT}/pullRequestMetrics", params={"metrics": "etv"})
    assert refused.status_code == 400
    assert "mergedPullRequests" in refused.json()["message"]


def test_a_lead_has_the_pull_requests_of_led_teams(lead: LeadView) -> None:
    made = [
        one
        for one in lead.pull_requests
        if one.state == "merged" and one.repository != lead.facts.sandbox and one.developer != lead.facts.bot
    ]
    (line,) = lead.get("pullRequestMetrics", **WIDE)["series"]
    for point in line["points"]:
        check(point, monthly(made, date.fromisoformat(point["start"])))
    lines = lead.get("pullRequestMetrics", **WIDE, groupBy="TEAM")["series"]
    assert {line["key"] for line in lines} <= lead.teams


LEAST = 3


@pytest.fixture
def closed(deployed: Deployment, address_of: str) -> Iterator[httpx.Client]:
    """An owner of the organization while it has a minimum group size."""
    account = sign_in(deployed.store, join(deployed.store, ORGANIZATION, "owner"))
    with client_for(address_of, account) as client:
        changed = client.patch(f"{ROOT}/settings", json={"minimumGroupSize": LEAST})
        assert changed.status_code == 200, changed.text
        yield client
        client.patch(f"{ROOT}/settings", json={"minimumGroupSize": 0, "hasIndividualFigures": True})


def test_points_of_few_people_and_what_reveals_them_are_null(closed: httpx.Client, moving: Facts) -> None:
    made = [
        one
        for one in pull_requests(moving)
        if one.state == "merged" and one.repository != moving.sandbox and one.developer != moving.bot
    ]
    days = {"startDate": "2026-05-01", "endDate": "2026-10-31", "interval": "MONTH"}
    answer = closed.get(f"{ROOT}/pullRequestMetrics", params=days | {"groupBy": "REPOSITORY"})
    assert answer.status_code == 200, answer.text
    states = set()
    months = [date(2026, month, 1) for month in range(5, 11)]
    for month in months:
        shown: set[str | None] = set()
        rest: set[str | None] = set()
        for line in answer.json()["series"]:
            (point,) = [one for one in line["points"] if one["start"] == str(month)]
            people = {one.developer for one in monthly(made, month) if one.repository == line["key"]}
            states.add(point["isSuppressed"])
            if point["isSuppressed"]:
                assert all(
                    value is None
                    for name, value in point.items()
                    if name in ("mergedPullRequests", "cycleHours")
                )
                rest |= people
            else:
                assert not 0 < len(people) < LEAST
                shown |= people
        assert not 0 < len(rest) < LEAST, "the total minus the shown ones"
    assert states == {True, False}
    for path in ("pullRequests", f"pullRequests/{made[0].id}", "pullRequestMetrics?groupBy=DEVELOPER"):
        assert closed.get(f"{ROOT}/{path}").status_code == 403, path
    day = str(months[0] + timedelta(days=3))
    few = closed.get(f"{ROOT}/pullRequestMetrics", params={"startDate": day, "endDate": day})
    assert few.status_code in (200, 400)
    if few.status_code == 200:
        assert few.json()["startDate"] == str(months[0])
