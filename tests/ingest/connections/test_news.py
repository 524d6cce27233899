"""When the changes in many streams are asked for at once, and since when."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import pytest

from ingest.connections.news import SETTLES_IN, News, ask, is_settled
from ingest.errors import ProviderRefused, RateLimited, Refusal, Transient

NOW = datetime(2026, 3, 20, tzinfo=UTC)
NAMES = ("a", "b", "c", "d")


def asking(
    read_at: dict[str, datetime], error: Exception | None = None, clock: datetime | None = NOW
) -> tuple[list[datetime], set[str] | None]:
    """The times since which was asked, and the answer."""
    times: list[datetime] = []

    def answer(since: datetime) -> Iterable[str] | None:
        times.append(since)
        if error is not None:
            raise error
        return ["b"]

    told = ask(News(frozenset(NAMES), answer), read_at, clock)
    return times, None if told is None else set(told.changed)


def test_one_question_reaches_back_to_the_stream_that_was_read_first() -> None:
    read_at = {name: NOW - timedelta(hours=place) for place, name in enumerate(NAMES)}
    assert asking(read_at) == ([NOW - timedelta(hours=3) - SETTLES_IN], {"b"})


def test_a_stream_that_was_last_read_long_ago_makes_no_long_answer() -> None:
    read_at = {name: NOW - timedelta(hours=place) for place, name in enumerate(NAMES)}
    read_at["d"] = NOW - timedelta(days=90)
    assert asking(read_at)[0] == [NOW - timedelta(hours=2) - SETTLES_IN]


@pytest.mark.parametrize(
    "read_at",
    [{}, {"a": NOW, "b": NOW}, {"a": NOW, "b": NOW, "another question": NOW}],
    ids=["none", "two", "others"],
)
def test_few_streams_are_asked_one_by_one(read_at: dict[str, datetime]) -> None:
    assert asking(read_at) == ([], None)


def test_nothing_is_asked_of_a_provider_without_a_clock() -> None:
    assert asking(dict.fromkeys(NAMES, NOW), clock=None) == ([], None)


@pytest.mark.parametrize(
    "error", [ProviderRefused(Refusal.NOT_FOUND, "no"), Transient("no"), KeyError("id"), TypeError("no")]
)
def test_a_question_without_answer_tells_nothing(error: Exception) -> None:
    times, told = asking(dict.fromkeys(NAMES, NOW), error)
    assert (len(times), told) == (1, None)


def test_a_limit_ends_the_run() -> None:
    with pytest.raises(RateLimited):
        asking(dict.fromkeys(NAMES, NOW), RateLimited("later", 60.0))


def test_a_change_is_settled_when_another_one_has_another_time() -> None:
    assert is_settled(NOW - SETTLES_IN - timedelta(seconds=1), NOW)
    assert not is_settled(NOW - SETTLES_IN, NOW)
    assert not is_settled(NOW + timedelta(days=1), NOW)
    assert not is_settled(NOW, None)
    assert not is_settled(None, NOW)
