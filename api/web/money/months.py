"""Months of the CapEx report: their shares with intervals, and whether they are closed.

Keep out: reads and forms of the page (capex.py).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from starlette.datastructures import QueryParams

from api.presentation.rounding import rounding_note

# No report begins before; a year of months before it must be a date too.
EARLIEST = date(1970, 1, 1)
LOCKED, OPEN, RUNNING, COMPLETE = "locked", "open", "running", ""


@dataclass(frozen=True, slots=True)
class Share:
    """The capitalized part of a month, over people.

    Shares are from 0 to 1, and None without effort, as are both kinds of hours. `idle` are the hours of people without
    effort; they are of neither kind.
    """

    people: int = 0
    hours: float = 0.0
    idle: float = 0.0
    capex: float | None = None
    opex: float | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    undated: int = 0
    """People without a joining date."""


@dataclass(frozen=True, slots=True)
class Month:
    """A month of the strip: `state` is locked, open or running; empty for one that is over where locks are hidden."""

    first: date
    state: str
    share: Share

    @property
    def last(self) -> date:
        """Its last day."""
        return after(self.first) - timedelta(days=1)

    @property
    def name(self) -> str:
        """The month as `July 2026`."""
        return f"{self.first:%B %Y}"

    @property
    def short(self) -> str:
        """The month as `Jul`."""
        return f"{self.first:%b}"


def share_of(row: Mapping[str, Any]) -> Share:
    """The share of a month of the report."""
    value, low, high = (
        None if row[name] is None else row[name] / 100
        for name in ("capexPercent", "capexPercentLow", "capexPercentHigh")
    )
    return Share(
        row["developers"],
        row["hours"],
        row["hoursWithoutEffort"],
        row["capexHours"],
        row["opexHours"],
        value,
        low,
        high,
        row["developersWithoutJoiningDate"],
    )


def chosen_month(query: QueryParams, today: date) -> date:
    """The month of the address; without one the newest complete one, whether it waits for its lock or has it.

    The running month has nothing to sign, so only a link leads there. Earlier open months stay in the strip.
    """
    try:
        wanted = date.fromisoformat(f"{query.get('month', '')}-01")
    except ValueError:
        wanted = None
    running = today.replace(day=1)
    if wanted is not None and EARLIEST <= wanted <= running:
        return wanted
    return (running - timedelta(days=1)).replace(day=1)


def months_until(last: date, count: int = 12) -> list[date]:
    """First days of `count` months, of which `last` is the last one."""
    place = last.year * 12 + last.month - 1
    return [date(at // 12, at % 12 + 1, 1) for at in range(place - count + 1, place + 1)]


def after(first: date) -> date:
    """The first day of the month after that of `first`."""
    return (first.replace(day=28) + timedelta(days=4)).replace(day=1)


def strip(
    months: list[date], rows: Iterable[Mapping[str, Any]], locked: set[str] | None, today: date
) -> list[Month]:
    """The months with their states and shares. `rows` are months of the report; `locked` is None where it is hidden."""
    found = {row["month"]: share_of(row) for row in rows}
    running = today.replace(day=1)
    return [
        Month(
            first,
            RUNNING if first >= running else _complete(first, locked),
            found.get(first.isoformat(), Share()),
        )
        for first in months
    ]


def _complete(first: date, locked: set[str] | None) -> str:
    """The state of a month that is over."""
    if locked is None:
        return COMPLETE
    return LOCKED if first.isoformat() in locked else OPEN


def note_on_rounding(rows: Sequence[Mapping[str, Any]], share: Share) -> str:
    """The sentence below the people of a month whose hours or effort do not add up as they read; empty where they do.

    The hours of a person are those that the files have, each rounded by itself.
    """
    columns = (("hours", share.hours), ("capexHours", share.capex), ("opexHours", share.opex))
    split = [row for row in rows if row["capexHours"] is not None and row["opexHours"] is not None]
    sums = [([row[name] or 0.0 for row in rows], total or 0.0) for name, total in columns]
    sums += [([row["capexHours"], row["opexHours"]], row["hours"]) for row in split]
    efforts = [[row[name] or 0.0 for row in rows] for name in ("effort", "capitalizableEffort")]
    sums += [(values, sum(values)) for values in efforts]
    is_apart = any(rounding_note(values, total) for values, total in sums)
    return "Each figure is rounded by itself; the files have all decimals." if is_apart else ""
