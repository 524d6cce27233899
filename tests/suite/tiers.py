"""Two depths of the same tests: `make test` for each change, `make test-all` before a release.

`make test` runs everything that can find a fault of a change. `make test-all` (`TEST_TIER=all`) repeats it with more
random inputs and adds the tests that are marked `release`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import pytest
from hypothesis import settings

IS_WHOLE = os.environ.get("TEST_TIER") == "all"
T = TypeVar("T")
DEFAULT_EXAMPLES = 40
WHOLE_EXAMPLES = 500


def seeds(count: int) -> range:
    """Seeds of random inputs: all of them in `make test-all`, the first fifth in `make test`."""
    return range(count if IS_WHOLE else -(-count // 5))


def some(cases: Iterable[T], count: int) -> list[T]:
    """Cases of a test that takes seconds for each: all of them in `make test-all`, the first ones in `make test`."""
    return list(cases)[: None if IS_WHOLE else count]


def spread(cases: Iterable[T], count: int) -> list[T]:
    """As `some`, but the cases of `make test` lie evenly apart; the first one is among them."""
    every = list(cases)
    if IS_WHOLE or len(every) <= count:
        return every
    return [every[place * len(every) // count] for place in range(count)]


def pairs(ones: Mapping[str, Any], others: Mapping[str, Any]) -> list[Any]:
    """Each of one kind with each of another, by their names. `make test` runs every second pair, as the black squares
    of a chessboard: it tries each of a kind with half of the other kind.
    """
    return [
        pytest.param(one, other, id=f"{name}-{second}", marks=[pytest.mark.release] * ((row + column) % 2))
        for row, (name, one) in enumerate(ones.items())
        for column, (second, other) in enumerate(others.items())
    ]


def fewer(count: int) -> int:
    """How many examples a property gets that makes transactions, requests or drawings for each: all of them in
    `make test-all`, a third in `make test`, but eight at least.
    """
    return count if IS_WHOLE else max(count // 3, min(count, 8))


def examples(count: int) -> settings:
    """Hypothesis settings of a property that deserves more than 500 examples in `make test-all`.

    In `make test` each property has the default number, which is the profile's.
    """
    return settings(max_examples=max(count, WHOLE_EXAMPLES) if IS_WHOLE else DEFAULT_EXAMPLES)
