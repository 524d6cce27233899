"""Months of the CapEx report: their shares with intervals, and whether they are closed.

Keep out: reads and forms of the page (capex.py).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from math import sqrt
from typing import Any

from starlette.datastructures import QueryParams

# No report begins before; a year of months before it must be a date too.
EARLIEST = date(1970, 1, 1)
LOCKED, OPEN, RUNNING = "locked", "open", "running"


@dataclass(frozen=True, slots=True)
class Share:
    """The capitalized part of a month, over people.

    Shares are from 0 to 1, and None without effort. `idle` are the hours of people without effort; they are in neither
    part. The interval takes the errors of people as independent: half widths add up as squares.
    """

    people: int
    capex: float
    opex: float
    idle: float
    low: float | None
    high: float | None
    uncertain: int

    @property
    def value(self) -> float | None:
        """Capitalized hours of all hours with a share."""
        return self.capex / (self.capex + self.opex) if self.capex + self.opex else None


@dataclass(frozen=True, slots=True)
class Month:
    """A month of the strip: `state` is locked, open or running."""

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


def share_of(rows: Iterable[Mapping[str, Any]]) -> Share:
    """The share of rows of the report."""
    found = list(rows)
    worked = [row for row in found if row["capexPercent"] is not None]
    capex, opex = (sum(row[name] for row in worked) for name in ("capexHours", "opexHours"))
    idle = sum(row["hours"] for row in found) - capex - opex
    known = [row for row in worked if row["capexPercentLow"] is not None]
    below, above = (
        sqrt(sum((row["hours"] * (row["capexPercent"] - row[name]) / 100) ** 2 for row in known))
        for name in ("capexPercentLow", "capexPercentHigh")
    )
    hours = capex + opex
    has_interval = hours > 0 and len(known) == len(worked)
    return Share(
        len(found),
        capex,
        opex,
        # A difference of sums can miss zero by a rounding error.
        idle if abs(idle) > 1e-6 else 0.0,
        max(0.0, (capex - below) / hours) if has_interval else None,
        min(1.0, (capex + above) / hours) if has_interval else None,
        sum(row["capexPercentLow"] != row["capexPercentHigh"] for row in known),
    )


def chosen_month(query: QueryParams, today: date, locked: set[str]) -> date:
    """The month of the address; without one the newest complete one, or the running one after its lock."""
    try:
        wanted = date.fromisoformat(f"{query.get('month', '')}-01")
    except ValueError:
        wanted = None
    running = today.replace(day=1)
    if wanted is not None and EARLIEST <= wanted <= running:
        return wanted
    newest = (running - timedelta(days=1)).replace(day=1)
    # A person who has just locked a month sees it locked, and not the next one.
    is_newly_locked = query.get("done") == "lock"
    return newest if is_newly_locked or newest.isoformat() not in locked else running


def months_until(last: date, count: int = 12) -> list[date]:
    """First days of `count` months, of which `last` is the last one."""
    place = last.year * 12 + last.month - 1
    return [date(at // 12, at % 12 + 1, 1) for at in range(place - count + 1, place + 1)]


def after(first: date) -> date:
    """The first day of the month after that of `first`."""
    return (first.replace(day=28) + timedelta(days=4)).replace(day=1)


def strip(
    months: list[date], rows: Iterable[Mapping[str, Any]], locked: set[str], today: date
) -> list[Month]:
    """The months with their states and shares."""
    found = list(rows)
    running = today.replace(day=1)
    return [
        Month(
            first,
            RUNNING if first >= running else LOCKED if first.isoformat() in locked else OPEN,
            share_of(row for row in found if row["month"] == first.isoformat()),
        )
        for first in months
    ]
