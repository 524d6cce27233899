"""Movements of ETV from month to month."""

from datetime import date
from typing import Any

import httpx
import pytest

from tests.api.conftest import ROOT
from tests.api.published_facts import ORGANIZATION, Facts

YEARS: dict[str, Any] = {"startDate": "2020-01-01", "endDate": "2026-12-31", "pageSize": 1000}


def movements(client: httpx.Client, **params: Any) -> list[dict[str, Any]]:
    response = client.get(f"{ROOT}/movements", params=YEARS | params)
    assert response.status_code == 200, response.text
    found: list[dict[str, Any]] = response.json()["movements"]
    return found


def test_the_parts_add_up_to_the_difference(client: httpx.Client) -> None:
    found = movements(client)
    assert found
    assert {row["entityKind"] for row in found} == {"ORGANIZATION"}
    for row in found:
        parts = sum(row[name] for name in ("changes", "mix", "size", "rework", "value"))
        assert parts == pytest.approx(row["etv"] - row["previousEtv"], abs=1e-9)


def test_newest_first_and_drafts_only_where_asked_for(client: httpx.Client) -> None:
    complete = [row["periodStart"] for row in movements(client)]
    assert complete == sorted(complete, reverse=True)
    every = movements(client, includeDrafts=True)
    assert {row["periodStart"] for row in every if row["isDraft"]} == {"2026-11-01"}
    assert [row["periodStart"] for row in every if not row["isDraft"]] == complete


def test_without_days_drafts_reach_to_today(client: httpx.Client) -> None:
    for days in ({}, {"startDate": "2026-09-01"}):
        answer = client.get(f"{ROOT}/movements", params=days | {"includeDrafts": True}).json()
        assert answer["movements"][0]["periodStart"] == "2026-11-01"
        closed = client.get(f"{ROOT}/movements", params=days).json()["movements"]
        assert [row for row in answer["movements"] if not row["isDraft"]] == closed


def test_one_developer_by_name(client: httpx.Client, facts: Facts) -> None:
    chosen = next(key for key, name in facts.developers.items() if name == "Ada")
    found = movements(client, entity="developer", id=chosen)
    assert found
    assert {(row["entityId"], row["name"]) for row in found} == {(chosen, "Ada")}
    assert movements(client, entity="developer", id=chosen.upper()) == found
    for wrong in ({"entity": "repository", "id": chosen}, {"entity": "organization", "id": chosen}):
        answer = client.get(f"{ROOT}/movements", params=wrong)
        assert (answer.status_code, answer.json()["code"]) == (404, 5)
        assert chosen in answer.json()["message"]
    whole = movements(client, entity="organization")
    assert movements(client, entity="organization", id=ORGANIZATION) == whole
    assert whole


def test_the_range_chooses_the_months_that_begin_in_it(client: httpx.Client) -> None:
    found = movements(client, startDate="2026-09-15", endDate="2026-10-31")
    assert {date.fromisoformat(row["periodStart"]).month for row in found} <= {9, 10}
    assert found


@pytest.mark.parametrize("wrong", [{"interval": "DAY"}, {"entity": "CATEGORY"}, {"filter": "none = 1"}])
def test_wrong_parameters_are_named(client: httpx.Client, wrong: dict[str, str]) -> None:
    response = client.get(f"{ROOT}/movements", params=wrong)
    assert response.status_code == 400
    assert next(iter(wrong)) in response.text
