"""The marker of a field that a partial change leaves unchanged."""

from enum import Enum


class Unchanged(Enum):
    """Marks a field that a change leaves as it is, because None clears the field."""

    UNCHANGED = "unchanged"


UNCHANGED = Unchanged.UNCHANGED
