"""Telemetry beside the reports of vendors, compared with loops over the facts."""

from collections import defaultdict
from collections.abc import Callable
from datetime import date
from typing import Any

import httpx
import pytest

from tests.api.ai_usage_facts import Compared, compared
from tests.api.conftest import ROOT
from tests.api.published_facts import UNIT, Facts
from tests.api.table_files import read_file

FIRST, LAST = date(2026, 6, 1), date(2026, 11, 20)
DAYS: dict[str, Any] = {"startDate": str(FIRST), "endDate": str(LAST), "pageSize": 1000}
PATH = f"{ROOT}/aiSpend/reconciliation"
KEYS: dict[str, Callable[[Compared], tuple[Any, ...]]] = {
    "TOOL": lambda one: (one.tool, None, None),
    "DEVELOPER": lambda one: (one.tool, one.developer, None),
    "DAY": lambda one: (one.tool, one.developer, str(one.day)),
}


def in_range(facts: Facts) -> list[Compared]:
    return [one for one in compared(facts) if FIRST <= one.day <= LAST]


def listed(client: httpx.Client, **asked: Any) -> dict[str, Any]:
    body: dict[str, Any] = client.get(PATH, params=DAYS | asked).raise_for_status().json()
    return body


@pytest.mark.parametrize("grouping", KEYS)
def test_rows_are_sums_of_both_sides(client: httpx.Client, facts: Facts, grouping: str) -> None:
    expected: dict[tuple[Any, ...], list[Compared]] = defaultdict(list)
    for one in in_range(facts):
        expected[KEYS[grouping](one)].append(one)
    found = listed(client, groupBy=grouping)
    rows = {(row["tool"], row["developerId"], row["day"]): row for row in found["reconciliation"]}
    assert rows.keys() == expected.keys()
    assert found["totalSize"] == len(expected)
    for key, own in expected.items():
        vendor, telemetry = sum(one.vendor for one in own), sum(one.telemetry for one in own)
        row = rows[key]
        assert (row["vendorTokens"], row["telemetryTokens"]) == (vendor, telemetry)
        assert row["differenceTokens"] == vendor - telemetry
        assert row["capturedShare"] == (pytest.approx(telemetry / vendor, abs=1e-6) if vendor else None)
        assert row["vendorCost"] == pytest.approx(3 * vendor / UNIT)
        known = all(one.telemetry_cost is not None for one in own)
        assert row["telemetryCost"] == (pytest.approx(3 * telemetry / UNIT) if known else None)
        assert row["differenceCost"] == (pytest.approx(3 * (vendor - telemetry) / UNIT) if known else None)
        assert row["developerName"] == facts.developers.get(key[1])
        nobody = grouping != "TOOL" and key[1] is None
        assert row["actor"] == ("unattributed" if nobody else None)
    differences = [row["differenceTokens"] for row in found["reconciliation"]]
    assert differences == sorted(differences, reverse=True)


def test_filters_narrow_the_rows(client: httpx.Client, facts: Facts) -> None:
    assert {row["tool"] for row in listed(client, tool="cursor")["reconciliation"]} == {"cursor"}
    person = next(one.developer for one in in_range(facts) if one.developer)
    of_one = listed(client, groupBy="DAY", developer=person)["reconciliation"]
    assert {row["developerId"] for row in of_one} == {person}
    missing = listed(client, groupBy="DAY", filter="capturedShare < 0.5")["reconciliation"]
    assert len(missing) == len(
        [one for one in in_range(facts) if one.vendor and one.telemetry < one.vendor / 2]
    )


@pytest.mark.parametrize("group", ["TOOL", "DEVELOPER", "DAY"])
@pytest.mark.parametrize("kind", ["CSV", "XLSX", "PARQUET"])
def test_a_file_has_the_rows_of_the_list(client: httpx.Client, group: str, kind: str) -> None:
    asked = {"startDate": "2026-06-01", "endDate": "2026-11-20", "groupBy": group}
    rows = client.get(PATH, params=asked | {"pageSize": 1000}).json()["reconciliation"]
    answer = client.get(PATH, params=asked | {"format": kind}).raise_for_status()
    fields = {"tool": "tool", "developer_name": "developerName", "vendor_tokens": "vendorTokens",
              "difference_cost": "differenceCost"}  # fmt: skip
    assert read_file(kind, answer.content, tuple(fields)) == [
        tuple(row[name] for name in fields.values()) for row in rows
    ]
    assert len(rows) > 1
