"""Sums of usage that outside programs send answer however large the numbers are."""

from __future__ import annotations

import duckdb
import pytest

from api.presentation.usage_measures import LARGEST, USAGE, capped, mean_confidence

LARGEST_STORED = 2**63 - 1


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([1, 2, None], 3),
        ([], None),
        ([None], None),
        ([LARGEST_STORED] * 3, LARGEST),
        ([-LARGEST_STORED] * 3, -LARGEST),
        ([LARGEST, -1], LARGEST - 1),
    ],
)
def test_a_sum_stands_at_the_largest_number(numbers: list[int | None], expected: int | None) -> None:
    values = "select unnest(?::bigint[]) as number"
    query = f"select {capped('sum(number)')} as total, typeof(total) from ({values})"
    assert duckdb.execute(query, [numbers]).fetchone() == (expected, "BIGINT")


def test_every_measure_of_usage_is_capped() -> None:
    columns = ", ".join(f"{LARGEST_STORED} as {name}" for name in USAGE)
    sums = ", ".join(f"{sql} as {name}" for name, sql in USAGE.items())
    found = duckdb.execute(f"select {sums} from (select {columns} from range(3))").fetchone()
    assert found == (LARGEST,) * len(USAGE)


@pytest.mark.parametrize(
    ("costs", "expected"),
    [
        ([(10, 1_000_000), (-8, None)], 1_000_000),
        ([(10, 1_000_000), (-8, 300_000)], 1_000_000),
        ([(3, 1_000_000), (1, 600_000), (0, 0)], 900_000),
        ([(8, 1_000_000), (-8, None)], None),
        ([(-8, 1_000_000)], None),
        ([(None, None)], None),
    ],
)
def test_only_positive_costs_weigh_in_the_mean_confidence(
    costs: list[tuple[int | None, int | None]], expected: int | None
) -> None:
    rows = ", ".join(f"({cost or 'null'}::bigint, {sure or 'null'}::integer)" for cost, sure in costs)
    of_all = f"select {mean_confidence('cost', 'sure')} from (values {rows}) as costs (cost, sure)"
    assert duckdb.sql(of_all).fetchone() == (expected,)
