"""Facts of summaries by plain loops over published days."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

CATEGORIES = ("features", "maintenance", "tests", "documentation", "fixes")
MONTHS = {"month": 1, "quarter": 3}


def start_of(period: str, day: date) -> date:
    """First day of the week, month or quarter with a day."""
    if period == "week":
        return day - timedelta(days=day.weekday())
    months = MONTHS[period]
    return day.replace(month=(day.month - 1) // months * months + 1, day=1)


def before(period: str, start: date, count: int = 1) -> date:
    """First day of the period so many before."""
    for _ in range(count):
        start = start_of(period, start - timedelta(days=1))
    return start


def end_of(period: str, start: date) -> date:
    """Last day of the period that begins on a day."""
    return start_of(
        period, start + timedelta(days={"week": 7, "month": 32, "quarter": 93}[period])
    ) - timedelta(days=1)


@dataclass(frozen=True)
class Days:
    """Days of counted work of people of one scope."""

    rows: tuple[Mapping[str, Any], ...]

    @classmethod
    def of(
        cls, daily: Iterable[Mapping[str, Any]], team_daily: Iterable[Mapping[str, Any]]
    ) -> dict[Any, Days]:
        """The days of each scope, by kind and id; the organization has no id."""
        found: dict[Any, list[Mapping[str, Any]]] = {}
        for row in daily:
            if not row["is_bot"]:
                found.setdefault(("REPOSITORY", row["repository_id"]), []).append(row)
                if not row["is_sandbox"]:
                    found.setdefault(("ORGANIZATION", None), []).append(row)
        for row in team_daily:
            if not row["is_bot"] and not row["is_sandbox"]:
                found.setdefault(("TEAM", row["team_id"]), []).append(row)
        return {scope: cls(tuple(rows)) for scope, rows in found.items()}

    def measured(self, period: str, start: date) -> dict[str, float | None]:
        """The measures of a period by fact id, in units."""
        return self._between(start, end_of(period, start))

    def three_months(self, start: date) -> dict[str, float]:
        """The measures of the three months before one: means of sums, and shares of all three together."""
        first = before("month", start, 3)
        if first < self.begun("month"):
            return {}
        found = self._between(first, start - timedelta(days=1))
        del found["people"]
        return {
            name: value / 3 if name in ("etv", "commits") else value
            for name, value in found.items()
            if value is not None
        }

    def _between(self, first: date, last: date) -> dict[str, float | None]:
        rows = [row for row in self.rows if first <= row["delivered_on"] <= last]
        etv = sum(row["etv_micro"] for row in rows)
        ai = sum(row["ai_etv_micro"] for row in rows)

        def share(part: int) -> float | None:
            return part / etv if etv else None

        return {
            "etv": etv / 1e6,
            "commits": sum(row["commits"] for row in rows),
            "people": len({row["developer_id"] for row in rows}),
            "ai_share": share(ai) if any(row["ai_commits"] or row["ai_etv_micro"] for row in rows) else None,
            **{
                f"category_share.{category}": share(
                    sum(row["etv_micro"] for row in rows if row["category"] == category)
                )
                for category in CATEGORIES
            },
        }

    def begun(self, period: str) -> date:
        """First period with work."""
        return start_of(period, min(row["delivered_on"] for row in self.rows))

    def periods(self, period: str, today: date, told: int) -> Iterator[date]:
        """First days of the periods with facts: the running one, and those before since the first work."""
        start = start_of(period, today)
        for _ in range(told + 1):
            if start >= self.begun(period):
                yield start
            start = before(period, start)

    def usual(self, period: str, start: date, fact_id: str) -> tuple[float | None, float | None]:
        """Lowest and highest value of the twelve periods before; nothing among fewer than four."""
        starts = (before(period, start, count) for count in range(1, 13))
        values = [self.measured(period, one)[fact_id] for one in starts if one >= self.begun(period)]
        known = [value for value in values if value is not None]
        return (min(known), max(known)) if len(known) >= 4 else (None, None)

    def usual_people(self, period: str, start: date) -> int | None:
        """Fewest people of the twelve periods before, without those of nobody."""
        starts = (before(period, start, count) for count in range(1, 13))
        found = [self.measured(period, one)["people"] for one in starts if one >= self.begun(period)]
        return min((int(people) for people in found if people), default=None) if len(found) >= 4 else None
