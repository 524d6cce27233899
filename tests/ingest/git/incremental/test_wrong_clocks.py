"""A reading while the clock of the machine is wrong: the first one after it is right gives the facts of one run."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.git.mainline_clock import TOLERANCE
from ingest.lake import Lake
from tests.git_repository import GitRepository
from tests.ingest.git.extraction import ORGANIZATION, REPOSITORY, Extraction
from tests.ingest.git.incremental.one_run import assert_as_one_run

DAY = 86_400
YEAR = 365 * DAY
SetClock = Callable[[float], None]


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    return lambda now: monkeypatch.setattr(time, "time", lambda: float(now))


@pytest.fixture
def repository(repository: GitRepository) -> GitRepository:
    for number in range(3):
        deliver(repository, number)
    return repository


@pytest.fixture
def extraction(tmp_path: Path, repository: GitRepository) -> Extraction:
    return Extraction(repository.path, tmp_path / "raw")


def deliver(repository: GitRepository, number: int, at: int | None = None) -> None:
    repository.commit({f"part_{number}.py": f"part = {number}\nlast = part + {number}\n"}, at=at)


def misdated(extraction: Extraction) -> int:
    [found] = extraction.column("repository_runs", "misdated_deliveries")
    return int(found)


def assert_right(extraction: Extraction, folder: Path) -> None:
    """A run corrects everything, and another one has nothing to do."""
    assert not extraction.run().unchanged
    assert misdated(extraction) == 0
    assert_as_one_run(extraction, folder)
    assert extraction.run().unchanged


def test_a_first_reading_long_ago_is_corrected(
    tmp_path: Path, repository: GitRepository, extraction: Extraction, set_clock: SetClock
) -> None:
    set_clock(repository.clock - YEAR)
    extraction.run()
    assert misdated(extraction) == 3
    set_clock(repository.clock)
    assert_right(extraction, tmp_path)


def test_work_that_comes_while_the_clock_is_behind_is_corrected_and_older_work_keeps_its_time(
    tmp_path: Path, repository: GitRepository, extraction: Extraction, set_clock: SetClock
) -> None:
    set_clock(repository.clock)
    extraction.run()
    before = extraction.column("deliveries", "delivered_at")
    set_clock(repository.clock - YEAR)
    assert extraction.run().unchanged
    deliver(repository, 4)
    assert extraction.run().commits_new == 1
    assert extraction.column("deliveries", "delivered_at")[:3] == before
    assert misdated(extraction) == 1
    set_clock(repository.clock)
    assert_right(extraction, tmp_path)


def test_a_time_ahead_of_a_right_clock_counts_once_it_has_come(
    tmp_path: Path, repository: GitRepository, extraction: Extraction, set_clock: SetClock
) -> None:
    today = repository.clock
    set_clock(today)
    deliver(repository, 4, at=today + TOLERANCE + DAY)
    extraction.run()
    assert misdated(extraction) == 1
    set_clock(today + DAY - 1)
    assert extraction.run().unchanged
    set_clock(today + DAY)
    assert_right(extraction, tmp_path)


def test_a_tolerated_time_ahead_tolerates_no_later_one(
    repository: GitRepository, extraction: Extraction, set_clock: SetClock
) -> None:
    set_clock(repository.clock)
    today = repository.clock
    deliver(repository, 4, at=today + TOLERANCE)
    extraction.run()
    deliver(repository, 5, at=today + TOLERANCE + 60)
    extraction.run()
    assert misdated(extraction) == 1


def test_a_state_that_does_not_say_what_was_ahead_is_looked_at_again(
    tmp_path: Path, repository: GitRepository, extraction: Extraction, set_clock: SetClock
) -> None:
    set_clock(repository.clock - YEAR)
    extraction.run()
    source = Lake(extraction.raw).source("git", ORGANIZATION, REPOSITORY)
    with source.extracting():
        state = source.state()
        for name in ("ahead", "newest"):
            del state.extra[name]
        source.conclude(state)
    set_clock(repository.clock)
    assert_right(extraction, tmp_path)
