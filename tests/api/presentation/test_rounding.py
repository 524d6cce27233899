"""Figures beside one another add up as they are shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.presentation.formats import number
from api.presentation.rounding import rounding_note, shown, shown_difference, shown_parts, shown_shares

values = st.floats(-2_000, 2_000, allow_nan=False)


def read(text: str) -> int:
    """Tenths of a written figure."""
    return int(text.replace(",", "").replace(".", ""))


@given(values, values)
def test_a_difference_is_that_of_the_written_figures(now: float, before: float) -> None:
    expected = read(number(now)) - read(number(before))
    assert read(number(shown_difference(now, before))) == expected


@given(st.lists(values, min_size=1, max_size=6), values)
def test_parts_add_up_to_the_written_difference(parts: list[float], before: float) -> None:
    now = before + sum(parts)
    moved = shown_difference(now, before)
    rounded = shown_parts(parts, moved)
    assert sum(read(number(one)) for one in rounded) == read(number(moved))
    assert all(abs(one - part) <= 0.2 for one, part in zip(rounded, parts, strict=True))


@pytest.mark.parametrize(
    ("now", "before", "difference"), [(18.74, 25.46, -6.8), (25.46, 18.74, 6.8), (0.04, 0.0, 0.0)]
)
def test_figures_that_a_reader_subtracts(now: float, before: float, difference: float) -> None:
    assert shown_difference(now, before) == difference


def test_a_part_of_nothing_stays_nothing_while_others_can_take_what_is_left() -> None:
    assert shown_parts([0.0, -6.04, -0.66], -6.8) == [0.0, -6.1, -0.7]


def test_parts_of_another_total_are_rounded_each_by_itself() -> None:
    assert shown_parts([1.04, 2.0], 50) == [1.0, 2.0]
    assert shown(2.25, 1) == 2.2


@pytest.mark.parametrize(
    ("values", "total", "note"),
    [
        ([111.73, 110.13], 221.86, "Each figure is rounded by itself; together they are 221.9."),
        ([111.7, 110.1], 221.8, ""),
        ([111.73, 110.13], 230.0, ""),
        ([], 0.0, ""),
    ],
)
def test_figures_that_are_rounded_by_themselves_say_what_they_are_together(
    values: list[float], total: float, note: str
) -> None:
    assert rounding_note(values, total) == note


def test_percents_of_a_whole_add_up_to_a_hundred() -> None:
    exact = [0.2026, 0.2251, 0.2709, 0.1655, 0.1359]
    assert sum(round(100 * one) for one in exact) == 101
    found = shown_shares(exact)
    assert sum(round(100 * one) for one in found) == 100
    assert max(abs(one - share) for one, share in zip(found, exact, strict=True)) < 0.005


@given(st.lists(st.integers(1, 1_000_000), min_size=1, max_size=8))
def test_each_percent_is_within_one_of_its_own(amounts: list[int]) -> None:
    exact = [amount / sum(amounts) for amount in amounts]
    found = shown_shares(exact)
    assert all(abs(one - share) <= 0.01 for one, share in zip(found, exact, strict=True))
    assert shown_shares([0.2, 0.3]) == [0.2, 0.3]
