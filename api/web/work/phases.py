"""The times of a pull request as the page tells them: how long, or why there is no time and what it waits for.

Keep out: how long a time is (read/pull_requests).
"""

from typing import Any

BEGINS = {
    "FIRST_COMMIT": "begins with the first commit",
    "CREATED": "begins when it is opened",
    "READY": "begins when it is no draft any more",
    "FIRST_REVIEW": "begins with the first review",
    "APPROVED": "begins with the approval",
}
RUNS = {
    "CYCLE": "runs until the merge",
    "OPEN": "runs until it is merged or closed",
    "PICKUP": "runs until the first review",
    "REVIEW": "runs until the approval",
    "APPROVAL": "runs until the approval",
    "MERGE": "runs until the merge",
}
MISSING = {
    "OPEN": "it is still open",
    "DRAFT": "it was a draft to the end",
    "NOT_REVIEWED": "nobody reviewed it",
    "NOT_APPROVED": "nobody approved it",
    "NOT_MERGED": "it was not merged",
}


def without_time(phase: dict[str, Any], state: str) -> str:
    """Why a time has no length, as words below its name; empty for one that has."""
    if phase["runningHours"] is not None:
        return RUNS[phase["measure"]]
    if not phase["missingReason"]:
        return ""
    if state == "OPEN" and phase["startedAt"] is None:
        return BEGINS[phase["startedBy"]]
    return MISSING.get(phase["missingReason"], "")


def with_waits(phases: list[dict[str, Any]], waited: float | None) -> list[dict[str, Any]]:
    """The phases with the working hours of those that run: `waited`, which a check counts for the wait for a review.

    Another phase that runs since the same moment has as many. None where no check counts: working hours of others are
    those of an end.
    """
    pickup = next(
        (one for one in phases if one["measure"] == "PICKUP" and one["runningHours"] is not None), None
    )
    same = (pickup["startedAt"], pickup["closedHours"]) if pickup is not None else None
    return [
        one
        | {
            "runningWorkingHours": waited
            if one["runningHours"] is not None and (one["startedAt"], one["closedHours"]) == same
            else None
        }
        for one in phases
    ]
