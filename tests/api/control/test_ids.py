"""Ids of things that people create."""

import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from api.control.ids import new_id


def test_ids_are_uuids_of_the_seventh_version_and_sort_as_they_are_made() -> None:
    made = [new_id() for _ in range(20_000)]
    assert all(one < other for one, other in pairwise(made))
    assert {(uuid.UUID(one).version, uuid.UUID(one).variant) for one in made} == {(7, uuid.RFC_4122)}


def test_threads_get_different_ids() -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: new_id(), range(5_000)))
    assert len(set(made)) == 5_000


def test_a_clock_that_goes_back_does_not_take_the_order_along(monkeypatch: pytest.MonkeyPatch) -> None:
    first = new_id()
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    assert new_id() > first
