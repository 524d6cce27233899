"""Usage by day of developers and by commit, against plain Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.dbt import warehouse
from tests.dbt.ai_usage.linked import expected_costs


def test_a_day_of_a_developer_sums_what_counts(filled: Path, usage: dict[str, dict[str, Any]]) -> None:
    counted = [one for one in warehouse.rows(filled, "select * from ai_usage") if one["developer_id"]]
    tokens = (
        "input_tokens",
        "cache_read_tokens",
        "cache_write_5m_tokens",
        "cache_write_1h_tokens",
        "output_tokens",
    )
    days = warehouse.rows(filled, "select * from ai_days")
    assert {one["used_on"] for one in days} == {one["used_on"] for one in counted}
    for day in days:
        key = ("used_on", "developer_id")
        own = [one for one in counted if all(one[name] == day[name] for name in key)]
        costs = [one["cost_nano"] for one in own if one["counts_cost"] and one["cost_currency"] == "USD"]
        read = [sum(one[kind] or 0 for kind in tokens) for one in own if one["counts_tokens"]]
        lines = [
            one["lines_accepted"]
            for one in own
            if one["counts_activity"] and one["lines_accepted"] is not None
        ]
        assert day["usage_cost_nano"] == (sum(costs) if costs else None)
        assert day["usage_tokens"] == (sum(read) if read else None)
        assert day["usage_lines_accepted"] == (sum(lines) if lines else None)
        assert day["usage_days"] == max(one["is_active"] for one in own)


def test_cost_reaches_commits_by_the_first_way_that_finds_some(filled: Path) -> None:
    rows = warehouse.rows(filled, "select * from ai_costs")
    found = {
        tuple(
            one[name] for name in ("used_on", "tool", "developer_id", "cost_currency", "commit_id", "method")
        ): one["cost_nano"]
        for one in rows
    }
    assert found == expected_costs(filled)
    assert {one["method"] for one in rows} == {"session", "session_of_day", "day", "next_day", "none"}


def test_linked_and_unlinked_cost_is_all_cost(filled: Path) -> None:
    key = "used_on, tool, developer_id, team_id, cost_currency"
    linked = warehouse.rows(filled, f"select {key}, sum(cost_nano) as cost from ai_costs group by {key}")
    counted = warehouse.rows(
        filled, f"select {key}, sum(cost_nano) as cost from ai_usage where counts_cost group by {key}"
    )
    assert sorted(map(repr, linked)) == sorted(map(repr, counted))
    assert {one["cost_currency"] for one in linked} == {"USD", "EUR"}
    assert len(linked) > 20
