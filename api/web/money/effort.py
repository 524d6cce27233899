"""The way from the ETV of a month to its hours: how hours of people are split by their effort.

Keep out: months with their shares (months.py).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from api.presentation.rounding import shown
from api.web.drawing.figures import SPACE, etv, hours, percent
from api.web.money.months import Share

SAME = 1e-6
"""Effort and ETV differ where a fix of a costly bug counts more."""


def way_to_hours(rows: Sequence[Mapping[str, Any]], share: Share, month: str) -> str:
    """How the hours of a month follow from the effort of its people; empty without effort. `rows` are all of them."""
    effort, part, worth = (_sum(rows, name) for name in ("effort", "capitalizableEffort", "etv"))
    if not effort or share.value is None:
        return ""
    without = "" if abs(worth - effort) < SAME else " (without what fixes of costly bugs add)"
    told = (
        f"ETV estimates the output of {month}, and is no record of time: the {hours(share.hours - share.idle)} hours "
        f"with output are those of contracts. Of an output of {etv(effort)} ETV{without}, {etv(part)} can be "
        f"capitalized: {percent(part / effort)}. "
        "Each person’s hours are split by the share of that person’s own effort"
    )
    if percent(part / effort) == percent(share.value):
        return f"{told}."
    return f"{told}, and all hours with output weigh the same: {percent(share.value)}."


def split_of(row: Mapping[str, Any]) -> str:
    """The effort of a person that can be capitalized, of all effort; empty without effort."""
    if not row["effort"]:
        return ""
    part = shown(row["capitalizableEffort"])
    return f"{etv(part)}{SPACE}of{SPACE}{etv(row['effort'])}"


def _sum(rows: Sequence[Mapping[str, Any]], name: str) -> float:
    return sum(row[name] or 0.0 for row in rows)
