"""A minimum group size hides spend as it hides work: nobody can compute the spend of too few people."""

from typing import Any

import httpx
import pytest

from tests.api.access.test_group_privacy import MONTHS, covered, figures, minimum_group_size, owner
from tests.api.ai_usage_facts import Used, used
from tests.api.conftest import ROOT
from tests.api.published_facts import Facts
from tests.api.told_people import Cell, told

__all__ = ["minimum_group_size", "owner"]


@pytest.fixture
def usage(moving: Facts) -> list[Used]:
    return [one for one in used(moving) if one.developer not in (None, moving.bot)]


def of_month(usage: list[Used], start: str) -> list[Used]:
    return [one for one in usage if one.day.isoformat()[:7] == start[:7]]


def is_revealing(facts: Facts, usage: list[Used], shown: list[str | None], least: int) -> bool:
    """Whether the shown teams and total (None) reveal usage of fewer people."""
    parents = {team: parent for team, (_, parent, _) in facts.teams.items()}
    cells: list[set[Cell]] = [
        {(one.team, str(one.developer)) for one in usage if covered(parents, key, one.team)} for key in shown
    ]
    return bool(told([one for one in cells if one], least))


def test_shown_spend_of_a_month_reveals_no_small_group(
    owner: httpx.Client, moving: Facts, usage: list[Used], minimum_group_size: int
) -> None:
    hidden = 0
    for month in MONTHS:
        days = {"startDate": month.isoformat(), "endDate": month.isoformat()}
        own = of_month(usage, month.isoformat())
        teams = figures(owner, "teams", **days)["teams"]
        total = figures(owner, "metrics", interval="MONTH", **days)["series"][0]["points"][0]
        shown = [one["id"] for one in teams if one["aiActiveDays"] is not None]
        hidden += len(teams) - len(shown)
        everybody = [None] if total["aiActiveDays"] is not None else []
        assert not is_revealing(moving, own, [*shown, *everybody], minimum_group_size)
        for one in teams:
            if one["aiActiveDays"] is None:
                assert (one["aiCost"], one["aiTokens"], one["aiCostPerEtv"]) == (None, None, None)
    assert hidden
    assert any(
        one["aiCost"] is not None
        for month in MONTHS
        for one in figures(owner, "teams", startDate=month.isoformat(), endDate=month.isoformat())["teams"]
    )


def test_lines_of_teams_show_the_months_that_the_list_shows(
    owner: httpx.Client, moving: Facts, minimum_group_size: int
) -> None:
    days = {"startDate": MONTHS[0].isoformat(), "endDate": MONTHS[-1].isoformat()}
    lines = figures(owner, "metrics", interval="MONTH", groupBy="TEAM", metrics="aiCost", **days)["series"]
    drawn = {(line["key"], point["start"]): point["aiCost"] for line in lines for point in line["points"]}
    for month in MONTHS:
        start = month.isoformat()
        for one in figures(owner, "teams", startDate=start, endDate=start)["teams"]:
            assert drawn.get((one["id"], start)) == one["aiCost"]


def test_nobody_reads_the_spend_of_single_people(owner: httpx.Client, minimum_group_size: int) -> None:
    rows: list[dict[str, Any]] = figures(owner, "developers", startDate="2026-05-01", endDate="2026-10-31")[
        "developers"
    ]
    names = ("aiCost", "aiCostPerEtv", "aiTokens", "aiActiveDays", "aiSessions", "aiCommits")
    assert {row[name] for row in rows for name in names} == {None}
    refused = owner.get(f"{ROOT}/metrics", params={"groupBy": "DEVELOPER", "metrics": "aiCost"})
    assert refused.status_code == 403


def test_the_list_of_spend_has_what_the_lists_of_teams_and_months_show(
    owner: httpx.Client, minimum_group_size: int
) -> None:
    days = {"startDate": MONTHS[0].isoformat(), "endDate": MONTHS[-1].isoformat()}
    rows = figures(owner, "aiSpend", groupBy="TEAM", **days)["aiSpend"]
    teams = {one["id"]: one for one in figures(owner, "teams", **days)["teams"]}
    assert {row["suppressedReason"] for row in rows} == {None, "MINIMUM_GROUP_SIZE"}
    for row in rows:
        one = teams[row["teamId"]]
        assert (row["cost"], row["sessions"], row["costPerEtv"]) == (
            one["aiCost"], one["aiSessions"], one["aiCostPerEtv"] and pytest.approx(one["aiCostPerEtv"], abs=1e-6)
        )  # fmt: skip
        assert (row["people"], row["billedCost"], row["unattributedCost"]) == (None, None, None)
    points = figures(owner, "metrics", interval="MONTH", metrics="etv,aiCost", **days)["series"][0]["points"]
    cost = {point["start"]: (point["etv"], point["aiCost"]) for point in points}
    by_month = figures(owner, "aiSpend", groupBy="MONTH", **days)["aiSpend"]
    assert by_month
    for row in by_month:
        assert (row["etv"], row["cost"]) == (
            (None, None) if row["suppressedReason"] else cost[row["periodStart"]]
        )
    (led, *_) = [row["teamId"] for row in rows if row["suppressedReason"] is None]
    lines = figures(owner, "metrics", interval="MONTH", metrics="aiCost", team=led, **days)["series"][0]
    drawn = {point["start"]: point["aiCost"] for point in lines["points"]}
    for row in figures(owner, "aiSpend", groupBy="MONTH", team=led, **days)["aiSpend"]:
        assert row["cost"] == drawn[row["periodStart"]]


@pytest.mark.parametrize(
    "asked",
    [
        {"groupBy": "DEVELOPER"}, {"groupBy": "TOOL"}, {"groupBy": "MODEL"}, {"groupBy": "WEEK"}, {},
        {"groupBy": "TEAM", "tool": "cursor"},
    ],
)  # fmt: skip
def test_finer_rows_of_spend_are_closed(
    owner: httpx.Client, minimum_group_size: int, asked: dict[str, str]
) -> None:
    assert owner.get(f"{ROOT}/aiSpend", params=asked).status_code == 403
    assert owner.get(f"{ROOT}/aiSpend/work", params=asked).status_code in (400, 403)


def test_adoption_shows_the_months_of_enough_people(
    owner: httpx.Client, usage: list[Used], minimum_group_size: int
) -> None:
    days = {"startDate": MONTHS[0].isoformat(), "endDate": MONTHS[-1].isoformat()}
    teams = [one["id"] for one in figures(owner, "teams", **days)["teams"]]
    points = [
        point
        for team in [{}, *({"team": team} for team in teams)]
        for point in figures_of_adoption(owner, interval="WEEK", **days, **team)
    ]
    assert {point["isSuppressed"] for point in points} == {True, False}
    for point in points:
        if point["isSuppressed"]:
            assert (point["aiDevelopers"], point["adoption"]) == (None, None)
        else:
            assert point["aiDevelopers"] == 0 or point["aiDevelopers"] >= minimum_group_size
        assert (point["firstUses"], point["phases"]) == (None, [])


def figures_of_adoption(client: httpx.Client, **params: Any) -> list[dict[str, Any]]:
    answer = client.get(f"{ROOT}/aiSpend/adoption", params=params).raise_for_status().json()
    assert answer["interval"] == "MONTH"
    points: list[dict[str, Any]] = answer["points"]
    return points
