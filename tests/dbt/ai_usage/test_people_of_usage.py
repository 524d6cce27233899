"""Whose usage a row is."""

from __future__ import annotations

from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from tests.dbt import warehouse
from tests.dbt.ai_usage.reported_usage import ANN, STRANGER, developer_of, session
from tests.dbt.invented.invented_history import PEOPLE


def test_a_row_belongs_to_the_developer_of_its_address(usage: dict[str, dict[str, Any]], built: Path) -> None:
    assert usage["ann"]["developer_id"] == developer_of(built, ANN)
    assert (usage["stranger"]["developer_id"], usage["stranger"]["actor"]) == (None, "zoe@elsewhere.example")


def test_a_key_is_of_the_developer_whom_somebody_named(usage: dict[str, dict[str, Any]], built: Path) -> None:
    assert usage["key of ann"]["developer_id"] == developer_of(built, ANN)
    assert usage["key of nobody"]["developer_id"] is None


def test_a_decision_for_several_people_comes_before_an_address(usage: dict[str, dict[str, Any]]) -> None:
    assert (usage["mailbox"]["developer_id"], usage["mailbox"]["actor"]) == (None, PEOPLE[1][1].lower())


def test_the_ingest_token_of_a_person_names_thedeveloper_of(usage: dict[str, dict[str, Any]]) -> None:
    (token,) = session(usage, "token")
    assert (token["developer_id"], token["actor"]) == (usage["ann"]["developer_id"], ANN)


def test_a_seat_is_as_active_as_the_vendor_or_any_usage_says(filled: Path) -> None:
    found = {
        (one["actor"], one["seen_on"].day): one
        for one in warehouse.rows(filled, "select * from int_ai_usage__seats")
    }
    columns = ("told_on", "used_on", "last_active_on", "is_pending_cancellation", "seats")
    november, october = partial(date, 2026, 11), partial(date, 2026, 10)
    assert {key: tuple(one[name] for name in columns) for key, one in found.items()} == {
        (ANN, 1): (None, None, None, False, 1),
        (ANN, 3): (october(4), november(2), november(2), False, 1),
        # Telemetry of the 20th is usage, too.
        (ANN, 20): (november(19), november(20), november(20), False, 1),
        (STRANGER, 3): (None, november(3), november(3), True, 1),
        ("eve@elsewhere.example", 3): (october(1), None, october(1), False, 1),
        (None, 3): (None, None, None, False, 2),
    }
    (ann,) = {found[ANN, day]["developer_id"] for day in (1, 3, 20)}
    assert ann is not None
    assert found[STRANGER, 3]["developer_id"] is None
    assert {found[ANN, day]["first_seen_on"] for day in (1, 3, 20)} == {november(1)}
