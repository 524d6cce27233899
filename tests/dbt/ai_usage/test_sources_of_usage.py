"""Which source counts, and what stands beside it."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from tests.dbt import warehouse
from tests.dbt.ai_usage.reported_usage import ANN, CLAUDE, price, session


def test_one_source_counts_for_a_tool_person_and_day(usage: dict[str, dict[str, Any]]) -> None:
    # Billed money counts before tokens times price, whose tokens count nevertheless.
    assert [usage["costs"][f"counts_{kind}"] for kind in ("cost", "tokens", "activity")] == [
        True,
        False,
        False,
    ]
    assert [usage["usage"][f"counts_{kind}"] for kind in ("cost", "tokens", "activity")] == [
        False,
        True,
        False,
    ]
    assert [usage["ann activity"][f"counts_{kind}"] for kind in ("cost", "tokens", "activity")] == [
        False,
        False,
        True,
    ]
    assert (usage["estimated"]["cost_nano"], usage["estimated"]["cost_currency"]) == (5, "USD")


def test_a_bill_that_names_nobody_and_the_keys_behind_it_count_once(usage: dict[str, dict[str, Any]]) -> None:
    counted = {
        key: one["counts_cost"]
        for key, one in usage.items()
        if one["connection_kind"] == "OPENAI" and one["used_on"] in (date(2026, 11, 10), date(2026, 11, 11))
    }
    assert counted == {
        "ci-key": True, "a service": True, "bill of gpt-6-astra 10": False, "bill of images 10": True,
        # The bill may have the key's model by another name.
        "other names": False, "bill of images 11": True,
    }  # fmt: skip
    assert usage["other names"]["counts_tokens"]


def test_a_bill_and_the_keys_behind_it_may_spell_a_model_differently(
    usage: dict[str, dict[str, Any]],
) -> None:
    """Both stand for one usage, and the key tells more."""
    bill, key = usage["bill of gpt-6-astra-2026-02-01 12"], usage["another spelling"]
    assert (bill["counts_cost"], key["counts_cost"], key["counts_tokens"]) == (False, True, True)
    assert bill["common_model"] == key["common_model"] == "gpt-6-astra"


def test_telemetry_beside_a_login_that_nobody_knows_costs_nothing(usage: dict[str, dict[str, Any]]) -> None:
    """Both may be one person. The tokens are those of telemetry alone."""
    (beside,), (other,) = session(usage, "login"), session(usage, "other day")
    assert (usage["unknown login"]["counts_cost"], beside["counts_cost"], other["counts_cost"]) == (
        True,
        False,
        True,
    )
    assert beside["counts_tokens"]


def test_a_row_of_two_connections_of_one_kind_counts_once(usage: dict[str, dict[str, Any]]) -> None:
    assert usage["ann"]["connection_id"] == CLAUDE


def test_a_report_by_key_counts_on_days_without_one_by_person(usage: dict[str, dict[str, Any]]) -> None:
    assert usage["by key"]["counts_tokens"]
    assert usage["by person"]["counts_tokens"]
    assert "by key too" not in usage


def test_telemetry_counts_where_no_vendor_reports_the_person(usage: dict[str, dict[str, Any]]) -> None:
    (double,), (alone,) = session(usage, "double"), session(usage, "alone")
    assert (double["counts_cost"], double["counts_tokens"]) == (False, False)
    assert (alone["counts_cost"], alone["requests"], alone["cost_basis"]) == (True, 2, "computed")
    assert alone["cost_nano"] == 2 * price("claude-opus-5", input_tokens=100, output_tokens=100)
    assert alone["developer_id"] == usage["ann"]["developer_id"]


def test_telemetry_that_names_nobody_counts_on_days_without_a_vendor(
    usage: dict[str, dict[str, Any]],
) -> None:
    (unnamed,), (beside,) = session(usage, "unnamed"), session(usage, "unnamed, vendor")
    assert (unnamed["counts_cost"], unnamed["developer_id"], unnamed["actor"]) == (True, None, "random")
    assert beside["counts_cost"] is False


def test_counters_are_activity(usage: dict[str, dict[str, Any]]) -> None:
    (counted,) = session(usage, "counters")
    assert (counted["sessions"], counted["lines_accepted"], counted["lines_removed"]) == (1, 2, 3)
    assert (counted["counts_activity"], counted["counts_tokens"]) == (True, False)


def test_telemetry_stands_beside_the_report_of_the_vendor(filled: Path) -> None:
    """Claude Code reports the 2nd and 3rd. OpenAI's days are over before telemetry begins."""
    found = warehouse.rows(filled, "select * from ai_usage_reconciliation")
    assert {one["tool"] for one in found} == {"claude_code"}
    rows = {(one["used_on"].day, one["actor"]): one for one in found}
    columns = ("vendor_kind", "vendor_tokens", "telemetry_tokens", "difference_tokens", "captured_micro")
    assert {key: tuple(one[name] for name in columns) for key, one in rows.items()} == {
        (2, ANN): ("CLAUDE_CODE", 52_730, 200, 52_530, 200 * 10**6 // 52_730),
        (2, "zoe@elsewhere.example"): ("CLAUDE_CODE", 2000, 0, 2000, 0),
        (2, "random"): (None, 0, 200, -200, None),
        (3, "zoe@elsewhere.example"): ("CLAUDE_CODE", 2000, 0, 2000, 0),
    }
