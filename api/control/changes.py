"""The marker of a field that a partial change leaves unchanged."""

from enum import Enum


class Unchanged(Enum):
    """Stands for a value that a change leaves as it is, where None is a value of its own."""

    UNCHANGED = "unchanged"


UNCHANGED = Unchanged.UNCHANGED
