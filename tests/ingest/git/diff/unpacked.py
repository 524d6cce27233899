"""Surroundings as Python's own values."""

from __future__ import annotations

from array import array

from ingest.git.diff.context import Surroundings


def near_lines(around: Surroundings) -> dict[int, int]:
    """Line number → weight of the lines near the hunks."""
    return dict(zip(array("i", around.near), array("i", around.weights), strict=True))


def function_lines(around: Surroundings) -> set[int]:
    """Numbers of the lines of the functions in which the hunks lie."""
    return set(array("i", around.function))
