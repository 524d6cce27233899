"""Bulk writes in which each item succeeds or fails on its own."""

from collections.abc import Callable, Sequence
from typing import TypeVar

Wanted = TypeVar("Wanted")
Made = TypeVar("Made")


def write_each(
    wanted: Sequence[Wanted | Exception], write: Callable[[Wanted], Made]
) -> list[Made | Exception]:
    """For each one what it made or why it made nothing: one that fails, however, keeps no other from being made.

    Those that could not even be named come as the reason and go back as they came.
    """
    outcomes: list[Made | Exception] = []
    for one in wanted:
        if isinstance(one, Exception):
            outcomes.append(one)
            continue
        try:
            outcomes.append(write(one))
        except Exception as error:  # noqa: BLE001 # what was made before is told, whatever it is
            outcomes.append(error)
    return outcomes
