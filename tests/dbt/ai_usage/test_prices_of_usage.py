"""What usage costs: the price table, agreed prices, tiers and estimates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.dbt import warehouse
from tests.dbt.ai_usage.reported_usage import ANN, price, session


def test_computed_cost_is_that_of_the_price_table(usage: dict[str, dict[str, Any]]) -> None:
    read = {"input_tokens": 1000 + 50_000 + 730, "cache_read_tokens": 50_000, "cache_write_tokens": 730}
    expected = price("claude-opus-5", output_tokens=1000, cache_write_1h_tokens=30, **read)
    assert (usage["ann"]["cost_nano"], usage["ann"]["cost_basis"]) == (expected, "computed")
    assert usage["ann"]["price_source"].startswith("genai-prices ")
    fast = price("claude-opus-5", input_tokens=1000, output_tokens=1000, price_context={"speed": "fast"})
    assert usage["fast"]["cost_nano"] == fast


def test_an_agreed_discount_lowers_the_cost(usage: dict[str, dict[str, Any]]) -> None:
    listed = price("gpt-5.3-codex", input_tokens=1000, output_tokens=1000)
    assert usage["key of ann"]["cost_nano"] == round(listed * 0.9)
    assert "agreed price p" in usage["key of ann"]["price_source"]


def test_an_agreed_price_comes_before_the_estimate_of_a_vendor(usage: dict[str, dict[str, Any]]) -> None:
    listed = price("gpt-5.3-codex", input_tokens=1000, output_tokens=1000)
    agreed = usage["agreed"]
    assert (agreed["cost_nano"], agreed["cost_basis"]) == (round(listed * 0.9), "computed")


def test_a_tier_is_that_of_the_mean_request(usage: dict[str, dict[str, Any]]) -> None:
    large = price("gpt-6-astra", input_tokens=300_000, output_tokens=10)
    small = round(300_000 * 10 * 1e3 + 10 * 50 * 1e3)
    assert usage["usage"]["cost_nano"] == large > small
    assert (usage["small"]["cost_nano"], usage["small"]["is_tier_unknown"]) == (small, False)
    assert (usage["unknown number"]["cost_nano"], usage["unknown number"]["is_tier_unknown"]) == (small, True)


def test_what_has_no_price_says_why(usage: dict[str, dict[str, Any]]) -> None:
    told = {key: usage[key]["unpriced_reason"] for key in ("stranger", "odd", "fast")}
    assert told == {
        "stranger": "unknown model [1m]nothing",
        "odd": "unknown speed ludicrous",
        "fast": None,
    }
    odd = usage["odd"]
    assert (odd["cost_nano"], odd["counts_cost"], odd["counts_tokens"]) == (None, False, True)


def test_what_is_billed_needs_no_price(usage: dict[str, dict[str, Any]]) -> None:
    """Copilot names no model beside its tokens."""
    told = {
        key: (usage[key]["cost_nano"], usage[key]["unpriced_reason"]) for key in ("credits", "no credits")
    }
    assert told == {"credits": (9, None), "no credits": (None, "no model named")}


def test_the_estimate_of_a_tool_counts_without_a_price(usage: dict[str, dict[str, Any]]) -> None:
    (unpriced,) = session(usage, "no price")
    assert (unpriced["cost_nano"], unpriced["cost_basis"]) == (77, "client_estimated")


def test_each_request_has_the_tier_of_its_own_size(usage: dict[str, dict[str, Any]]) -> None:
    small, large = session(usage, "tiers")
    assert small["cost_nano"] == price("gpt-6-astra", input_tokens=10, output_tokens=100)
    assert large["cost_nano"] == price("gpt-6-astra", input_tokens=300_000, output_tokens=100)


def test_both_sides_have_the_same_prices(filled: Path, usage: dict[str, dict[str, Any]]) -> None:
    rows = {
        (one["used_on"].day, one["actor"]): one
        for one in warehouse.rows(filled, "select * from ai_usage_reconciliation")
    }
    reported = price("claude-opus-5", input_tokens=100, output_tokens=100)
    ann = rows[2, ANN]
    assert (ann["vendor_nano"], ann["telemetry_nano"]) == (usage["ann"]["computed_nano"], reported)
    assert ann["difference_nano"] == ann["vendor_nano"] - reported
    unpriced = rows[2, "zoe@elsewhere.example"]
    assert (unpriced["vendor_nano"], unpriced["difference_nano"]) == (None, None)
    # The vendor's own estimate is no side of the comparison.
    estimated = rows[3, "zoe@elsewhere.example"]
    assert estimated["vendor_nano"] == price("claude-opus-5", input_tokens=1000, output_tokens=1000)
