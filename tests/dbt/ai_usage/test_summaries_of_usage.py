"""Facts of AI spend against plain loops over half a year of usage."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.dbt import warehouse
from tests.dbt.ai_usage.conftest import AS_OF
from tests.dbt.naive.naive_summaries import before, end_of, start_of

MICRO = 1_000_000
TODAY = datetime.fromisoformat(AS_OF).date()
TOLD = {"week": 13, "month": 13, "quarter": 9}
MEASURES = ("ai_spend", "ai_unit_cost", "ai_users")


@pytest.fixture(scope="module")
def facts(spent: Path) -> dict[tuple[str, date, str], dict[str, Any]]:
    """Facts of the organization by period, first day and id."""
    rows = warehouse.rows(spent, "from summary_facts where scope_kind = 'ORGANIZATION' and kind like 'ai_%'")
    return {(one["period"], one["period_start"], one["fact_id"]): one for one in rows}


@pytest.fixture(scope="module")
def usage(spent: Path) -> list[dict[str, Any]]:
    return warehouse.rows(
        spent,
        "select ai_usage.*, coalesce(is_bot, false) as is_bot from ai_usage "
        "left join developers using (developer_id) where not coalesce(is_bot, false)",
    )


@pytest.fixture(scope="module")
def work(spent: Path) -> list[dict[str, Any]]:
    return warehouse.rows(spent, "from daily where not is_bot and not is_sandbox")


def periods(name: str) -> list[date]:
    """First days of the periods that have facts, the running one first."""
    found = [start_of(name, TODAY)]
    while len(found) <= TOLD[name]:
        found.append(before(name, found[-1]))
    return found


def cost(rows: list[dict[str, Any]], currency: str = "USD") -> int:
    return sum(one["cost_nano"] for one in rows if one["counts_cost"] and one["cost_currency"] == currency)


@pytest.mark.parametrize("period", TOLD)
def test_spend_its_unit_cost_and_its_users_are_those_of_the_days(
    facts: dict[Any, dict[str, Any]], usage: list[dict[str, Any]], work: list[dict[str, Any]], period: str
) -> None:
    known = [one for one in usage if one["developer_id"]]
    first = min(one["used_on"] for one in known)
    expected: dict[tuple[str, date, str], Any] = {}
    for start in periods(period):
        end = end_of(period, start)
        own = [one for one in known if start <= one["used_on"] <= end]
        delivered = [one for one in work if start <= one["delivered_on"] <= end]
        people = {one["developer_id"] for one in delivered}
        etv = sum(one["etv_micro"] for one in delivered)
        if end < first:
            continue
        spend = cost(own) / 1000
        users = people & {one["developer_id"] for one in own if one["is_active"]}
        expected[period, start, "ai_spend"] = (
            pytest.approx(spend, abs=1),
            len({o["developer_id"] for o in own}),
        )
        if etv:
            unit_cost = pytest.approx(spend / etv * MICRO, rel=1e-5, abs=1)
            expected[period, start, "ai_unit_cost"] = (unit_cost, len({o["developer_id"] for o in own}))
        expected[period, start, "ai_users"] = (len(users) * MICRO, len(people))
    found = {
        key: (one["value_micro"], one["basis"] or 0)
        for key, one in facts.items()
        if key[0] == period and key[2] in MEASURES
    }
    assert found == expected
    assert len(found) > 5
    assert {one["unit"] for key, one in facts.items() if key[2] in MEASURES[:2]} == {"USD"}


def test_what_is_added_to_no_other_stands_apart(
    facts: dict[Any, dict[str, Any]], usage: list[dict[str, Any]]
) -> None:
    compared = 0
    for start in periods("month"):
        own = [one for one in usage if start <= one["used_on"] <= end_of("month", start)]
        for fact_id, rows, currency in (
            ("ai_spend_unattributed", [one for one in own if one["developer_id"] is None], "USD"),
            ("ai_spend_other.EUR", own, "EUR"),
        ):
            found = facts.get(("month", start, fact_id))
            expected = cost(rows, currency) // 1000
            assert (found["value_micro"] if found else 0) == expected, (start, fact_id)
            assert found is None or found["unit"] == currency
            compared += bool(found)
    assert compared > 8


def test_a_usual_range_is_that_of_the_periods_before(facts: dict[Any, dict[str, Any]]) -> None:
    monday = start_of("week", TODAY)
    values = []
    for _ in range(12):
        monday = before("week", monday)
        values.append(facts["week", monday, "ai_spend"]["value_micro"])
    running = facts["week", start_of("week", TODAY), "ai_spend"]
    assert (running["low_micro"], running["high_micro"]) == (min(values), max(values))
    assert running["previous_micro"] == values[0]


def test_a_team_has_the_spend_of_its_people_and_of_the_teams_below(
    spent: Path, usage: list[dict[str, Any]]
) -> None:
    """Usage has no repository."""
    lines = warehouse.rows(spent, "from int_teams__ancestors")
    compared = 0
    for fact in warehouse.rows(
        spent, "from summary_facts where kind = 'ai_spend' and scope_kind <> 'ORGANIZATION'"
    ):
        assert fact["scope_kind"] == "TEAM"
        teams = {line["team_id"] for line in lines if line["ancestor_id"] == fact["scope_id"]}
        end = end_of(fact["period"], fact["period_start"])
        own = [
            one for one in usage if one["team_id"] in teams and fact["period_start"] <= one["used_on"] <= end
        ]
        assert fact["value_micro"] == pytest.approx(cost(own) / 1000, abs=1)
        compared += bool(own)
    assert compared > 5
