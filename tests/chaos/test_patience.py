"""Patience counts seconds of a quiet machine: the busier the machine, the longer it waits."""

from __future__ import annotations

import pytest

from tests.chaos import patience
from tests.chaos.patience import Patience
from tests.suite.speed import REFERENCE


class Clock:
    """A clock of a machine that takes `slower` times as long for the known work."""

    def __init__(self, slower: float) -> None:
        self.now, self.slower = 0.0, slower

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def known_work(self) -> float:
        self.now += self.slower * REFERENCE / 1000
        return REFERENCE


@pytest.fixture
def clock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock(request.param)
    monkeypatch.setattr(patience, "time", made)
    monkeypatch.setattr(patience, "known_work", made.known_work)
    return made


@pytest.mark.parametrize(
    ("clock", "seconds"), [(0.5, 10), (1.0, 10), (2.0, 20), (20.0, 200)], indirect=["clock"]
)
def test_a_busy_machine_gets_as_much_more_time_as_it_is_slower(clock: Clock, seconds: float) -> None:
    waiting = Patience(10)
    while waiting.lasts(1, clock.sleep):
        pass
    assert seconds <= clock.now <= 1.1 * seconds


@pytest.mark.parametrize("clock", [1.0], indirect=True)
def test_patience_that_is_over_waits_no_more(clock: Clock) -> None:
    assert not Patience(0).lasts(1, clock.sleep)
    assert clock.now == 0
