"""The weeks and months that a report shows, and their labels."""

from __future__ import annotations

from datetime import date, timedelta

from orchestration.report.snapshot import Snapshot

# Twelve weeks are a quarter, twelve months a year: both fit on a screen and show a trend.
MAX_PERIODS = 12


def complete(
    snapshot: Snapshot, unit: str, last: date | None, ids: list[str], *, dormant: bool = False
) -> tuple[list[date], bool]:
    """The last complete periods, oldest first, and whether the repositories are dormant.

    `last` is the first day of the last complete period, `unit` is `week` or `month`. Dormant repositories have no
    deliveries in the last periods; for them, or if `dormant` is set, the result is the last periods with deliveries
    of people. Periods with deliveries of bots alone would be rows of zeros; they are shown only if there are no others.
    """
    if last is None:
        return [], False
    found = snapshot.rows(
        f"select date_trunc('{unit}', delivered_on)::date, not bool_and(is_bot) from daily"
        " where list_contains(?, repository_id) and delivered_on < ? group by 1 order by 1 desc",
        ids,
        _next_start(unit, last),
    )
    delivered = [period for period, _ in found]
    recent = [last]
    while len(recent) < MAX_PERIODS:
        recent.append(_previous_start(unit, recent[-1]))
    if not delivered:
        return [], False
    if delivered[0] >= recent[-1] and not dormant:
        return sorted(period for period in recent if period >= delivered[-1]), False
    of_people = [period for period, has_people in found if has_people]
    return sorted((of_people or delivered)[:MAX_PERIODS]), True


def running(snapshot: Snapshot, unit: str, last: date | None, ids: list[str]) -> list[date]:
    """First days of the periods after `last` that have deliveries."""
    if last is None:
        return []
    return [
        row[0]
        for row in snapshot.rows(
            f"select distinct date_trunc('{unit}', delivered_on)::date from daily"
            " where list_contains(?, repository_id) and delivered_on >= ? order by 1",
            ids,
            _next_start(unit, last),
        )
    ]


def _next_start(unit: str, start: date) -> date:
    return start + timedelta(days=7) if unit == "week" else (start + timedelta(days=31)).replace(day=1)


def _previous_start(unit: str, start: date) -> date:
    return start - timedelta(days=7) if unit == "week" else (start - timedelta(days=1)).replace(day=1)


def label(unit: str, start: date) -> str:
    """Label of a period: `2024-W05 (29 Jan)` for a week, with its Monday, or `2024-02` for a month."""
    if unit == "month":
        return f"{start:%Y-%m}"
    year, week, _ = start.isocalendar()
    return f"{year}-W{week:02d} ({start:%d %b})"
