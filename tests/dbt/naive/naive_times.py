"""The times of a pull request in plain loops over its events, and working time day by day."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

Row = dict[str, Any]
ANSWERS = ("approved", "changes_requested", "reviewed", "commented")
WITHDRAWALS = ("changes_requested", "unapproved")
# The closures of an open pull request are over.
AFTER_ALL = datetime(2100, 1, 1, tzinfo=UTC)
DAY_STARTS, HOURS_PER_DAY = time(9), 8


def is_person(event: Row) -> bool:
    login = str(event["actor"] or "").lower()
    is_robot = "[bot]" in login or login.endswith(("-bot", "_bot", "-robot", "-ci"))
    return bool(login) and event["actor_kind"] == "person" and not is_robot


def ended_at(row: Row) -> datetime | None:
    if row["state"] == "open":
        return None
    end: datetime | None = row["merged_at"] if row["state"] == "merged" else row["closed_at"]
    return end


def answers(row: Row, kinds: tuple[str, ...]) -> list[Row]:
    """What people other than the author said until the end."""
    end = ended_at(row)
    return [
        event
        for event in row["events"]
        if event["kind"] in kinds
        and is_person(event)
        and event["actor"].lower() != str(row["author"]).lower()
        and (end is None or event["at"] <= end)
    ]


def first_review_at(row: Row) -> datetime | None:
    return min((event["at"] for event in answers(row, ANSWERS)), default=None)


def approved_at(row: Row) -> datetime | None:
    standing = []
    for event in answers(row, ("approved",)):
        later = [
            other
            for other in answers(row, WITHDRAWALS)
            if other["actor"].lower() == event["actor"].lower() and other["at"] >= event["at"]
        ]
        if not later:
            standing.append(event["at"])
    return min(standing, default=None)


def ready_at(row: Row) -> datetime | None:
    turns = sorted(
        (event for event in row["events"] if event["kind"] in ("ready", "draft")),
        key=lambda event: (event["at"], event["kind"]),
    )
    began_ready = turns[0]["kind"] == "draft" if turns else not row["is_draft"]
    moments: list[datetime] = [row["created_at"]] if began_ready else []
    moments += [turn["at"] for turn in turns if turn["kind"] == "ready"]
    if not moments:
        return None
    reviewed = first_review_at(row)
    if reviewed is None:
        last_draft = max((turn["at"] for turn in turns if turn["kind"] == "draft"), default=None)
        is_draft_now = row["is_draft"] and last_draft is not None and last_draft >= max(moments)
        return None if is_draft_now else max(moments)
    return max((moment for moment in moments if moment <= reviewed), default=min(moments))


def spans(row: Row) -> dict[str, tuple[datetime | None, datetime | None]]:
    """Start and end by measure."""
    written = [commit["authored_at"] for commit in row["commits"] if commit["authored_at"] is not None]
    end = ended_at(row)
    merged = end if row["state"] == "merged" else None
    created, ready, reviewed, approved = (
        row["created_at"],
        ready_at(row),
        first_review_at(row),
        approved_at(row),
    )
    return {
        "cycle": (min([created, *written]), merged),
        "open": (created, end),
        "pickup": (ready, reviewed),
        "review": (reviewed, approved),
        "approval": (ready, approved),
        "merge": (approved, merged),
    }


def closures(row: Row) -> list[tuple[datetime, datetime]]:
    """From when until when it was closed, without the last close, which nobody took back."""
    found: list[tuple[datetime, datetime]] = []
    closed: datetime | None = None
    for event in sorted(row["events"], key=lambda event: (event["at"], event["kind"])):
        if event["kind"] == "closed" and closed is None:
            closed = event["at"]
        if event["kind"] == "reopened" and closed is not None:
            found.append((closed, event["at"]))
            closed = None
    return found


def open_parts(row: Row, start: datetime, end: datetime) -> list[tuple[datetime, datetime]]:
    """The parts of a span in which the pull request was not closed."""
    parts = []
    for closed, reopened in closures(row):
        if closed < end and reopened > start:
            parts.append((start, max(start, closed)))
            start = max(start, min(end, reopened))
    return [*parts, (start, end)]


def micros(start: datetime, end: datetime) -> int:
    return max(end - start, timedelta(0)) // timedelta(microseconds=1)


def hours_micro(row: Row, start: datetime | None, end: datetime | None) -> int | None:
    if start is None or end is None:
        return None
    return sum(micros(*part) for part in open_parts(row, start, end)) // 3600


def closed_hours_micro(row: Row, start: datetime | None, end: datetime | None) -> int | None:
    """The part of a span in which the pull request was closed; of an open one all of it since the start."""
    if start is None or (end is None and row["state"] != "open"):
        return None
    return closed_micros(row, start, end) // 3600


def closed_micros(row: Row, start: datetime, end: datetime | None = None) -> int:
    """How long it was closed since the start, until the end where there is one."""
    until = AFTER_ALL if end is None else end
    return micros(start, until) - sum(micros(*part) for part in open_parts(row, start, until))


def working_hours_micro(row: Row, start: datetime | None, end: datetime | None, zone: str) -> int | None:
    """The part of a span within the working hours of weekdays, in millionths of hours."""
    if start is None or end is None:
        return None
    return sum(worked_micros(*part, zone) for part in open_parts(row, start, end)) // 3600


def worked_micros(start: datetime, end: datetime, zone: str) -> int:
    there, total = ZoneInfo(zone), 0
    day = start.astimezone(there).date()
    while day <= end.astimezone(there).date():
        opens = datetime.combine(day, DAY_STARTS, there).astimezone(ZoneInfo("UTC"))
        closes = opens + timedelta(hours=HOURS_PER_DAY)
        if day.isoweekday() <= 5 and max(start, opens) < min(end, closes):
            total += micros(max(start, opens), min(end, closes))
        day += timedelta(days=1)
    return total


def awaited_reviewers(row: Row) -> list[str]:
    """Those of an open pull request who have not answered since they were last asked."""
    if row["state"] != "open":
        return []
    waited = []
    for one in row["reviewers"]:
        requests = [
            event["at"]
            for event in row["events"]
            if event["kind"] == "review_requested" and event["detail"].lower() == one.lower()
        ]
        answered = [
            event["at"]
            for event in row["events"]
            if event["kind"] in ANSWERS and str(event["actor"]).lower() == one.lower()
        ]
        if not answered or (requests and max(answered) < max(requests)):
            waited.append(one)
    return sorted(waited)
