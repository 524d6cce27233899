"""Bulk writes in which each item succeeds or fails on its own."""

from collections.abc import Callable, Sequence
from typing import TypeVar

Wanted = TypeVar("Wanted")
Made = TypeVar("Made")


def write_each(
    wanted: Sequence[Wanted | Exception], write: Callable[[Wanted], Made]
) -> list[Made | Exception]:
    """The result or the error of each item. An error of one item does not stop the others.

    Items that are errors already are passed through.
    """
    outcomes: list[Made | Exception] = []
    for one in wanted:
        if isinstance(one, Exception):
            outcomes.append(one)
            continue
        try:
            outcomes.append(write(one))
        except Exception as error:  # noqa: BLE001 # the answer reports earlier items after any error
            outcomes.append(error)
    return outcomes
