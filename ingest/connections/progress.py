"""The progress of the streams of a connection, and the report of a run.

Keep out: the run (`sync`), rows (`rows`, `known`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ingest.connections.model import Slice, Stream
from ingest.connections.news import ChangedStreams
from ingest.texts import shown

MAX_UNREAD = 100
"""Unread rows of a stream that a position remembers."""
MAX_KEY, MAX_MESSAGE = 200, 1_000
UNNAMED = "unnamed row"
"""Key of an unread row whose id the provider hides."""


@dataclass
class Position:
    """The progress of a stream. Times are ISO 8601, UTC.

    `watermark` is the newest change of all complete passes; `cursor` and `newest` belong to an unfinished pass, which
    began at `since` (None: from the start) and has the number `full_pass` if it reads everything (else 0). A row may
    change after such a pass read it, so the watermark never exceeds `began_at`. `unread` has the reasons of rows that
    could not be read, by provider id, until they can. `version` is that of the stream before the last complete pass,
    `next_version` that before the unfinished one; `read_at` and `next_read_at` are the provider's times at the start
    of these passes, for streams with `news`. `met` counts the rows that a pass met so far, of a
    list by days those of the range of days that it reads, `unnamed` those without id, `resumptions` the runs that
    continued at `cursor` and came no further.
    """

    watermark: str | None = None
    cursor: str | None = None
    newest: str | None = None
    since: str | None = None
    full_pass: int = 0
    swept_at: str | None = None
    is_open: bool = False
    began_at: str | None = None
    unread: dict[str, str] = field(default_factory=dict)
    version: int = 0
    next_version: int = 0
    read_at: str | None = None
    next_read_at: str | None = None
    unnamed: int = 0
    met: int = 0
    resumptions: int = 0

    def note(self, updated_at: datetime | None) -> None:
        """Move the newest change of the pass."""
        if updated_at is not None:
            self.newest = max(self.newest or "", updated_at.astimezone(UTC).isoformat())

    def skip(self, provider_id: str | None, reason: str) -> None:
        """Note that a row could not be read."""
        if provider_id is None:
            self.unnamed += 1
            # The next pass meets the same rows and counts them by the same numbers.
            provider_id = f"{UNNAMED} {min(self.unnamed, MAX_UNREAD)}"
        key = shown(provider_id, MAX_KEY)
        if key in self.unread or len(self.unread) < MAX_UNREAD:
            self.unread[key] = reason

    def count(self, part: Slice) -> int:
        """The number of rows of the list so far, or of its range of days: a list without end never ends a range, and a
        year of a large organization has more rows than any other list.
        """
        found = self.met + len(part.rows)
        self.met = 0 if part.periods else found
        return found

    def forget(self, provider_id: str) -> None:
        """Note that a row could be read."""
        self.unread.pop(shown(provider_id, MAX_KEY), None)

    def close(self) -> None:
        """End the pass: the watermark moves, but not beyond the start of the pass."""
        newest = self.newest
        if newest and self.began_at:
            newest = min(newest, self.began_at)
        self.watermark = max(filter(None, (self.watermark, newest)), default=None)
        self.cursor = self.newest = self.since = self.began_at = None
        self.full_pass, self.is_open = 0, False
        self.unnamed = self.met = self.resumptions = 0

    def has_all(self, version: int) -> bool:
        """Whether the last complete pass read all that a stream in this version has."""
        return 0 != version == self.version and self.is_whole

    @property
    def is_whole(self) -> bool:
        """Whether the last pass is complete and read every row."""
        return not (self.is_open or self.unread)

    def reaches(self, newest: datetime) -> bool:
        """Whether the passes met a change as late as this one, of which only the second may be known."""
        second = newest.replace(microsecond=0)
        return self.watermark is not None and datetime.fromisoformat(self.watermark) >= second

    def lacks_news(self, stream: Stream, changes: ChangedStreams | None) -> bool:
        """Whether the provider names no change in the stream since its last pass."""
        if changes is None or self.read_at is None or not self.is_whole:
            return False
        is_covered = datetime.fromisoformat(self.read_at) - stream.overlap >= changes.since
        return is_covered and stream.name not in changes.changed

    @property
    def hides_rows(self) -> bool:
        """Whether the pass met rows without id, so that known rows cannot be said to be missing."""
        return any(key.startswith(UNNAMED) for key in self.unread)


def by_day(extra: Mapping[str, Any]) -> dict[str, Any]:
    """The state of a source, with times at which a provider was asked as days."""
    days = {
        name: {**one, **{key: (one.get(key) or "")[:10] for key in ("read_at", "next_read_at")}}
        for name, one in extra.get("streams", {}).items()
    }
    return {"version": extra.get("version"), "streams": days}


@dataclass
class SyncReport:
    """Report of a run. `failures` are messages by stream; `is_complete` means that every stream was read to its end.

    `unread` counts rows by stream that could not be read now or earlier, `unread_reasons` has one reason for each.
    `notes` are sentences by stream and subject about parts that the provider's plan lacks.
    """

    rows: dict[str, int] = field(default_factory=dict)
    deleted: int = 0
    requests: int = 0
    streams: int = 0
    failures: dict[str, str] = field(default_factory=dict)
    unread: dict[str, int] = field(default_factory=dict)
    unread_reasons: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        return not self.failures

    def fail(self, stream: str, why: str) -> None:
        """Report a stream that could not be read to its end. Words of the provider are shown to people."""
        self.failures[stream] = shown(why, MAX_MESSAGE)

    def show_unread(self, stream: str, position: Position) -> None:
        """Report the rows of a stream that could not be read."""
        if position.unread:
            key, reason = next(iter(position.unread.items()))
            self.unread[stream] = len(position.unread)
            self.unread_reasons[stream] = shown(f"{key}: {reason}", MAX_MESSAGE)
