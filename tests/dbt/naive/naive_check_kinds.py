"""What the kinds of checks look for, in plain loops over the events of one pull request."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from tests.dbt.naive.naive_checks import Stretch, phases
from tests.dbt.naive.naive_times import ANSWERS, WITHDRAWALS, Row, answers, ended_at, first_review_at

MICRO = 1_000_000
ROBOTS = ("dependabot[bot]", "copilot")
AGENTS = ("copilot",)


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


def while_ready(row: Row, holds: Callable[[datetime], bool], cause: str) -> list[Stretch]:
    """The parts of the times as ready in which something held, which changes at instants of events alone."""
    found = []
    for phase in phases(row, "ready"):
        inside = {
            e["at"]
            for e in row["events"]
            if phase.start < e["at"] and (phase.end is None or e["at"] < phase.end)
        }
        since: datetime | None = None
        for at in sorted({phase.start, *inside}):
            if holds(at) and since is None:
                since = at
            elif not holds(at) and since is not None:
                found.append(Stretch(since, at, cause))
                since = None
        if since is not None:
            found.append(Stretch(since, phase.end, phase.by))
    return found


def is_approved(row: Row, at: datetime) -> bool:
    """Whether an approval stood then: the same person had not taken it back."""
    for one in answers(row, ("approved",)):
        taken_back = any(
            other["actor"].lower() == one["actor"].lower() and one["at"] <= other["at"] <= at
            for other in answers(row, WITHDRAWALS)
        )
        if one["at"] <= at and not taken_back:
            return True
    return False


def approved(row: Row) -> list[Stretch]:
    return while_ready(row, lambda at: is_approved(row, at), "approval_withdrawn")


def in_review(row: Row) -> list[Stretch]:
    def holds(at: datetime) -> bool:
        return any(one["at"] <= at for one in answers(row, ANSWERS)) and not is_approved(row, at)

    return while_ready(row, holds, "approved")


def large(row: Row) -> list[Stretch]:
    if row["lines_added"] is None:
        return []
    return [Stretch(one.start, one.end, one.by, row["lines_added"] * MICRO) for one in phases(row, "ready")]


def is_robots(row: Row) -> bool:
    return str(row["author"]).lower() in ROBOTS


def robots_unreviewed(row: Row) -> list[Stretch]:
    """The merge of a robot's pull request that no person had looked at; a person's merge of a plain bot's is a look."""
    end = ended_at(row)
    if not is_robots(row) or row["state"] != "merged" or end is None or first_review_at(row) is not None:
        return []
    merged_by = str(row["merged_by"] or row["author"]).lower()
    is_look = merged_by not in ROBOTS and str(row["author"]).lower() not in AGENTS
    return [] if is_look else [Stretch(end, None, None)]
