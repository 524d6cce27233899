"""A wrong clock moves the step that it dated, and no other."""

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.git.mainline_clock import ABSURD_BEFORE, TOLERANCE, impossible_times, mainline_times

DAY = 86_400
START = 1_700_000_000
NOW = START + 1_000 * DAY


def wrong(days: list[float]) -> list[int]:
    """Positions of the impossible ones among times in days after the start."""
    times = [START + int(day * DAY) for day in days]
    return [i for i, found in enumerate(impossible_times(times, NOW)) if found]


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ([0, 1, 2, 3], []),
        ([0, 300, 1, 2, 3], [1]),
        ([0, 300, 301, 1, 2, 3], [1, 2]),
        ([300, 1, 2, 3], [0]),
        # A step that is too early moves no other: it takes the time before it.
        ([0, 100, 101, 5, 102], []),
        # Clocks of people differ by hours.
        ([0, 1.9, 1, 2, 3], []),
        ([0, 2.1, 1, 1, 3], [1]),
        # Nothing after it contradicts a last step, unless it lies in the future.
        ([0, 1, 999], []),
        ([0, 1, 1_000.5], []),
        ([0, 1, 1_001.5], [2]),
        ([0, -20_000, 1], [1]),
        ([], []),
    ],
)
def test_times_that_others_contradict_are_impossible(days: list[float], expected: list[int]) -> None:
    assert wrong(days) == expected


def test_an_impossible_time_is_that_of_its_neighbours() -> None:
    times = [9_999, 10, 11, 500, 12, 11]
    assert mainline_times(times, [True, False, False, True, False, False]) == [10, 10, 11, 11, 12, 12]
    assert mainline_times([5, 6], [True, True]) == [0, 0]


@given(st.lists(st.integers(0, 40), max_size=9))
def test_as_few_times_as_can_be_contradict_each_other(days: list[int]) -> None:
    """The naive oracle tries every subset."""
    times = [START + day * DAY for day in days]
    found = impossible_times(times, NOW)
    rest = [time for time, is_wrong in zip(times, found, strict=True) if not is_wrong]
    longest = max(
        size
        for size in range(len(times) + 1)
        for kept in combinations(times, size)
        if list(kept) == sorted(kept)
    )
    assert len(rest) >= longest
    shown = mainline_times(times, found)
    assert shown == sorted(shown)
    # No right time moves by more than the tolerance but those that are too early.
    for time, is_wrong, placed in zip(times, found, shown, strict=True):
        assert is_wrong or placed >= time


@given(st.integers(3, 60), st.randoms(use_true_random=False))
def test_one_wrong_clock_in_the_future_moves_no_other_step(count: int, dice: random.Random) -> None:
    times = sorted(START + dice.randrange(400 * DAY) for _ in range(count))
    at = dice.randrange(count - 1)
    broken = [*times]
    broken[at] = times[-1] + TOLERANCE + 1 + dice.randrange(100 * DAY)
    found = mainline_times(broken, impossible_times(broken, NOW))
    assert found[:at] + found[at + 1 :] == times[:at] + times[at + 1 :]
    assert found[at] == (times[at - 1] if at else times[1])


def test_times_before_version_control_are_impossible() -> None:
    assert impossible_times([ABSURD_BEFORE - 1, ABSURD_BEFORE], NOW) == [True, False]
