"""The rows of a connection that the lake has, as a small index: what changed, and what no longer exists.

It is stored beside the state of the source and committed with each batch.
"""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.ipc

FILE = "known.arrow"
_SCHEMA = pa.schema(
    [
        pa.field("table", pa.string()),
        pa.field("stream", pa.string()),
        pa.field("provider_id", pa.string()),
        pa.field("fingerprint", pa.uint64()),
        pa.field("seen_in", pa.int32()),
        pa.field("is_deleted", pa.bool_()),
        pa.field("version", pa.uint64()),
    ]
)


@dataclass(slots=True)
class Entry:
    """One row of the lake. `seen_in` is the number of the last full pass that met it; `version` is the fingerprint of
    its entry in the provider's listing, 0 without one.
    """

    stream: str
    fingerprint: int
    seen_in: int
    is_deleted: bool = False
    version: int = 0


@dataclass
class Known:
    """Entries by table and provider id. `last_pass` is the highest number of a full pass."""

    entries: dict[tuple[str, str], Entry] = field(default_factory=dict)
    last_pass: int = 0
    _ids: dict[tuple[str, str], set[str]] = field(init=False, default_factory=lambda: defaultdict(set))
    """Ids by table and stream. A connection may have thousands of streams, each of which asks for its own."""

    def __post_init__(self) -> None:
        for (table, provider_id), entry in self.entries.items():
            self._ids[table, entry.stream].add(provider_id)
            self.last_pass = max(self.last_pass, entry.seen_in)

    def changed(
        self, table: str, stream: str, provider_id: str, fingerprint: int, full_pass: int, version: int = 0
    ) -> bool:
        """Note that a pass met a row. Returns whether the lake lacks it in this form."""
        found = self.entries.get((table, provider_id))
        if found is None:
            self.entries[table, provider_id] = Entry(stream, fingerprint, full_pass, version=version)
            self._ids[table, stream].add(provider_id)
            self.last_pass = max(self.last_pass, full_pass)
            return True
        found.version = version
        is_changed = found.fingerprint != fingerprint or found.is_deleted
        found.fingerprint, found.is_deleted = fingerprint, False
        self.meet(table, stream, provider_id, full_pass)
        return is_changed

    def has_version(self, table: str, provider_id: str, version: int, full_pass: int = 0) -> bool:
        """Whether the lake has a row in a version, which this full pass or a later one met."""
        found = self.entries.get((table, provider_id))
        return (
            found is not None
            and not found.is_deleted
            and found.version == version
            and found.seen_in >= full_pass
        )

    def meet(self, table: str, stream: str, provider_id: str, full_pass: int) -> None:
        """Note that a pass met a row without reading it."""
        found = self.entries.get((table, provider_id))
        if found is None:
            return
        if found.stream != stream:
            self._ids[table, found.stream].discard(provider_id)
            self._ids[table, stream].add(provider_id)
        found.stream, found.seen_in = stream, max(found.seen_in, full_pass)
        self.last_pass = max(self.last_pass, full_pass)

    def of_stream(self, table: str, stream: str) -> Iterator[tuple[str, Entry]]:
        """Ids and entries of one stream."""
        for provider_id in self._ids.get((table, stream), ()):
            yield provider_id, self.entries[table, provider_id]

    def deleted(self) -> list[tuple[str, str]]:
        """Tables and ids of the rows that no longer exist."""
        return sorted(key for key, entry in self.entries.items() if entry.is_deleted)

    def mark_deleted(self, table: str, provider_ids: Iterable[str]) -> None:
        """Note that rows no longer exist."""
        for provider_id in provider_ids:
            self.entries[table, provider_id].is_deleted = True

    def mark_named(self, table: str, provider_ids: Iterable[str]) -> int:
        """Note that rows no longer exist, some of which may be unknown. Returns how many that changes."""
        keys = ((key, self.entries.get((table, key))) for key in set(provider_ids))
        alive = [key for key, entry in keys if entry is not None and not entry.is_deleted]
        self.mark_deleted(table, alive)
        return len(alive)

    def forget(self, table: str, stream: str, provider_ids: Iterable[str]) -> None:
        """Leave rows of a stream out of the index, which the lake keeps as they are."""
        for provider_id in provider_ids:
            del self.entries[table, provider_id]
            self._ids[table, stream].discard(provider_id)

    def to_bytes(self) -> bytes:
        """The index as a file."""
        rows = [
            (*key, e.fingerprint, e.seen_in, e.is_deleted, e.stream, e.version)
            for key, e in self.entries.items()
        ]
        columns = list(zip(*rows, strict=True)) if rows else [()] * 7
        order = (0, 5, 1, 2, 3, 4, 6)
        arrays = [pa.array(columns[i], f.type) for i, f in zip(order, _SCHEMA, strict=True)]
        sink = io.BytesIO()
        with pa.ipc.new_file(sink, _SCHEMA) as writer:
            writer.write_table(pa.Table.from_arrays(arrays, schema=_SCHEMA))
        return sink.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes | None) -> Known:
        """The inverse of `to_bytes`; empty for None."""
        if content is None:
            return cls()
        table = pa.ipc.open_file(io.BytesIO(content)).read_all()
        rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
        return cls(
            {
                (name, key): Entry(stream, mark, seen, gone, version)
                for name, stream, key, mark, seen, gone, version in rows
            }
        )
