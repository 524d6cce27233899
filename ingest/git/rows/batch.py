"""Rows of the raw tables that are not yet committed.

Keep out: the content of rows (`writer`, `histograms`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import pyarrow as pa

from ingest.lake.tables import Row, build
from ingest.schemas import git as schemas

_BUILD_ABOVE = 8192
"""Rows converted to Arrow together. Arrow takes a tenth of the memory."""


@dataclass(slots=True)
class Batch:
    """Rows not yet committed, by table."""

    rows: dict[str, list[Row]] = field(default_factory=lambda: {name: [] for name in schemas.TABLES})
    commits: int = 0
    lines: int = 0
    _built: dict[str, list[pa.Table]] = field(default_factory=dict)

    def add(self, name: str, rows: Iterable[Row]) -> None:
        self.rows[name].extend(rows)
        if len(self.rows[name]) >= _BUILD_ABOVE:
            self._built.setdefault(name, []).append(self._build(name))

    def tables(self, names: Iterable[str]) -> dict[str, pa.Table]:
        found = {name: [*self._built.get(name, ()), self._build(name)] for name in names}
        return {name: table for name, parts in found.items() if len(table := pa.concat_tables(parts))}

    def _build(self, name: str) -> pa.Table:
        rows, self.rows[name] = self.rows[name], []
        return build(schemas.TABLES[name], rows)
