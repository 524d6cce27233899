"""The end of a pass: rows that no longer exist, and the watermark.

A failed or empty listing never removes rows. Keep out: reading a pass (`sync`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from ingest.connections.known import Known
from ingest.connections.model import Stream
from ingest.connections.progress import Position, SyncReport
from ingest.errors import ProviderRefused, Refusal
from ingest.texts import shown

SWEEP_AFTER = timedelta(days=7)
KEEP_AT_LEAST = 0.5
"""A sweep that finds less than this share of more than `SMALL` known rows removes nothing."""
SMALL = 20
STOPPING = frozenset(
    {Refusal.UNAUTHORIZED, Refusal.EXPIRED, Refusal.TLS, Refusal.BAD_ADDRESS, Refusal.SSO_REQUIRED}
)
"""Refusals of the whole connection; others concern one stream, and the next streams are read."""
MALFORMED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""Errors of parsing a row that has another shape than its provider promises."""


def unexpected(error: Exception) -> str:
    """The message about a row or listing of another shape."""
    return shown(f"unexpected content: {type(error).__name__} {error}", 200)


@dataclass(frozen=True)
class Sweeper:
    """Ends the passes of one run over a provider with this title."""

    title: str
    known: Known
    report: SyncReport
    now: Callable[[], datetime]

    def close(self, stream: Stream, position: Position) -> None:
        """End a pass: remove what no longer exists and move the watermark."""
        is_swept = position.full_pass > 0 and not (position.hides_rows or stream.forgets_old)
        if is_swept:
            rows = self.known.of_stream(stream.table, stream.name)
            self._remove_missing(stream, {key for key, entry in rows if entry.seen_in >= position.full_pass})
            if stream.list_ids is not None:
                position.swept_at = self.now().isoformat()
        else:
            self.sweep(stream, position)
        position.close()
        is_failed = stream.name in self.report.failures
        # A list that lacks the newest row which the provider told of may lack others.
        is_behind = stream.newest is not None and not position.reaches(stream.newest)
        position.version = 0 if is_failed or is_behind else position.next_version
        position.read_at = None if is_failed else position.next_read_at

    def sweep(self, stream: Stream, position: Position) -> None:
        """Ask which rows exist, if the last time was long ago. A refusal is shown, and what was read stands."""
        if not self.is_due(stream, position):
            return
        assert stream.list_ids is not None
        try:
            existing = set(stream.list_ids())
        except ProviderRefused as error:
            if error.refusal in STOPPING:
                raise
            self.report.fail(stream.name, str(error))
        except MALFORMED as error:
            self.report.fail(stream.name, unexpected(error))
        else:
            self._remove_missing(stream, existing)
            position.swept_at = self.now().isoformat()

    def is_due(self, stream: Stream, position: Position) -> bool:
        """Whether the last sweep was long ago."""
        at = position.swept_at
        is_old = at is None or abs(self.now() - datetime.fromisoformat(at)) > SWEEP_AFTER
        return stream.list_ids is not None and is_old

    def _remove_missing(self, stream: Stream, existing: set[str]) -> None:
        """Mark rows that a complete listing lacks."""
        rows = self.known.of_stream(stream.table, stream.name)
        self.remove_missing(stream, {key for key, entry in rows if not entry.is_deleted}, existing)

    def remove_missing(self, stream: Stream, alive: set[str], existing: set[str]) -> None:
        """Mark those of the rows alive that do not exist. If most of them do not, it is taken for a failure."""
        missing = alive - existing
        if not missing:
            return
        if not existing or (len(alive) > SMALL and len(alive) - len(missing) < KEEP_AT_LEAST * len(alive)):
            self.report.failures[stream.name] = (
                f"{self.title} lists {len(existing)} of {len(alive)} known rows of {stream.name}. Nothing was"
                " removed: check what the token may read. If they are really gone, remove the connection and add"
                " it again."
            )
            return
        self.known.mark_deleted(stream.table, missing)
        self.report.deleted += len(missing)
