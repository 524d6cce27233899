"""Which rows a caller may see: the only author of row visibility.

Every query takes its tables from a Scope. Today a caller sees the whole of its organization, and a build holds
one organization; roles and teams will narrow `table` and `key` here and nowhere else.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scope:
    """What one caller may read."""

    organization_id: str

    @property
    def key(self) -> str:
        """Equal for callers who see the same rows: part of every cache key, ETag and page token."""
        return self.organization_id

    def table(self, name: str) -> str:
        """SQL that stands for the visible rows of a published table."""
        return name
