"""The changed lines of a file as plain values, which pass between processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AddedLine:
    """An added line, with its number in the version of the delivery. `commit` has the credit for it."""

    number: int
    text: str
    name: str
    tokens: int
    rank: int
    commit: str


@dataclass(frozen=True, slots=True)
class RemovedLine:
    """A removed line, with its number in the version before. `is_gone`: a word of it stands in no other line."""

    number: int
    text: str
    is_gone: bool
    commit: str


@dataclass(frozen=True, slots=True)
class DeliveredFile:
    """The changed lines of a file of a delivery; none where its lines cannot be read."""

    added: Sequence[AddedLine] = ()
    removed: Sequence[RemovedLine] = ()
