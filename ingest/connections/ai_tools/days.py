"""Streams that a vendor answers by ranges of days, and restates for some days.

Keep out: pages of one range (`ingest.http.pages`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from ingest.connections.model import Deferred, Record, Slice, Stream
from ingest.http.client import Client

ONE_DAY = timedelta(days=1)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True)
class Days:
    """The days (UTC) from `first` to `last`."""

    first: date
    last: date

    @property
    def start(self) -> datetime:
        """The instant at which they begin."""
        return datetime.combine(self.first, time(), UTC)

    @property
    def end(self) -> datetime:
        """The instant after them."""
        return datetime.combine(self.last + ONE_DAY, time(), UTC)

    @property
    def names(self) -> list[str]:
        """Each day as ids of rows have it."""
        return [
            (self.first + timedelta(days=n)).isoformat() for n in range((self.last - self.first).days + 1)
        ]


@dataclass(frozen=True)
class Kept:
    """What a vendor has: `days` before today; the last `restated` ones change; it lacks the last `late` ones.

    One request may ask for `at_once` days.
    """

    days: int
    restated: int
    late: int = 0
    at_once: int = 1


Pages = Iterable[Iterable[Record | Deferred]]
"""The rows of some days, page by page."""


def by_days(client: Client, name: str, table: str, kept: Kept, read: Callable[[Days], Pages]) -> Stream:
    """A stream that reads range by range, oldest first, and continues at the range in which a run ended."""

    def slices(since: datetime | None, cursor: str | None) -> Iterator[Slice]:
        today = client.now().astimezone(UTC).date()
        last = today - timedelta(days=kept.late)
        first = today - timedelta(days=kept.days)
        if since is not None:
            first = max(first, since.astimezone(UTC).date())
        if cursor is not None:
            first = max(first, date.fromisoformat(cursor))
        while first <= last:
            days = Days(first, min(last, first + timedelta(days=kept.at_once - 1)))
            for rows in read(days):
                yield Slice(list(rows), first.isoformat())
            first = days.last + ONE_DAY
            cursor = first.isoformat() if first <= last else None
            yield Slice([], cursor, reached=days.end - ONE_DAY, periods=days.names)

    overlap = timedelta(days=kept.restated)
    return Stream(name, table, slices, overlap=overlap, forgets_old=True, period_of=_day_in)


def today_alone(client: Client, name: str, table: str, read: Callable[[date], Pages]) -> Stream:
    """A stream of what a vendor tells of the present day alone, such as its seats. Rows of other days stay."""

    def slices(_since: datetime | None, _cursor: str | None) -> Iterator[Slice]:
        # A run that ended within the list reads it again: it may be of another day.
        today = client.now().astimezone(UTC).date()
        for rows in read(today):
            yield Slice(list(rows), None)
        yield Slice([], None, periods=[today.isoformat()])

    return Stream(name, table, slices, is_incremental=False, forgets_old=True, period_of=_day_in)


def _day_in(key: str) -> str | None:
    """The day that an id of `amounts.key_of` names. Single requests name none, and no vendor takes them back."""
    return next((part for part in key.split("/") if _DAY.fullmatch(part)), None)
