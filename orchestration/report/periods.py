"""Weeks and months of a report: which of them are shown, and how they are called."""

from __future__ import annotations

from datetime import date, timedelta

from orchestration.report.snapshot import Snapshot

# A quarter of a year of weeks, a year of months: they fit on a screen and still show a trend.
PERIODS_SHOWN = 12


def complete(
    snapshot: Snapshot, unit: str, last: date | None, ids: list[str], *, dormant: bool = False
) -> tuple[list[date], bool]:
    """The last complete periods, oldest first; those with deliveries where the last ones (or weeks) have none."""
    if last is None:
        return [], False
    delivered = [
        row[0]
        for row in snapshot.rows(
            f"select distinct date_trunc('{unit}', delivered_on)::date from daily"
            " where list_contains(?, repository_id) and delivered_on < ? order by 1 desc",
            ids,
            _after(unit, last),
        )
    ]
    recent = [last]
    while len(recent) < PERIODS_SHOWN:
        recent.append(_before(unit, recent[-1]))
    if not delivered:
        return [], False
    if delivered[0] >= recent[-1] and not dormant:
        return sorted(period for period in recent if period >= delivered[-1]), False
    return sorted(delivered[:PERIODS_SHOWN]), True


def running(snapshot: Snapshot, unit: str, last: date | None, ids: list[str]) -> list[date]:
    """The period that is not over yet, if it has deliveries."""
    if last is None:
        return []
    return [
        row[0]
        for row in snapshot.rows(
            f"select distinct date_trunc('{unit}', delivered_on)::date from daily"
            " where list_contains(?, repository_id) and delivered_on >= ? order by 1",
            ids,
            _after(unit, last),
        )
    ]


def _after(unit: str, start: date) -> date:
    return start + timedelta(days=7) if unit == "week" else (start + timedelta(days=31)).replace(day=1)


def _before(unit: str, start: date) -> date:
    return start - timedelta(days=7) if unit == "week" else (start - timedelta(days=1)).replace(day=1)


def label(unit: str, start: date) -> str:
    """A period as calendars write it: 2024-W05 (its Monday), 2024-02."""
    if unit == "month":
        return f"{start:%Y-%m}"
    year, week, _ = start.isocalendar()
    return f"{year}-W{week:02d} ({start:%d %b})"
