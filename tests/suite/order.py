"""Chooses and orders the tests by their recorded seconds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.suite import recorded
from tests.suite.tiers import IS_WHOLE

FAST_SECONDS = 110.0
"""Recorded seconds that `make check` spends on tests, on two workers beside lint and mypy."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fast",
        action="store_true",
        help="only the shortest modules, together as long as `make check` may take",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what is slow before it is imported. None lets other rules decide."""
    if not config.getoption("fast") or not collection_path.is_relative_to(recorded.ROOT):
        return None
    return True if collection_path.relative_to(recorded.ROOT).as_posix() in _slow() else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of a release, and put the longest files first: workers take them in this order.

    A file without recorded seconds may be long, so it comes before all others.
    """
    if not IS_WHOLE:
        left_out = [item for item in items if item.get_closest_marker("release")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]
    modules = recorded.load().modules
    longest = {module: -modules.get(module, float("inf")) for module in {*map(_module, items)}}
    items.sort(key=lambda item: (longest[_module(item)], _module(item)))


def slow_modules(modules: Mapping[str, float], seconds: float) -> frozenset[str]:
    """The modules that are left when the shortest ones have taken these seconds."""
    slow, left = set(), seconds
    for module in sorted(modules, key=lambda module: (modules[module], module)):
        left -= modules[module]
        if left < 0:
            slow.add(module)
    return frozenset(slow)


@cache
def _slow() -> frozenset[str]:
    return slow_modules(recorded.load().modules, FAST_SECONDS)


def _module(item: pytest.Item) -> str:
    return recorded.module_of(item.nodeid)


def longest_first(modules: Mapping[str, float], most: int) -> Iterable[tuple[str, float]]:
    """The longest modules with their seconds."""
    return sorted(modules.items(), key=lambda one: -one[1])[:most]
