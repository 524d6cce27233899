"""What one listing or one row may take: a provider that never ends must not take the machine or the night.

Keep out: the limit of a single answer (`client`), memory of the whole process (`ingest.git.supervision`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ingest.errors import ProviderRefused, Refusal

GIGABYTE = 1024**3


@dataclass(eq=False)
class Budget:
    """Rows, bytes and seconds of requests for something (`of`), and how many of them are used."""

    of: str
    rows: int
    bytes: int
    seconds: float
    used_rows: int = field(init=False, default=0)
    used_bytes: int = field(init=False, default=0)
    used_seconds: float = field(init=False, default=0.0)

    def take_rows(self, count: int) -> None:
        """Use rows. Raises ProviderRefused beyond the budget, as the others do."""
        self.used_rows += count
        if self.used_rows > self.rows:
            raise self._exceeded(f"{self.rows:,} rows")

    def take_bytes(self, count: int) -> None:
        """Use bytes."""
        self.used_bytes += count
        if self.used_bytes > self.bytes:
            raise self._exceeded(f"{self.bytes // 1024**2:,} megabytes")

    def take_seconds(self, seconds: float) -> None:
        """Use seconds. The next request is the one that is refused."""
        self.used_seconds += seconds

    def refuse_late(self) -> None:
        """Raise ProviderRefused if no second is left."""
        if self.used_seconds > self.seconds:
            raise self._exceeded(f"{self.seconds / 60:,.0f} minutes")

    def _exceeded(self, limit: str) -> ProviderRefused:
        return ProviderRefused(
            Refusal.INVALID,
            f"The provider answers more than {limit} for {self.of}, which is the limit. Ask its operator whether it"
            " repeats itself.",
        )


def of_listing() -> Budget:
    """For one list of a run, with the details of its rows."""
    return Budget("one list", 5_000_000, 64 * GIGABYTE, 2 * 3600.0)


def of_row() -> Budget:
    """For the details of one row, such as the reviews, events and commits of a pull request."""
    return Budget("one row", 50_000, GIGABYTE // 8, 600.0)
