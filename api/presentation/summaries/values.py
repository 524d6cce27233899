"""How a value of a fact reads. A number is rendered here only, so that it can be rendered again and compared."""

from __future__ import annotations

from datetime import date

from api.presentation import formats
from api.presentation.charts.texts import MONTHS
from api.presentation.metrics import MICRO
from api.presentation.summaries.facts import Fact

# What a number may cite of a fact, and the column.
FIELDS = {
    "value": "value_micro",
    "previous": "previous_micro",
    "low": "low_micro",
    "high": "high_micro",
    "basis": "basis",
    "on_date": "on_date",
}
# A percentage over fewer things is not told: one more thing would move it by more than ten points.
LEAST_BASIS = 10
# Cents of larger amounts say nothing.
_WHOLE_FROM = 100
# Letters of a currency (ISO 4217).
_CODE = 3
_MINUS = "−"
_SPACE = "\u00a0"
# A share of which signals can be missing is told as a lower bound.
_AT_LEAST = frozenset({"ai_share", "three_months.ai_share"})


def rendered(fact: Fact, field: str) -> str:
    """The text of a field of a fact; a dash where it has no value. Raises KeyError for a field that no fact has."""
    stored = getattr(fact, FIELDS[field])
    if stored is None:
        return formats.DASH
    if isinstance(stored, date):
        return day(stored)
    if field == "basis":
        return f"{stored:,}"
    return _with_minus(_value(fact, stored))


def day(value: date) -> str:
    """A date: 24 Aug 2026. Not by the locale of the process."""
    return f"{value.day} {MONTHS[value.month - 1]} {value.year}"


def is_money(fact: Fact) -> bool:
    """Whether the unit of a fact is a currency."""
    return fact.unit is not None and len(fact.unit) == _CODE and fact.unit != "ETV"


def is_told(fact: Fact) -> bool:
    """Whether the value of a fact reads as more than a dash."""
    return rendered(fact, "on_date" if fact.unit == "DATE" else "value") != formats.DASH


def reads_as_more_than_nothing(fact: Fact, field: str = "value") -> bool:
    """Whether a field of a fact reads as more than a dash or a zero."""
    return any(digit in "123456789" for digit in rendered(fact, field))


def _value(fact: Fact, micro: int) -> str:
    value = micro / MICRO
    if fact.unit == "SHARE":
        return _share(fact, value)
    if fact.unit == "SCORE":
        return formats.score(value)
    if fact.unit in ("COUNT", "DAYS"):
        return f"{value:,.0f}"
    if is_money(fact):
        is_whole = abs(value) >= _WHOLE_FROM or not micro % MICRO
        return f"{value:,.0f}" if is_whole else f"{value:,.2f}"
    return _signed(value) if fact.family == "cause" else formats.number(value)


def _share(fact: Fact, share: float) -> str:
    if fact.basis is not None and fact.basis < LEAST_BASIS:
        return formats.DASH
    if fact.fact_id in _AT_LEAST:
        return formats.share_at_least(share).replace(" ", _SPACE)
    percent = 100 * share
    # A tenth is the smallest share that reads as more than nothing.
    return f"{percent:.1f}{_SPACE}%" if 0.05 < percent < 1 else f"{percent:.0f}{_SPACE}%"


def _signed(value: float) -> str:
    text = f"{value:+,.1f}"
    return "0.0" if text in {"+0.0", "-0.0"} else text


def _with_minus(text: str) -> str:
    return text.removeprefix("-") if text in {"-0.0", "-0"} else text.replace("-", _MINUS)
