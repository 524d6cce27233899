"""What the kinds of checks look for, in plain loops over the events of one pull request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from tests.dbt.naive.naive_checks import Stretch, phases
from tests.dbt.naive.naive_times import (
    ANSWERS,
    WITHDRAWALS,
    Row,
    answers,
    ended_at,
    first_review_at,
    is_person,
    micros,
)

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
    """The parts of the times as ready in which something held. It changes with events and commits alone."""
    instants = [*(e["at"] for e in row["events"]), *commit_times(row)]
    found = []
    for phase in phases(row, "ready"):
        inside = {at for at in instants if phase.start < at and (phase.end is None or at < phase.end)}
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


def commit_times(row: Row) -> list[datetime]:
    """When the commits were written: amended ones late, those of a rebase when their authors wrote them."""
    commits = [one for one in row["commits"] if one["authored_at"] is not None]
    written = [one["committed_at"] or one["authored_at"] for one in commits]
    if len(commits) > 1 and max(written) - min(written) <= timedelta(seconds=60):
        return [one["authored_at"] for one in commits]
    return [max(one["authored_at"], at) for one, at in zip(commits, written, strict=True)]


def unread(row: Row) -> list[Stretch]:
    """When commits were newer than the last review."""

    def holds(at: datetime) -> bool:
        last = max((one["at"] for one in answers(row, ANSWERS) if one["at"] <= at), default=None)
        return last is not None and any(last < written <= at for written in commit_times(row))

    return while_ready(row, holds, "reviewed")


def rounds(row: Row) -> list[Stretch]:
    """From each round of answers to the end, with its number."""
    author = str(row["author"]).lower()
    turns = [(at, 0) for at in commit_times(row)]
    turns += [
        (e["at"], 0) for e in row["events"] if e["kind"] in ANSWERS and str(e["actor"]).lower() == author
    ]
    turns += [(one["at"], 1) for one in answers(row, ANSWERS)]
    found, number, before = [], 0, 0
    for at, is_answer in sorted(turns):
        if is_answer and not before:
            number += 1
            found += [
                Stretch(max(at, one.start), one.end, one.by, number * MICRO)
                for phase in ("ready", "draft")
                for one in phases(row, phase)
                if one.end is None or at < one.end
            ]
        before = is_answer
    return found


def merged_unreviewed(row: Row) -> list[Stretch]:
    end = ended_at(row)
    if row["state"] != "merged" or end is None or first_review_at(row) is not None:
        return []
    return [Stretch(end, None, None)]


def merged_alone(row: Row) -> list[Stretch]:
    is_own = str(row["merged_by"]).lower() == str(row["author"]).lower()
    return merged_unreviewed(row) if is_own else []


def fast_approvals(row: Row) -> list[Stretch]:
    """The first answer if it is an approval of much, with the minutes since it was ready."""
    at = first_review_at(row)
    if (
        at is None
        or (row["lines_added"] or 0) <= 200
        or at not in {one["at"] for one in answers(row, ("approved",))}
    ):
        return []
    return [
        Stretch(at, None, None, micros(phase.start, at) // 60)
        for phase in phases(row, "ready")
        if phase.start <= at and (phase.end is None or at <= phase.end)
    ]


def review_shares(rows: list[Row], zone: str) -> list[Stretch]:
    """From each Monday for a week: the largest share of the reviews of the four weeks before, in percent."""
    there = ZoneInfo(zone)
    reviews: set[tuple[date, str, int]] = set()
    for row in rows:
        for event in row["events"]:
            login = str(event["actor"]).lower()
            if event["kind"] in ANSWERS and is_person(event) and login != str(row["author"]).lower():
                reviews.add((event["at"].astimezone(there).date(), login, row["number"]))
    found = []
    monday = min(day for day, _, _ in reviews)
    monday -= timedelta(days=monday.weekday())
    while monday <= max(day for day, _, _ in reviews) + timedelta(days=35):
        window = {
            (login, number) for day, login, number in reviews if monday - timedelta(days=28) <= day < monday
        }
        people = Counter(login for login, _ in window)
        if len(people) >= 4 and len(window) >= 20:
            start, end = (
                datetime.combine(day, time(), there).astimezone(UTC)
                for day in (monday, monday + timedelta(days=7))
            )
            found.append(Stretch(start, end, "spread", max(people.values()) * 100 * MICRO // len(window)))
        monday += timedelta(days=7)
    return found


def open_counts(stretches: list[Stretch]) -> list[Stretch]:
    """The number of things that held, between the instants at which it changed."""
    instants = sorted({at for one in stretches for at in (one.start, one.end) if at is not None})
    found = []
    for at, following in zip(instants, [*instants[1:], None], strict=True):
        count = sum(one.start <= at and (one.end is None or at < one.end) for one in stretches)
        if count:
            found.append(Stretch(at, following, None if following is None else "fewer", count * MICRO))
    return found
