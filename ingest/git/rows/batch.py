"""Rows of the raw tables that are not yet committed.

Keep out: the content of rows (`writer`, `histograms`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import pyarrow as pa

from ingest.git.changes.commit_changes import PackedRows
from ingest.git.rows.packed_rows import PACKED, unpack, whole
from ingest.lake.tables import Row, build
from ingest.schemas import git as schemas

_BUILD_ABOVE = 8192
"""Rows converted to Arrow together. Arrow takes a tenth of the memory."""


@dataclass(slots=True)
class Batch:
    """Rows not yet committed, by table.

    `source` and `version` are the columns that packed rows lack: the ids of organization and repository, and the
    version of the extractor.
    """

    source: tuple[str, str]
    version: str
    rows: dict[str, list[Row]] = field(default_factory=lambda: {name: [] for name in schemas.TABLES})
    commits: int = 0
    lines: int = 0
    _packs: list[tuple[PackedRows, range]] = field(default_factory=list)
    """Packs with the numbers of the commits that belong to the batch."""
    _built: dict[str, list[pa.Table]] = field(default_factory=dict)

    def add(self, name: str, rows: Iterable[Row]) -> None:
        self.rows[name].extend(rows)
        if len(self.rows[name]) >= _BUILD_ABOVE:
            self._built.setdefault(name, []).append(self._build(name))

    def add_packed(self, packed: PackedRows, number: int) -> None:
        """Add the rows of one commit of a pack."""
        last, numbers = self._packs[-1] if self._packs else (None, range(0))
        if last is packed and numbers.stop == number:
            self._packs[-1] = packed, range(numbers.start, number + 1)
        else:
            self._packs.append((packed, range(number, number + 1)))

    def tables(self, names: Iterable[str]) -> dict[str, pa.Table]:
        found = {name: self._table(name) for name in names}
        return {name: table for name, table in found.items() if len(table)}

    def _table(self, name: str) -> pa.Table:
        if name in PACKED:
            parts = [unpack(packed, name, numbers) for packed, numbers in self._packs]
            return whole(name, parts, self.source, self.version)
        return pa.concat_tables([*self._built.get(name, ()), self._build(name)])

    def _build(self, name: str) -> pa.Table:
        rows, self.rows[name] = self.rows[name], []
        return build(schemas.TABLES[name], rows)
