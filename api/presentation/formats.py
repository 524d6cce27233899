"""Figures as text: numbers, counts, shares and times. An unknown figure is a dash, never 0."""

import math

DASH = "–"
# Sums of equal parts in another order differ by less.
_EXACT = 1e-6


def number(value: float) -> str:
    """A number of ETV or hours with one decimal."""
    return f"{value:,.1f}"


def score(value: float | None) -> str:
    """A performance without decimals; a dash where it is unknown."""
    return DASH if value is None else f"{value:.0f}"


def counted(count: int, one: str, many: str) -> str:
    """A count with its noun: `1 commit`, `1,202 commits`."""
    return f"{count:,} {one if count == 1 else many}"


def share(part: int, whole: int) -> str:
    """A share in per cent, with a decimal if it is small; a dash for 0."""
    if not part or not whole:
        return DASH
    percent = 100 * part / whole
    if percent < 0.05:
        return "<0.1 %"
    return f"{percent:.0f} %" if percent >= 9.95 else f"{percent:.1f} %"


def share_at_least(share: float | None) -> str:
    """A share that is a lower bound; a dash where it is unknown.

    Rounded down, since 99.6 % is not at least 100 %, and with a decimal below 1 %.
    """
    if share is None:
        return DASH
    permille = math.floor(1000 * share + _EXACT)
    if permille >= 1000:
        return "100 %"
    return f"≥ {permille // 10} %" if permille >= 10 or not permille else f"≥ {permille / 10} %"


def count_at_least(count: int) -> str:
    """A count that is a lower bound; a dash for 0, because nothing was found."""
    return f"≥ {count:,}" if count else DASH


def dollars(amount: float | None) -> str:
    """An amount of US dollars with cents; a dash where it is unknown."""
    return DASH if amount is None else f"{amount:,.2f}"


def duration(hours: float | None) -> str:
    """A time in hours, or in days from two days on; a dash where it is unknown."""
    if hours is None:
        return DASH
    return f"{number(hours)} h" if hours < 48 else f"{number(hours / 24)} d"
