"""The clock of the mainline: a time for each delivery that never runs backwards.

Committer times come from the machines of people, whose clocks are wrong at times. One commit dated 2037 would move all
later ones there. Keep out: which commits are deliveries (`deliveries`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

ABSURD_BEFORE = 315_532_800
"""1980-01-01: every version control system that Git imports from is younger (RCS dates from 1982)."""
TOLERANCE = 86_400
"""Seconds that clocks of people may differ: a day, so that a wrong time zone is no wrong time."""


def impossible_times(times: Sequence[int], now: int) -> list[bool]:
    """Whether the time of each step cannot be true; `times` are those of the mainline, oldest first, in Unix seconds.

    Times before 1980, a day after `now`, or a day after a later step. Of two steps that contradict each other the
    longest series of steps without a contradiction is right, so neither one wrong clock in the future nor one in the
    past moves its neighbours.
    """
    possible = [ABSURD_BEFORE <= time <= now + TOLERANCE for time in times]
    series = set(_longest_series([i for i, is_possible in enumerate(possible) if is_possible], times))
    found = [not is_possible for is_possible in possible]
    following: int | None = None
    for step in range(len(times) - 1, -1, -1):
        if step in series:
            following = times[step]
        elif possible[step] and following is not None:
            found[step] = times[step] > following + TOLERANCE
    return found


def first_ahead(times: Sequence[int], now: int) -> int | None:
    """The earliest of the times that are impossible only because they lie after `now`; None without such a time."""
    return min((time for time in times if time > now + TOLERANCE), default=None)


def has_come(ahead: int | None, now: int) -> bool:
    """Whether a time that was ahead is possible by now."""
    return ahead is not None and ahead <= now + TOLERANCE


def mainline_times(times: Sequence[int], is_impossible: Sequence[bool]) -> list[int]:
    """The running maximum of the possible times; at first that of the first possible one."""
    clock = next((time for time, wrong in zip(times, is_impossible, strict=True) if not wrong), 0)
    found = []
    for time, wrong in zip(times, is_impossible, strict=True):
        if not wrong:
            clock = max(clock, time)
        found.append(clock)
    return found


def _longest_series(steps: Sequence[int], times: Sequence[int]) -> list[int]:
    """The longest series of steps whose times never fall, by patience sorting.

    Source: Fredman, On computing the length of longest increasing subsequences, Discrete Mathematics 11 (1975).
    """
    lowest: list[int] = []
    ends: list[int] = []
    before: dict[int, int | None] = {}
    for step in steps:
        at = bisect_right(lowest, times[step])
        before[step] = ends[at - 1] if at else None
        if at == len(lowest):
            lowest.append(times[step])
            ends.append(step)
        else:
            lowest[at], ends[at] = times[step], step
    found: list[int] = []
    step_or_none = ends[-1] if ends else None
    while step_or_none is not None:
        found.append(step_or_none)
        step_or_none = before[step_or_none]
    return found
