"""Periods that a provider tells anew, such as the last days: a row that it no longer lists there is gone.

Keep out: whole listings, and refusals to remove much (`sweeping`).
"""

from __future__ import annotations

from collections import defaultdict

from ingest.connections.known import Known
from ingest.connections.model import Slice, Stream


class Restated:
    """The rows that are known of each period at the start of a pass, and those that the pass meets."""

    def __init__(self, stream: Stream, known: Known, skipped: int) -> None:
        self._stream, self._index = stream, known
        self._known: defaultdict[str, set[str]] = defaultdict(set)
        self._met: set[str] = set()
        self._skipped = skipped
        self._has_periods = stream.period_of is not None
        if stream.period_of is not None:
            for key, entry in known.of_stream(stream.table, stream.name):
                period = None if entry.is_deleted else stream.period_of(key)
                if period is not None:
                    self._known[period].add(key)

    def take(self, part: Slice, skipped: int) -> tuple[set[str], set[str]] | None:
        """After the last slice of a period, or of several ones: the rows that are known of them, and those that exist.

        None before it and where nothing is known. `skipped` counts the rows of the run that could not be read: one of
        them may be any of those that seem to be gone, so that None is given for its periods too.
        """
        if self._has_periods:
            self._met |= {row.provider_id for row in part.rows if row.provider_id is not None}
        if not part.periods:
            return None
        known = {key for period in part.periods for key in self._known.pop(period, ())}
        met, is_whole = self._met, skipped == self._skipped
        self._met, self._skipped = set(), skipped
        return (known, met) if known and is_whole else None

    def close(self) -> None:
        """End a pass. Of a list of today alone, nobody asks again for what is known of other days, which the lake has.

        Lists of each day for years would fill the memory of every run.
        """
        if not self._stream.is_incremental:
            for keys in self._known.values():
                self._index.forget(self._stream.table, self._stream.name, keys)
