"""Months of the CapEx report: their shares with intervals, and whether they are closed.

Keep out: reads and forms of the page (capex.py).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from starlette.datastructures import QueryParams

from api.presentation.rounding import shown, shown_parts

# No report begins before; a year of months before it must be a date too.
EARLIEST = date(1970, 1, 1)
LOCKED, OPEN, RUNNING, COMPLETE = "locked", "open", "running", "complete"


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
    """A month of the strip: `state` is locked, open or running, or complete for a reader who may not see locks."""

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


def as_shown(rows: Sequence[Mapping[str, Any]], share: Share) -> list[dict[str, Any]]:
    """The people of a month with hours that add up as they are shown: by person, and to the sum of the month."""
    hours = shown_parts([row["hours"] for row in rows], share.hours)
    parts = iter(shown_parts([row["capexHours"] for row in rows if _is_split(row)], share.capex or 0.0))
    found = []
    for row, of_month in zip(rows, hours, strict=True):
        one = dict(row) | {"hours": of_month}
        if _is_split(row):
            capex = next(parts)
            one |= {"capexHours": capex, "opexHours": shown(of_month - capex)}
        found.append(one)
    return found


def _is_split(row: Mapping[str, Any]) -> bool:
    """Whether the hours of a person are of the two kinds and nothing else."""
    capex, opex = row["capexHours"], row["opexHours"]
    return capex is not None and opex is not None and abs(row["hours"] - capex - opex) < ONE_HUNDREDTH


ONE_HUNDREDTH = 0.01
