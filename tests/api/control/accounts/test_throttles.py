"""Rate limits compared with their definition: no period has more tries than the burst plus the refill."""

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from api.control.accounts.throttles import Allowance, Try, give_back, take
from api.control.errors import TooMany
from api.control.models import Throttle
from api.control.store import ControlStore, open_store
from tests.api.people import Clock
from tests.suite.tiers import fewer

pytestmark = pytest.mark.both_databases

BURST, SECONDS = 3, 10
GUESS = Allowance("guess", BURST, timedelta(seconds=SECONDS))


@pytest.fixture(scope="module")
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, clock: Clock, database: str) -> ControlStore:
    return open_store(tmp_path_factory.mktemp("throttles"), now=clock)


def passes(store: ControlStore, *tries: Try) -> bool:
    try:
        take(store, *tries)
    except TooMany:
        return False
    return True


@settings(max_examples=fewer(30), deadline=None)
@given(st.lists(st.integers(0, 25), min_size=1, max_size=25))
def test_as_many_tries_pass_as_a_refilling_bucket_allows(
    store: ControlStore, clock: Clock, pauses: list[int]
) -> None:
    clock.advance(days=1)
    tokens = float(BURST)
    for pause in pauses:
        clock.advance(seconds=pause)
        tokens = min(BURST, tokens + pause / SECONDS)
        allowed = tokens >= 1 - 1e-9
        assert passes(store, Try(GUESS, "ada")) == allowed
        tokens -= allowed


def test_the_named_wait_is_exactly_enough(store: ControlStore, clock: Clock) -> None:
    clock.advance(days=1)
    for _ in range(BURST):
        take(store, Try(GUESS, "ada"))
    with pytest.raises(TooMany) as refused:
        take(store, Try(GUESS, "ada"))
    clock.at += refused.value.retry_after - timedelta(milliseconds=1)
    assert not passes(store, Try(GUESS, "ada"))
    clock.advance(milliseconds=1)
    assert passes(store, Try(GUESS, "ada"))


def test_one_that_is_used_up_spends_nothing_of_the_others(store: ControlStore, clock: Clock) -> None:
    clock.advance(days=1)
    ada, everybody = Try(GUESS, "ada"), Try(Allowance("guess from here", 5, timedelta(seconds=9)), "here")
    for _ in range(BURST):
        take(store, ada, everybody)
    for _ in range(10):
        assert not passes(store, ada, everybody)
    assert [passes(store, everybody) for _ in range(3)] == [True, True, False]


def test_a_returned_try_can_be_taken_again(store: ControlStore, clock: Clock) -> None:
    clock.advance(days=1)
    for _ in range(20):
        take(store, Try(GUESS, "ada"))
        give_back(store, Try(GUESS, "ada"))
    assert passes(store, Try(GUESS, "ada"))


def test_tries_at_the_same_time_are_all_counted(tmp_path: Path) -> None:
    store = open_store(tmp_path, now=Clock())
    passed: list[bool] = []
    threads = [
        threading.Thread(target=lambda: passed.append(passes(store, Try(GUESS, "ada")))) for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(passed) == BURST
    assert len(passed) == 12


def test_an_early_reading_of_the_clock_is_no_disadvantage(tmp_path: Path) -> None:
    start, looked, others_took = datetime.now(UTC), threading.Event(), threading.Event()

    def now() -> datetime:
        if threading.current_thread().name != "early":
            return start + timedelta(seconds=looked.is_set())
        looked.set()
        others_took.wait(0.5)
        return start

    store, passed = open_store(tmp_path, now=now), []
    early = threading.Thread(target=lambda: passed.append(passes(store, Try(GUESS, "ada"))), name="early")
    early.start()
    looked.wait(60)
    passed += [passes(store, Try(GUESS, "ada")) for _ in range(BURST - 1)]
    others_took.set()
    early.join()
    assert passed == [True] * BURST
    assert not passes(store, Try(GUESS, "ada"))


def test_past_rows_are_deleted_and_contain_no_address(store: ControlStore, clock: Clock) -> None:
    take(store, Try(GUESS, "ada@example.org"))
    clock.advance(days=1)
    take(store, Try(GUESS, "eve@example.org"))
    with store.session() as session:
        assert session.scalar(select(func.count()).select_from(Throttle)) == 1
        assert "@" not in (session.scalar(select(Throttle.key)) or "")
