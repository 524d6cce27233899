"""Streams that a vendor answers by day, and restates for some days.

Keep out: pages of one day (`ingest.http.pages`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta

from ingest.connections.model import Deferred, Record, Slice, Stream
from ingest.http.client import Client

DayRows = Iterable[Iterable[Record | Deferred]]
"""The rows of one day, page by page."""


def by_day(
    client: Client,
    name: str,
    table: str,
    read: Callable[[date], DayRows],
    *,
    days_kept: int,
    days_restated: int,
    days_late: int = 0,
    notes: Callable[[], dict[str, str]] = dict,
) -> Stream:
    """A stream that reads day by day (UTC), oldest first, and continues at the day at which a run ended.

    The vendor answers for `days_kept` days before today, restates `days_restated` days, and has nothing of the last
    `days_late`. `notes` are asked for after the last day.
    """

    def slices(since: datetime | None, cursor: str | None) -> Iterator[Slice]:
        today = client.now().astimezone(UTC).date()
        last = today - timedelta(days=days_late)
        day = today - timedelta(days=days_kept)
        if since is not None:
            day = max(day, since.astimezone(UTC).date())
        if cursor is not None:
            day = max(day, date.fromisoformat(cursor))
        while day <= last:
            for rows in read(day):
                yield Slice(list(rows), day.isoformat())
            day += timedelta(days=1)
            reached = datetime.combine(day, time(), UTC) - timedelta(days=1)
            yield Slice([], day.isoformat() if day <= last else None, reached=reached)
        yield Slice([], None, notes=notes())

    return Stream(name, table, slices, overlap=timedelta(days=days_restated), forgets_old=True)
