"""Checks of pull requests in plain loops: phases, the working time until an occurrence opens, and its episodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from tests.dbt.naive.naive_times import (
    DAY_STARTS,
    HOURS_PER_DAY,
    Row,
    closures,
    ended_at,
    first_review_at,
    micros,
    worked_micros,
)

GAP = timedelta(days=3)


@dataclass(frozen=True)
class Stretch:
    """A time in which something held; `end` is None while it lasts."""

    start: datetime
    end: datetime | None
    by: str | None


@dataclass(frozen=True)
class Episode:
    """A time in which something was an occurrence, with the largest measured value in micros of working time."""

    opened: datetime
    ended: datetime | None
    by: str | None
    micros: int


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


def waiting(row: Row) -> list[Stretch]:
    """When a pull request was ready and nobody had answered."""
    reviewed = first_review_at(row)
    if reviewed is None:
        return phases(row, "ready")
    return [
        Stretch(one.start, reviewed, "reviewed") if one.end is None or reviewed <= one.end else one
        for one in phases(row, "ready")
        if one.start < reviewed
    ]


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
    found: list[Episode] = []
    for one in sorted(stretches, key=lambda stretch: stretch.start):
        if one.start > as_of:
            continue
        end, by = (one.end, one.by) if one.end is not None and one.end <= as_of else (None, None)
        worked = worked_micros(one.start, end or as_of, zone)
        if worked < need:
            continue
        opened = reached_at(one.start, need, zone)
        last = found[-1] if found else None
        if last is not None and last.ended is not None and opened <= last.ended + GAP:
            found[-1] = Episode(last.opened, end, by, max(last.micros, worked))
        else:
            found.append(Episode(opened, end, by, worked))
    return found
