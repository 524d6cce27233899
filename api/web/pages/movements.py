"""What moved on the overview: the months, and the repositories and people with the largest differences in one of them.

Keep out: how a difference comes about (read/figures/movements.py).
"""

from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from api.presentation.rounding import shown, shown_difference, shown_parts
from api.web.drawing.figures import difference
from api.web.drawing.periods import Period
from api.web.frame import Place
from api.web.money.months import after
from api.web.reading import Answer

CATEGORIES = ("features", "maintenance", "tests", "documentation", "fixes")
MOVEMENTS = 6
PARTS = {
    "changes": ("Fewer changes of files", "More changes of files"),
    "size": ("Less ETV in a change of a file", "More ETV in a change of a file"),
    "mix": ("Another mix of categories", "Another mix of categories"),
    "rework": ("More work taken back", "Less work taken back"),
    "value": ("Less value of a change", "More value of a change"),
}
"""Parts of a movement, with the words for a negative and a positive one."""


def month_of(period: Period, asked: str) -> date | None:
    """The first day of the month whose movements are asked for, as `2026-09`; None for all months of the period."""
    try:
        first = date.fromisoformat(f"{asked}-01")
    except ValueError:
        return None
    return first if period.start.replace(day=1) <= first <= period.end else None


def days_of(first: date) -> dict[str, str]:
    """A month as parameters of the interface."""
    return {"startDate": first.isoformat(), "endDate": (after(first) - timedelta(days=1)).isoformat()}


def months_read(place: Place, first: date) -> Coroutine[Any, Any, Answer]:
    """The ETV of a month and of the one before by category."""
    names = ",".join(f"{name}Etv" for name in CATEGORIES)
    start = (first - timedelta(days=1)).replace(day=1)
    days = days_of(first) | {"startDate": start.isoformat()}
    return place.reads.read("metrics", interval="MONTH", metrics=f"etv,{names}", **days)


def by_category(found: Answer, total: dict[str, Any] | None) -> list[tuple[str, float]]:
    """The difference of each category, which add up to that of the month; nothing where they belong to another one."""
    lines = found.rows("series")
    points = lines[0]["points"] if lines else []
    if total is None or len(points) != 2:
        return []
    before, now = points
    if (
        None in (before["etv"], now["etv"])
        or shown_difference(now["etv"], before["etv"]) != total["difference"]
    ):
        return []
    return parts_of(before, now)


def parts_of(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[tuple[str, float]]:
    """What each category adds to the shown difference of two buckets."""
    parts = [(now[f"{name}Etv"] or 0.0) - (before[f"{name}Etv"] or 0.0) for name in CATEGORIES]
    return list(zip(CATEGORIES, shown_parts(parts, shown_difference(now["etv"], before["etv"])), strict=True))


def most_of(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """The category that moved most in the way of the whole, as `, most of it features, −3.4`; empty without one.

    Where it moved further than the whole, the one that moved most against it stands beside it.
    """
    moved = shown_difference(now["etv"], before["etv"])
    parts = parts_of(before, now)
    name, part = max(parts, key=lambda one: one[1] * moved)
    if part * moved <= 0:
        return ""
    if abs(part) > abs(moved):
        against, other = min(parts, key=lambda one: one[1] * moved)
        return f": {name} {difference(part)}, {against} {difference(other)}"
    return f", {'most of it' if abs(part) > abs(moved) / 2 else 'above all'} {name}, {difference(part)}"


def of_months(found: Answer) -> list[dict[str, Any]]:
    """A movement of each month, oldest first: that of the whole, or of the one team of a lead.

    Of several teams a month has no difference.
    """
    by_month: dict[str, list[dict[str, Any]]] = {}
    for row in found.rows("movements"):
        by_month.setdefault(row["periodStart"], []).append(row)
    return [
        as_shown(rows[0]) if len(rows) == 1 else {"periodStart": month, "difference": None}
        for month, rows in sorted(by_month.items())
    ]


def total_of(months: list[dict[str, Any]], first: date | None) -> dict[str, Any] | None:
    """The movement of the whole in a month; None without a month or without its movement."""
    asked = [row for row in months if first and row["periodStart"] == first.isoformat()]
    return next((_reasoned(row) for row in asked if row["difference"] is not None), None)


@dataclass(frozen=True, slots=True)
class Moved:
    """Movements of one kind of entity. `others` is the difference of all that are not among the rows."""

    rows: list[dict[str, Any]]
    others: float = 0.0


def largest(gains: Answer, losses: Answer, total: dict[str, Any] | None = None) -> Moved:
    """The movements with the largest differences, largest first, each with its largest part.

    They are among the largest gains and the largest losses; a short list of both may have one twice. With the movement
    of the whole, they add up to it as they are shown.
    """
    every = {
        (row["entityId"], row["periodStart"]): row
        for row in (*gains.rows("movements"), *losses.rows("movements"))
    }
    ordered = sorted(every.values(), key=lambda row: -abs(row["etv"] - row["previousEtv"]))[:MOVEMENTS]
    moved = [shown_difference(row["etv"], row["previousEtv"]) for row in ordered]
    whole = total["difference"] if total else None
    if whole is not None and gains.is_there and gains.body["totalSize"] <= len(ordered):
        moved = shown_parts(moved, whole)
    rows = [_reasoned(row, one) for row, one in zip(ordered, moved, strict=True) if one]
    return Moved(rows, 0.0 if whole is None else shown(whole - sum(moved)))


def by_name(moved: Moved) -> Moved:
    """People by their names: nobody is first."""
    return replace(moved, rows=sorted(moved.rows, key=lambda row: (row["name"].casefold(), row["entityId"])))


def as_shown(row: dict[str, Any], moved: float | None = None) -> dict[str, Any]:
    """A movement whose difference is `moved`, by default that of the shown ETV, and whose parts add up to it."""
    if moved is None:
        moved = shown_difference(row["etv"], row["previousEtv"])
    parts = [row[part] for part in PARTS]
    if None in parts:
        return row | {"difference": moved}
    return row | {"difference": moved} | dict(zip(PARTS, shown_parts(parts, moved), strict=True))


def _reasoned(row: dict[str, Any], moved: float | None = None) -> dict[str, Any]:
    """A movement with its largest part, the words for it, and the days of the month before, which has its other rows.

    Parts that would reveal few people are unknown.
    """
    before = (date.fromisoformat(row["periodStart"]) - timedelta(days=1)).replace(day=1)
    row = as_shown(row, moved) | {"before": days_of(before)}
    if any(row[part] is None for part in PARTS):
        return row | {"largest": "", "told": "Too few people for the reasons"}
    part = max(PARTS, key=lambda one: abs(row[one]))
    return row | {"largest": part, "told": PARTS[part][row[part] > 0]}
