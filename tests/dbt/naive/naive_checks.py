"""Checks in plain loops: phases of pull requests, the instant at which an occurrence opens, and its episodes.

Keep out: what the single kinds look for (naive_check_kinds.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from tests.dbt.naive.naive_times import (
    DAY_STARTS,
    HOURS_PER_DAY,
    Row,
    closures,
    ended_at,
    micros,
    worked_micros,
)

GAP = timedelta(days=3)


@dataclass(frozen=True)
class Stretch:
    """A time in which something held; `end` is None while it lasts. `value` is in micros of the unit of its kind."""

    start: datetime
    end: datetime | None
    by: str | None
    value: int | None = None


@dataclass(frozen=True)
class Episode:
    """A time in which something was an occurrence, with the extreme measured value; of clocks, in micros of work."""

    opened: datetime
    ended: datetime | None
    by: str | None
    micros: int | None


def phases(row: Row, phase: str) -> list[Stretch]:
    """When a pull request was in a phase (draft or ready) and not closed."""
    end, created = ended_at(row), row["created_at"]
    turns = sorted(
        (e["at"], e["kind"])
        for e in row["events"]
        if e["kind"] in ("ready", "draft") and e["at"] > created and (end is None or e["at"] < end)
    )
    began_as_draft = turns[0][1] == "ready" if turns else row["is_draft"]
    first = "draft" if began_as_draft else "ready"
    # The state by instant: the phase, and whether it is closed.
    changes = [(created, "phase", first), *((at, "phase", kind) for at, kind in turns)]
    for closed, reopened in closures(row):
        changes += [(closed, "closed", "yes"), (reopened, "closed", "no")]
    state = {"phase": first, "closed": "no"}
    found: list[Stretch] = []
    since: datetime | None = None
    for at, what, value in sorted(changes, key=lambda change: change[0]):
        if end is not None and at >= end:
            break
        state[what] = value
        if at < created:
            continue
        holds = state["phase"] == phase and state["closed"] == "no"
        if holds and since is None:
            since = at
        elif not holds and since is not None:
            found.append(Stretch(since, at, "closed" if state["closed"] == "yes" else state["phase"]))
            since = None
    if since is not None:
        found.append(Stretch(since, end, row["state"] if end is not None else None))
    return found


def reached_at(start: datetime, need: int, zone: str) -> datetime:
    """The instant at which so many microseconds of working time have passed."""
    there, day, left = ZoneInfo(zone), start.astimezone(ZoneInfo(zone)).date(), need
    while True:
        opens = datetime.combine(day, DAY_STARTS, there).astimezone(ZoneInfo("UTC"))
        closes = opens + timedelta(hours=HOURS_PER_DAY)
        if day.isoweekday() <= 5 and start < closes:
            here = micros(max(start, opens), closes)
            if here >= left:
                return max(start, opens) + timedelta(microseconds=left)
            left -= here
        day += timedelta(days=1)


def episodes(stretches: Iterable[Stretch], need: int, zone: str, as_of: datetime) -> list[Episode]:
    """The times from the instant at which the working time reached `need`; close ones are one."""
    found = []
    for one in _known(stretches, as_of):
        worked = worked_micros(one.start, one.end or as_of, zone)
        if worked >= need:
            found.append(Episode(reached_at(one.start, need, zone), one.end, one.by, worked))
    return _joined(found, as_of, max)


def measured(
    stretches: Iterable[Stretch],
    as_of: datetime,
    threshold: int | None = None,
    *,
    is_below: bool = False,
    lasting_days: int | None = None,
) -> list[Episode]:
    """The times whose value reached the threshold. Close ones are one, and what has lasted so many days has aged."""
    found = []
    for one in _known(stretches, as_of):
        if threshold is not None:
            assert one.value is not None
            if one.value > threshold if is_below else one.value < threshold:
                continue
        end, by = one.end, one.by
        if lasting_days is not None:
            aged = one.start + timedelta(days=lasting_days)
            if aged <= min(as_of, end or as_of):
                end, by = aged, "aged"
        found.append(Episode(one.start, end, by, one.value))
    return _joined(found, as_of, min if is_below else max)


def _known(stretches: Iterable[Stretch], as_of: datetime) -> list[Stretch]:
    """What was known at an instant, by start."""
    return [
        one if one.end is not None and one.end <= as_of else replace(one, end=None, by=None)
        for one in sorted(stretches, key=lambda stretch: stretch.start)
        if one.start <= as_of
    ]


def _joined(found: list[Episode], as_of: datetime, extreme: Callable[[list[int]], int]) -> list[Episode]:
    joined: list[list[Episode]] = []
    for one in sorted(found, key=lambda episode: episode.opened):
        before = max((other.ended or as_of for other in joined[-1]), default=None) if joined else None
        if before is not None and one.opened <= before + GAP:
            joined[-1].append(one)
        else:
            joined.append([one])
    answer = []
    for group in joined:
        lasting = any(one.ended is None for one in group)
        ends = [(one.ended, one.by) for one in group if one.ended is not None]
        ended, by = (None, None) if lasting else max(ends, key=lambda end: end[0])
        values = [one.micros for one in group if one.micros is not None]
        answer.append(Episode(group[0].opened, ended, by, extreme(values) if values else None))
    return answer
