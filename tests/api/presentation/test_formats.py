"""Figures as text, at the borders where their form changes."""

import pytest

from api.presentation.formats import DASH, counted, duration, share, share_at_least


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (0.996, "≥ 99 %"),
        (0.999999, "≥ 99 %"),
        (1.0, "100 %"),
        (0.29, "≥ 29 %"),
        (0.0049, "≥ 0.4 %"),
        (0.0, "≥ 0 %"),
        (None, DASH),
    ],
)
def test_a_lower_bound_is_never_rounded_up(value: float | None, told: str) -> None:
    assert share_at_least(value) == told


@pytest.mark.parametrize(
    ("part", "told"),
    [(0, DASH), (1, "<0.1 %"), (5, "0.1 %"), (994, "9.9 %"), (995, "10 %"), (10_000, "100 %")],
)
def test_a_small_share_has_a_decimal(part: int, told: str) -> None:
    assert share(part, 10_000) == told


@pytest.mark.parametrize(
    ("hours", "told"),
    [(None, DASH), (0.04, "0.0 h"), (47.9, "47.9 h"), (48.0, "2.0 d"), (48_000.0, "2,000.0 d")],
)
def test_a_time_is_in_days_from_two_days_on(hours: float | None, told: str) -> None:
    assert duration(hours) == told


def test_one_has_the_singular() -> None:
    assert [counted(n, "row", "rows") for n in (0, 1, 1202)] == ["0 rows", "1 row", "1,202 rows"]
