"""The list of pull requests, and the explanation of one, compared with loops over the facts."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api.conftest import ROOT, client_for, deploy, serving
from tests.api.published_facts import AS_OF, UNIT, Facts
from tests.api.published_rows import write
from tests.api.pull_request_facts import (
    MEASURES,
    PullRequest,
    closed_hours,
    login,
    pull_requests,
    sources,
    team_of,
)


@pytest.fixture(scope="module")
def made(facts: Facts) -> list[PullRequest]:
    return pull_requests(facts)


def everything(client: httpx.Client, size: int = 7, **params: Any) -> list[dict[str, Any]]:
    """All pages of a list of pull requests."""
    rows: list[dict[str, Any]] = []
    token = ""
    while True:
        answer = client.get(f"{ROOT}/pullRequests", params=params | {"pageSize": size, "pageToken": token})
        assert answer.status_code == 200, answer.text
        body = answer.json()
        rows += body["pullRequests"]
        token = body["nextPageToken"]
        assert len(body["pullRequests"]) <= size
        if not token:
            assert body["totalSize"] == len(rows)
            return rows


def newest_first(chosen: list[PullRequest]) -> list[str]:
    return [one.id for one in sorted(chosen, key=lambda one: (-one.created_at.timestamp(), one.id))]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_pages_give_every_pull_request_once_newest_first(
    client: httpx.Client, made: list[PullRequest], size: int
) -> None:
    assert [row["id"] for row in everything(client, size)] == newest_first(made)


def test_filters_narrow_and_combine(client: httpx.Client, facts: Facts, made: list[PullRequest]) -> None:
    web, api = list(facts.repositories)[:2]
    ada, grace = list(facts.developers)[:2]
    first, last = date(2026, 8, 1), date(2026, 10, 31)
    cases: list[tuple[dict[str, Any], Callable[[PullRequest], Any]]] = [
        ({"repository": web}, lambda one: one.repository == web),
        ({"repository": [web, api]}, lambda one: one.repository in (web, api)),
        ({"developer": ada}, lambda one: one.developer == ada),
        (
            {"developer": [ada, grace], "repository": web},
            lambda one: one.developer in (ada, grace) and one.repository == web,
        ),
        ({"developer": facts.merged[1]}, lambda one: one.developer == facts.merged[0]),
        ({"reviewer": [ada]}, lambda one: one.reviewer == ada),
        ({"reviewer": grace, "developer": ada}, lambda one: one.reviewer == grace and one.developer == ada),
        *(
            ({"team": team}, lambda one, team=team: team in facts.and_above(team_of(facts, one)))
            for team in facts.teams
        ),
        ({"state": ["MERGED", "closed"]}, lambda one: one.state in ("merged", "closed")),
        ({"state": "OPEN", "draft": "true"}, lambda one: one.is_draft),
        ({"draft": "false"}, lambda one: not one.is_draft),
        ({"startDate": str(first)}, lambda one: first <= one.created_at.date()),
        (
            {"startDate": str(first), "endDate": str(last), "dateOf": "MERGED"},
            lambda one: one.merged_at and first <= one.merged_at.date() <= last,
        ),
        ({"aiAssisted": "true"}, lambda one: one.ai),
        ({"search": "NUMBER 15"}, lambda one: "number 15" in one.title),
        ({"search": "#16"}, lambda one: one.number == 16),
        ({"search": "-of-nobody"}, lambda one: one.developer is None),
        ({"search": "100% _"}, lambda _: False),
        ({"search": "9" * 60}, lambda _: False),
        ({"filter": "pickupHours > 24 AND state = MERGED"}, lambda one: (one.hours("pickup") or 0) > 24 * UNIT),
        ({"filter": f'issueKeys:"WEB-{made[0].number}"'}, lambda one: one.number == made[0].number),
        ({"filter": f"developerId = {facts.merged[1]}"}, lambda one: one.developer == facts.merged[0]),
    ]  # fmt: skip
    for params, wanted in cases:
        expected = newest_first([one for one in made if wanted(one)])
        assert [row["id"] for row in everything(client, 40, **params)] == expected, params


@pytest.mark.parametrize(
    "order", ["etv desc", "cycleHours desc, number", "pickup_hours", "state, created_at"]
)
def test_any_order_is_paged_without_gaps_or_repeats(
    client: httpx.Client, made: list[PullRequest], order: str
) -> None:
    rows = everything(client, 40, orderBy=order)
    assert sorted(row["id"] for row in rows) == sorted(one.id for one in made)
    wanted = sorted(rows, key=lambda row: row["id"])
    names = {"pickup_hours": "pickupHours", "created_at": "createdAt"}
    for term in reversed(order.split(",")):
        name, *direction = term.split()
        name = names.get(name, name)
        given = sorted(
            (row for row in wanted if row[name] is not None),
            key=lambda row: row[name],
            reverse=direction == ["desc"],
        )
        wanted = given + [row for row in wanted if row[name] is None]
    assert [row["id"] for row in rows] == [row["id"] for row in wanted]


def test_times_are_hours_and_have_a_dash_without_an_end(
    client: httpx.Client, made: list[PullRequest]
) -> None:
    shown = {row["id"]: row for row in everything(client, 1000)}
    for one in made:
        row = shown[one.id]
        for measure in MEASURES:
            for name, expected in (
                (f"{measure}Hours", one.hours(measure)),
                (f"{measure}WorkingHours", one.working_hours(measure)),
            ):
                assert row[name] == (None if expected is None else pytest.approx(expected / UNIT)), name
        assert row["etv"] == pytest.approx(one.etv / UNIT)
    assert {row["cycleHours"] is None for row in shown.values()} == {True, False}


def test_a_pull_request_is_explained_by_its_events(
    client: httpx.Client, facts: Facts, made: list[PullRequest]
) -> None:
    listed = {row["id"]: row for row in everything(client, 1000)}
    clocks: set[tuple[str, bool]] = set()
    waited: set[float] = set()
    for one in made:
        found = client.get(f"{ROOT}/pullRequests/{one.id.upper()}").json()
        assert {name: found[name] for name in listed[one.id]} == listed[one.id]
        phases = {phase["measure"]: phase for phase in found["phases"]}
        assert list(phases) == [measure.upper() for measure in MEASURES]
        for measure in MEASURES:
            phase = phases[measure.upper()]
            assert phase["hours"] == found[f"{measure}Hours"]
            assert (phase["hours"] is None) == (phase["missingReason"] is not None)
            runs = one.state == "open" and phase["startedAt"] and not phase["endedAt"]
            so_far = runs and (AS_OF - datetime.fromisoformat(phase["startedAt"])) / timedelta(hours=1)
            closed = (closed_hours(one, measure) or 0) / UNIT
            assert phase["runningHours"] == (pytest.approx(so_far - closed) if runs else None)
            if runs:
                waited.add(closed)
            clocks.add((one.state, phase["runningHours"] is not None))
        assert [commit["id"] for commit in found["commits"]] == [commit.id for commit in one.commits]
        assert sum(commit["etv"] for commit in found["commits"]) == pytest.approx(found["etv"])
        assert all(commit["how"] == "SQUASH" for commit in found["commits"])
        reviewers = [login(facts, one.reviewer)] if one.reviewer else []
        assert [review["reviewer"] for review in found["reviews"]] == reviewers
        assert [issue["foundIn"] for issue in found["issues"]] == ["LINKED", "TITLE"]
    assert waited >= {0, 0.5}
    assert clocks == {("open", True), ("open", False), ("merged", False), ("closed", False)}


def test_a_pull_request_says_who_is_waited_for_and_lists_its_source_commits(
    facts: Facts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = pull_requests(facts)
    merged = next(one for one in made if one.state == "merged" and one.reviewer)
    draft = next(one for one in made if one.state == "open" and one.developer is None)
    grace = next(key for key in facts.developers if key != facts.bot)
    reviewed = replace(draft, reviewer=grace, reviewed_at=draft.created_at + timedelta(minutes=5))
    monkeypatch.setattr("tests.api.pull_request_facts.pull_requests", lambda _: [merged, reviewed])
    deployment = deploy(tmp_path / "data", facts, write(facts, tmp_path / "built.duckdb"))
    deployment.publish()
    with serving(deployment.data_dir) as address, client_for(address, deployment.key()) as client:
        for one, waits in ((merged, []), (reviewed, [login(facts, facts.bot)])):
            found = client.get(f"{ROOT}/pullRequests/{one.id}").json()
            assert found["requestedReviewers"] == [login(facts, facts.bot), login(facts, one.reviewer)]
            assert found["awaitedReviewers"] == waits
            assert found["sourceCommits"] == sources(one)


def test_a_commit_names_its_pull_request(client: httpx.Client, facts: Facts, made: list[PullRequest]) -> None:
    by_commit = {commit.id: one for one in made for commit in one.commits}
    listed = client.get(f"{ROOT}/commits", params={"pageSize": 1000}).json()["commits"]
    assert len(listed) == len(facts.commits)
    for commit in listed:
        one = by_commit.get(commit["id"])
        assert commit["pullRequestId"] == (one and one.id)
        assert commit["pullRequestNumber"] == (one and one.number)
    explained = client.get(f"{ROOT}/commits/{made[0].commits[0].id}").json()
    assert explained["pullRequestId"] == made[0].id
    of_one = client.get(f"{ROOT}/commits", params={"filter": f"pullRequestId = {made[0].id}"}).json()
    assert [commit["id"] for commit in of_one["commits"]] == [commit.id for commit in made[0].commits]


def test_unknown_ones_are_not_found_and_odd_parameters_refused(client: httpx.Client) -> None:
    for unknown in ("nothing", "0190d3b0-0000-7000-8000-00000000dead", "'; select 1"):
        refused = client.get(f"{ROOT}/pullRequests/{unknown}")
        assert (refused.status_code, refused.json()["code"]) == (404, 5), refused.text
    for params in (
        {"state": "GONE"},
        {"dateOf": "LUNCH"},
        {"startDate": "2026-02-02", "endDate": "2026-02-01"},
        {"number": 3},
    ):
        assert client.get(f"{ROOT}/pullRequests", params=params).status_code == 400, params
