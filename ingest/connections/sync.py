"""One run over one connection: reads its streams, and commits rows together with the position to continue from.

A killed run continues after its last batch. Keep out: rows that no longer exist (`sweeping`), one provider
(`ingest.providers`), when runs happen (orchestration).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from ingest.connections import news as questions
from ingest.connections import rows as raw_rows
from ingest.connections.erasing import CACHE_FILE, stored_files, without_erased
from ingest.connections.known import FILE, Known
from ingest.connections.model import Connection, Deferred, Provider, Record, Slice, Stream, WantedRepository
from ingest.connections.news import ChangedStreams, News
from ingest.connections.progress import Position, SyncReport, by_day
from ingest.connections.restating import Restated
from ingest.connections.rows import CONNECTOR_VERSION, Row
from ingest.connections.sweeping import MALFORMED, STOPPING, Sweeper, unexpected
from ingest.errors import LakeCorrupt, ProviderRefused, RateLimited, Refusal, Transient
from ingest.http import budgets
from ingest.http.cache import HttpCache
from ingest.http.client import Client
from ingest.lake import Source, erased

__all__ = ["Sync", "SyncReport"]

OF_THE_TOKEN = frozenset({Refusal.UNAUTHORIZED, Refusal.EXPIRED, Refusal.SSO_REQUIRED})
BATCH_ROWS = 2_000
BATCH_REQUESTS = 1_000
BATCH_SLICES = 100
BATCH_SIZE = 32_000_000
"""A batch ends at the first of these limits, the last one in characters. A killed run repeats at most so many requests.
"""
MAX_RESUMPTIONS = 9
"""Runs that continue at a cursor and come no further, before a pass begins again."""
MAX_PASS_ROWS = 2_000_000
"""Rows of one list of a provider, or of one range of its days. Every run remembers their ids."""


def _same(record: Record) -> Record:
    return record


class Sync:
    """One run over one connection. Call inside `source.extracting()`."""

    def __init__(
        self,
        source: Source,
        connection: Connection,
        provider: Provider,
        client: Client,
        repositories: Sequence[WantedRepository] = (),
        *,
        is_full: bool = False,
        on_progress: Callable[[str, int], None] = lambda _stream, _rows: None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._source, self._connection, self._provider, self._client = source, connection, provider, client
        self._repositories, self._on_progress, self._now = repositories, on_progress, now
        self._noun, self._erased = provider.category.noun, erased.read(source.lake, source.organization_id)
        try:
            state = source.state()
            known, cache = source.read_file(FILE), source.read_file(CACHE_FILE)
        except LakeCorrupt:
            source.clear()
            state, known, cache = source.state(), None, None
        is_other = state.extra.get("version", CONNECTOR_VERSION) != CONNECTOR_VERSION
        stored: Mapping[str, Any] = state.extra.get("streams", {})
        self._positions = {name: Position(**one) for name, one in stored.items()}
        self._known = Known.from_bytes(known)
        client.cache = HttpCache.from_bytes(cache)
        self._deleted = self._known.deleted()
        self._is_full = is_full or is_other
        self._pending: dict[str, dict[str, Row]] = {}
        self._kinds: dict[str, type[Record]] = {}
        self._slices = self._requests = self._size = self._skipped = 0
        self._has_details = False
        self._changed: dict[News, ChangedStreams | None] = {}
        self.report = SyncReport()
        self._sweeper = Sweeper(provider.title, self._known, self.report, now)

    def run(self) -> SyncReport:
        """Read every stream. Raises RateLimited, Transient and refusals of the whole connection; what was read until
        then is committed. An error of one stream is raised after the others were read, of two in a row at once.
        """
        trouble: Transient | None = None
        is_in_trouble = False
        try:
            for stream in self._streams():
                self.report.streams += 1
                try:
                    with self._client.within(budgets.of_listing()):
                        self._read(stream)
                    is_in_trouble = False
                except ProviderRefused as error:
                    if error.refusal in STOPPING:
                        raise
                    self.report.fail(stream.name, str(error))
                except Transient as error:
                    if isinstance(error, RateLimited) or is_in_trouble:
                        raise
                    trouble, is_in_trouble = trouble or error, True
                    self.report.fail(stream.name, str(error))
                except MALFORMED as error:
                    self.report.fail(stream.name, unexpected(error))
                self.report.show_unread(stream.name, self._positions.get(stream.name, Position()))
            if trouble is not None:
                raise trouble
        finally:
            # Rows and positions agree after every slice, so an error between two slices loses nothing.
            self._commit()
            self.report.requests = self._client.requests
        return self.report

    def explain(self, refused: ProviderRefused) -> None:
        """Raise a refusal of the token in the words of its check, which name the remedy."""
        if refused.refusal in OF_THE_TOKEN:
            with suppress(Transient):
                self._provider.check(self._client, self._connection)

    def _streams(self) -> Iterator[Stream]:
        """The provider's streams, as far as it can name them from what it reads."""
        try:
            streams = self._provider.streams(self._client, self._connection, self._repositories)
            yield from map(partial(without_erased, self._erased), streams)
        except MALFORMED as error:
            self.report.fail(self._provider.title, unexpected(error))

    def _read(self, stream: Stream) -> None:
        version, last = raw_rows.version_of(stream.version), self._positions.get(stream.name)
        changes = self._changed_streams(stream, last)
        if (
            last is not None
            and not self._is_full
            and (last.has_all(version) or last.lacks_news(stream, changes))
        ):
            if changes is not None:
                last.read_at = changes.at.isoformat()
            self._sweeper.sweep(stream, last)
            return
        position = self._open(stream, version, changes)
        is_resumed = position.cursor is not None
        try:
            self._read_pass(stream, position)
        except ProviderRefused as error:
            # Cursors of some providers end after days. Without a status the refusal is our own, such as of a limit.
            is_ended = error.status is not None and error.refusal in (Refusal.INVALID, Refusal.GONE)
            if not is_resumed or not is_ended:
                raise
            position.cursor = position.newest = None
            self._read_pass(stream, position)

    def _changed_streams(self, stream: Stream, last: Position | None) -> ChangedStreams | None:
        """The changed streams that the provider names, asked once in a run.

        With each sweep a stream is read as without the question, so that no false answer lasts.
        """
        if stream.news is None or last is None or self._is_full or self._sweeper.is_due(stream, last):
            return None
        if stream.news not in self._changed:
            times = {
                key: datetime.fromisoformat(one.read_at)
                for key, one in self._positions.items()
                if one.read_at
            }
            self._changed[stream.news] = questions.ask(stream.news, times, self._client.server_time)
        return self._changed[stream.news]

    def _read_pass(self, stream: Stream, position: Position) -> None:
        since = datetime.fromisoformat(position.since) if position.since else None
        restated = Restated(stream, self._known, self._skipped)
        for part in stream.read(since, position.cursor):
            self._take(stream, position, part)
            if (told := restated.take(part, self._skipped)) is not None:
                self._sweeper.remove_missing(stream, *told)
            self._on_progress(stream.name, sum(self.report.rows.values()))
            if (
                self._slices >= BATCH_SLICES
                or self._client.requests - self._requests >= BATCH_REQUESTS
                or sum(map(len, self._pending.values())) >= BATCH_ROWS
                or self._size >= BATCH_SIZE
            ):
                self._commit()
        restated.close()
        self._sweeper.close(stream, position)

    def _open(self, stream: Stream, version: int, changes: ChangedStreams | None) -> Position:
        """The position of a pass: of the unfinished one, or of a new one."""
        position = self._positions.setdefault(stream.name, Position())
        wants_all = self._is_full or not stream.is_incremental or position.watermark is None
        # A cursor may be spoilt for good: nobody should have to remove the connection for it.
        most = 0 if self._is_full else MAX_RESUMPTIONS
        if (
            position.is_open
            and (position.full_pass > 0 or not wants_all)
            and (position.cursor is None or position.resumptions <= most)
        ):
            position.resumptions += 1
            return position
        newest = None if wants_all else position.watermark
        if newest and changes is not None and position.is_whole:
            # The provider named no change before, so that its answer for later ones is enough.
            newest = max(newest, position.read_at or newest)
        since = (datetime.fromisoformat(newest) - stream.overlap).isoformat() if newest else None
        number = 1 + self._known.last_pass if wants_all else 0
        clock = self._client.server_time if stream.news is not None else None
        fresh = replace(
            position,
            cursor=None,
            newest=None,
            since=since,
            full_pass=number,
            is_open=True,
            began_at=self._now().isoformat(),
            unread={} if wants_all else dict(position.unread),
            next_version=version,
            next_read_at=clock.isoformat() if clock else None,
            unnamed=0,
            met=0,
            resumptions=0,
        )
        self._positions[stream.name] = fresh
        return fresh

    def _take(self, stream: Stream, position: Position, part: Slice) -> None:
        if position.count(part) > MAX_PASS_ROWS:
            raise ProviderRefused(
                Refusal.INVALID,
                f"{self._provider.title} lists more than {MAX_PASS_ROWS:,} rows, which is the limit.",
            )
        for one in part.rows:
            deferred = one if isinstance(one, Deferred) else Deferred(one.provider_id, partial(_same, one))
            self._read_deferred(stream, position, deferred)
        for key, reason in part.failures.items():
            self._skip(stream, position, key, reason)
        self.report.deleted += self._known.mark_named(stream.table, part.deleted)
        self.report.notes |= {f"{stream.name}: {key}": note for key, note in part.notes.items()}
        position.note(part.reached)
        position.cursor, position.resumptions = part.cursor, 0
        self._slices += 1

    def _read_deferred(self, stream: Stream, position: Position, one: Deferred) -> None:
        key = one.provider_id
        is_fresh = not self._is_full and (position.full_pass == 0 or not stream.is_incremental)
        # A full pass that was interrupted continues after the rows that it read.
        since = 0 if is_fresh else position.full_pass
        try:
            version = raw_rows.version_of(one.version)
            if version and key and self._known.has_version(stream.table, key, version, since):
                self._known.meet(stream.table, stream.name, key, position.full_pass)
                position.note(one.updated_at)
                return
            with self._client.within(budgets.of_row()):
                record = one.read()
            row = raw_rows.row_of(record)
        except ProviderRefused as error:
            if error.refusal in STOPPING:
                raise
            self._skip(stream, position, key, str(error))
        except MALFORMED as error:
            self._skip(stream, position, key, unexpected(error))
        else:
            self._keep(stream, position, record, row, version)

    def _keep(self, stream: Stream, position: Position, record: Record, row: Row, version: int = 0) -> None:
        self._kinds[stream.table] = type(record)
        mark, key = raw_rows.fingerprint(row), raw_rows.key_of(record, row)
        if self._known.changed(stream.table, stream.name, key, mark, position.full_pass, version):
            self._pending.setdefault(stream.table, {})[key] = row
            self._size += raw_rows.size_of(row)
            self.report.rows[stream.table] = self.report.rows.get(stream.table, 0) + 1
        # Details that a full pass read need not be read again if it is interrupted.
        self._has_details |= bool(version and position.full_pass)
        position.forget(key)
        position.note(record.updated_at)

    def _skip(self, stream: Stream, position: Position, key: str | None, reason: str) -> None:
        """Count a row that cannot be read. The lake keeps what it has of it."""
        position.skip(key, reason)
        self._skipped += 1
        if key is not None:
            self._known.meet(stream.table, stream.name, key, position.full_pass)

    def _commit(self) -> None:
        """Commit rows and positions in one batch; nothing if neither changed."""
        state = self._source.state()
        batch = state.batch + 1
        appended = {
            table: raw_rows.table_of(
                self._connection, self._noun, table, batch, self._kinds[table], list(rows.values())
            )
            for table, rows in self._pending.items()
            if rows
        }
        extra = {
            "version": CONNECTOR_VERSION,
            "streams": {name: asdict(one) for name, one in self._positions.items()},
        }
        self._slices, self._size, self._requests = 0, 0, self._client.requests
        deleted = self._known.deleted()
        if (
            not appended
            and deleted == self._deleted
            and not self._has_details
            and by_day(state.extra) == by_day(extra)
        ):
            return
        # Changed marks of stored answers alone are worth no batch, and times of passes without rows one a day.
        deletions = raw_rows.deletions_of(self._connection, self._noun, deleted)
        files = stored_files(self._erased, self._known, self._client.cache)
        self._source.commit(appended, {"deletions": deletions}, extra, files)
        self._pending, self._deleted, self._has_details = {}, deleted, False
