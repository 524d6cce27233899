"""How figures are written: a number and its unit stay on one line, and differences are those of what is shown."""

import pytest

from api.web.drawing.figures import at_least, bound, difference_from, duration, money, percent

HARD = "\u00a0"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (percent(0.58), f"58{HARD}%"),
        (percent(0.003), f"0.3{HARD}%"),
        (at_least(0.129), f"≥{HARD}12{HARD}%"),
        (bound(0.129), f"12{HARD}%"),
        (bound(1.0), f"100{HARD}%"),
        (duration(148), f"6{HARD}d 4{HARD}h"),
        (money(12.5, "EUR"), f"EUR{HARD}12.50"),
    ],
)
def test_a_number_is_not_parted_from_its_unit(written: str, expected: str) -> None:
    assert written == expected


@pytest.mark.parametrize(
    ("now", "before", "expected"),
    [(18.74, 25.46, "−6.8"), (25.46, 18.74, "+6.8"), (1.04, 1.0, "0.0"), (None, 1.0, "no data")],
)
def test_a_difference_is_that_of_the_written_figures(now: float | None, before: float, expected: str) -> None:
    assert expected in difference_from(now, before)
