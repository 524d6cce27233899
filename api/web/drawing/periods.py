"""The days and buckets that a page shows, as its address names them.

`?period=12-months` counts back from today, `?period=last-quarter` names a part of the calendar,
`?startDate=…&endDate=…` names days; `interval` is the length of a bucket.
Keep out: the buckets of an answer (query/periods.py).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from starlette.datastructures import QueryParams

from api.query.periods import Range, whole_period

INTERVALS = {"DAY": 1.0, "WEEK": 7.0, "MONTH": 30.44, "QUARTER": 91.3, "YEAR": 365.25}
"""Names of intervals, with their mean length in days."""
MAX_BUCKETS = 60
"""Bars that are wide enough to be told apart in 600 pixels."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A range with a name: its choice in the filter, its label, its words within a sentence, and its usual buckets."""

    choice: str
    label: str
    words: str
    interval: str


COUNTED_BACK = {
    "12-weeks": Preset("12 weeks", "Last 12 weeks", "in twelve weeks", "WEEK"),
    "12-months": Preset("12 months", "Last 12 months", "in twelve months", "MONTH"),
    "8-quarters": Preset("8 quarters", "Last 8 quarters", "in eight quarters", "QUARTER"),
}
OF_CALENDAR = {
    "this-month": Preset("This month", "This month", "this month so far", "DAY"),
    "last-month": Preset("Last month", "Last month", "last month", "DAY"),
    "this-quarter": Preset("This quarter", "This quarter", "this quarter so far", "WEEK"),
    "last-quarter": Preset("Last quarter", "Last quarter", "last quarter", "WEEK"),
    "this-year": Preset("This year", "This year", "this year so far", "MONTH"),
}
PRESETS = COUNTED_BACK | OF_CALENDAR
MONTHS = {"month": 1, "quarter": 3, "year": 12}


@dataclass(frozen=True, slots=True)
class Bucketing:
    """A choice of the length of buckets; `reason` says why it is closed."""

    name: str
    label: str
    is_chosen: bool
    reason: str | None


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `start` to `end`, both included, in buckets of `interval`. `preset` is empty for named days."""

    start: date
    end: date
    interval: str
    preset: str

    @property
    def days(self) -> dict[str, str]:
        """The days as parameters of the interface."""
        return {"startDate": self.start.isoformat(), "endDate": self.end.isoformat()}

    @property
    def years_back(self) -> int:
        """How many years earlier the range to compare with lies: the fewest after which the two share no day."""
        whole = (self.end.month, self.end.day) >= (self.start.month, self.start.day)
        return max(1, self.end.year - self.start.year + whole)

    @property
    def days_before(self) -> dict[str, str]:
        """The same days of an earlier range, as parameters of the interface."""
        return {
            "startDate": years_before(self.start, self.years_back).isoformat(),
            "endDate": years_before(self.end, self.years_back).isoformat(),
        }

    @property
    def words_before(self) -> str:
        """The earlier range within a sentence: `the year before`, or `the 3 years before` for a range of three."""
        return "the year before" if self.years_back == 1 else f"the {self.years_back} years before"

    @property
    def label_before(self) -> str:
        """The earlier range as the head of a column."""
        return self.words_before.removeprefix("the ").capitalize()

    @property
    def words(self) -> str:
        """The period within a sentence: `in twelve months`."""
        if self.preset:
            return PRESETS[self.preset].words
        return f"from {_told(self.start)} to {_told(self.end)}"

    @property
    def label(self) -> str:
        """The period as the filter shows it."""
        return PRESETS[self.preset].label if self.preset else self.dates

    @property
    def is_running(self) -> bool:
        """Whether the range is a part of the calendar that is not over: its figures are a draft."""
        return self.preset.startswith("this-")

    @property
    def choices(self) -> list[list[tuple[str, str]]]:
        """The ranges with a name, in the groups of the filter: names with their choices."""
        return [[(name, one.choice) for name, one in group.items()] for group in (COUNTED_BACK, OF_CALENDAR)]

    @property
    def dates(self) -> str:
        """The first and the last day, for beside the name of the range."""
        return f"{_told(self.start)} – {_told(self.end)}"

    @property
    def query(self) -> dict[str, Any]:
        """The parameters of an address that shows the same period."""
        kept = {"period": self.preset} if self.preset else self.days
        return kept | {"interval": self.interval}

    def clipped(self, point: dict[str, Any]) -> dict[str, Any]:
        """A bucket with its days in the range, for the link to its commits."""
        days = {"startDate": max(point["start"], self.days["startDate"])}
        return point | {"days": days | {"endDate": min(point["end"], self.days["endDate"])}}

    @property
    def measured(self) -> str:
        """The interval in which performance is read: that of a range that is a whole period; days have none."""
        period = whole_period(Range(self.start, self.end))
        return period[0].upper() if period else "WEEK" if self.interval == "DAY" else self.interval

    @property
    def bucketings(self) -> list[Bucketing]:
        """The lengths of buckets, of which too fine ones are closed."""
        return [
            Bucketing(name, name.title(), name == self.interval, self._too_fine(name)) for name in INTERVALS
        ]

    def _too_fine(self, name: str) -> str | None:
        buckets = round(((self.end - self.start).days + 1) / INTERVALS[name])
        return f"{buckets} bars are too many; choose a shorter range" if buckets > MAX_BUCKETS else None


def period_of(query: QueryParams, today: date, usual: str = "12-weeks") -> Period:
    """The period that an address names; `usual` without one. Unreadable days and unknown names count as none."""
    start, end = _day(query.get("startDate")), _day(query.get("endDate"))
    preset = query.get("period", usual)
    if start and end and start <= end:
        preset = ""
    else:
        preset = preset if preset in PRESETS else usual
        start, end = _counted_back(preset, today) if preset in COUNTED_BACK else _of_calendar(preset, today)
    found = Period(start, end, query.get("interval", ""), preset)
    offered = [one.name for one in found.bucketings if one.reason is None]
    if found.interval in offered:
        return found
    return Period(start, end, PRESETS[preset].interval if preset else offered[0], preset)


def carried(query: QueryParams) -> dict[str, str]:
    """The range that an address names, for links to other pages; empty without one: each page has its own default."""
    start, end = _day(query.get("startDate")), _day(query.get("endDate"))
    if start and end and start <= end:
        return {"startDate": start.isoformat(), "endDate": end.isoformat()}
    preset = query.get("period", "")
    return {"period": preset} if preset in PRESETS else {}


def years_before(day: date, years: int) -> date:
    """The same day of an earlier year, the first year at the least; 28 February for the 29th."""
    year = max(1, day.year - years)
    try:
        return day.replace(year=year)
    except ValueError:
        return day.replace(year=year, day=28)


def _counted_back(preset: str, today: date) -> tuple[date, date]:
    if preset == "12-weeks":
        # Complete ones: Monday to Sunday.
        end = today - timedelta(days=today.weekday() + 1)
        return end - timedelta(days=12 * 7 - 1), end
    months = 11 if preset == "12-months" else 21 + (today.month - 1) % 3
    return _months_on(today, -months), today


def _of_calendar(preset: str, today: date) -> tuple[date, date]:
    """A month, quarter or year: the running one until today, or the whole one before it."""
    which, _, kind = preset.partition("-")
    months = MONTHS[kind]
    first = _months_on(today, -((today.month - 1) % months))
    if which == "this":
        return first, today
    return _months_on(first, -months), first - timedelta(days=1)


def _months_on(day: date, months: int) -> date:
    """The first day of the month that lies so many months after that of a day."""
    place = day.year * 12 + day.month - 1 + months
    return date(place // 12, place % 12 + 1, 1)


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text and len(text) == len("2026-01-31") else None
    except ValueError:
        return None


def _told(day: date) -> str:
    return f"{day.day} {day:%b %Y}"


def whole_buckets(points: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The buckets that are over and wholly in the range: a part of a month is not held against a month."""
    return [point for point in points if not point["isDraft"] and not point["isPartial"]]
