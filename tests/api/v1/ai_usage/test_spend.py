"""AI spend, compared with loops over the facts."""

import csv
import io
from collections import defaultdict
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import httpx
import pytest

from tests.api.ai_usage_facts import Used, used
from tests.api.conftest import ROOT
from tests.api.published_facts import UNIT, Facts

FIRST, LAST = date(2026, 6, 1), date(2026, 11, 20)
DAYS: dict[str, Any] = {"startDate": str(FIRST), "endDate": str(LAST), "pageSize": 1000}
KEYS: dict[str, tuple[str, Callable[[Used], Any]]] = {
    "TOOL": ("tool", lambda one: one.tool),
    "MODEL": ("model", lambda one: one.model),
    "DEVELOPER": ("developerId", lambda one: one.developer),
    "TEAM": ("teamId", lambda one: one.team),
    "WEEK": ("periodStart", lambda one: str(one.day - timedelta(days=one.day.weekday()))),
    "MONTH": ("periodStart", lambda one: f"{one.day:%Y-%m}-01"),
}


def in_range(facts: Facts) -> list[Used]:
    return [one for one in used(facts) if FIRST <= one.day <= LAST]


@pytest.mark.parametrize("grouping", KEYS)
def test_costs_and_tokens_are_sums_of_what_counts(client: httpx.Client, facts: Facts, grouping: str) -> None:
    column, key = KEYS[grouping]
    expected: dict[tuple[Any, str], list[Used]] = defaultdict(list)
    for one in in_range(facts):
        expected[key(one), one.currency].append(one)
    found = client.get(f"{ROOT}/aiSpend", params=DAYS | {"groupBy": grouping}).json()
    rows = {(row[column], row["currency"]): row for row in found["aiSpend"]}
    assert rows.keys() == expected.keys()
    assert found["totalSize"] == len(expected)
    for place, own in expected.items():
        counted = [one for one in own if one.is_counted]
        row = rows[place]
        cost = sum(one.cost for one in counted)
        assert row["cost"] == (pytest.approx(cost / UNIT) if counted else None)
        assert row["billedCost"] == pytest.approx(cost / UNIT)
        assert row["notCountedCost"] == pytest.approx(
            sum(one.cost for one in own if not one.is_counted) / UNIT
        )
        unknown = sum(one.cost for one in counted if one.developer is None)
        assert row["unattributedCost"] == pytest.approx(unknown / UNIT)
        if row["etv"] and row["cost"] is not None:
            assert row["costPerEtv"] == pytest.approx(
                (cost - unknown) / UNIT / row["etv"], rel=1e-4, abs=1e-6
            )
        assert row["inputTokens"] == (sum(one.tokens for one in counted) if counted else None)
        assert row["activeDays"] == len({one.day for one in own})
        assert row["people"] == len({one.developer for one in own} - {None})
        assert row["isCapped"] == any(one.is_capped for one in own)
        names = ", ".join(sorted({one.model_as_named for one in own}))
        assert row["modelNames"] == (names if grouping == "MODEL" else None)


def test_etv_is_that_of_the_same_people_and_days(client: httpx.Client, facts: Facts) -> None:
    rows = client.get(f"{ROOT}/aiSpend", params=DAYS | {"groupBy": "DEVELOPER"}).json()["aiSpend"]
    shown = client.get(f"{ROOT}/developers", params=DAYS).json()["developers"]
    etv = {row["id"]: row["etv"] for row in shown}
    assert any(row["costPerEtv"] for row in rows)
    for row in rows:
        if row["developerId"] is None:
            assert (row["actor"], row["etv"], row["costPerEtv"]) == ("build-server", None, None)
        elif row["etv"]:
            assert row["etv"] == pytest.approx(etv[row["developerId"]])
            assert row["developerName"] == facts.developers[row["developerId"]]
            if row["cost"] is not None:
                assert row["costPerEtv"] == pytest.approx(row["cost"] / row["etv"], rel=1e-4)


def test_pages_and_filters_narrow_the_rows(client: httpx.Client, facts: Facts) -> None:
    tools = client.get(f"{ROOT}/aiSpend", params=DAYS | {"tool": "cursor"}).json()["aiSpend"]
    assert {row["tool"] for row in tools} == {"cursor"}
    costs: list[float] = []
    token = ""
    while True:
        asked = DAYS | {"groupBy": "DEVELOPER", "pageSize": 2, "pageToken": token}
        page = client.get(f"{ROOT}/aiSpend", params=asked).json()
        costs += [row["cost"] or 0.0 for row in page["aiSpend"]]
        token = page["nextPageToken"]
        if not token:
            break
    assert costs == sorted(costs, reverse=True)
    assert len(costs) == page["totalSize"] > 2
    some = client.get(f"{ROOT}/aiSpend", params=DAYS | {"filter": "cost > 1000000"}).json()
    assert (some["aiSpend"], some["totalSize"]) == ([], 0)
    person = next(one.developer for one in in_range(facts) if one.developer)
    (of_one,) = {
        row["developerId"]
        for row in client.get(
            f"{ROOT}/aiSpend", params=DAYS | {"groupBy": "DEVELOPER", "developer": person}
        ).json()["aiSpend"]
    }
    assert of_one == person


@pytest.mark.parametrize("grouping", KEYS)
def test_a_file_has_the_rows_of_the_list(client: httpx.Client, grouping: str) -> None:
    asked = {key: DAYS[key] for key in ("startDate", "endDate")} | {"groupBy": grouping}
    listed = client.get(f"{ROOT}/aiSpend", params=DAYS | {"groupBy": grouping}).json()["aiSpend"]
    answer = client.get(f"{ROOT}/aiSpend", params=asked | {"format": "CSV"})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [(row["cost"], row["cost_per_etv"]) for row in rows] == [
        tuple("" if row[name] is None else str(row[name]) for name in ("cost", "costPerEtv"))
        for row in listed
    ]
    refused = client.get(f"{ROOT}/aiSpend", params=asked | {"format": "CSV", "filter": "nothing > 1"})
    assert refused.status_code == 400
