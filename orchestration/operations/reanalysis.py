"""Compares the facts of one commit before and after a repeated extraction.

Keep out: extraction (assets/git.py), requests (`api.control.repositories.sync_status`).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ingest.lake import Source

# By table, the column that holds the SHA of the commit.
COMMIT_COLUMNS = {
    "commits": "commit_sha",
    "file_changes": "commit_sha",
    "references": "commit_sha",
    "delivered_lines": "credited_sha",
    "line_deaths": "remover_sha",
    "fix_context": "commit_sha",
    "squash_lines": "squash_sha",
    "problems": "commit_sha",
}
# Names the program that wrote the row; it is no fact of the commit.
IGNORED_COLUMNS = frozenset({"extractor_version"})
MAX_PATHS = 100

Rows = Counter[str]


@dataclass(frozen=True)
class CommitFacts:
    """The rows of one commit by table, each as JSON with its number of occurrences."""

    tables: dict[str, Rows] = field(default_factory=dict)

    @property
    def is_known(self) -> bool:
        """Whether the lake holds the commit."""
        return bool(self.tables["commits"])


def facts_of(source: Source, commit_sha: str) -> CommitFacts:
    """The facts of a commit in the lake. Raises LakeCorrupt."""
    tables = {}
    for table, column in COMMIT_COLUMNS.items():
        rows = source.rows_where(table, column, commit_sha)
        tables[table] = Counter(_to_json(row) for row in rows)
    return CommitFacts(tables)


def changes(before: CommitFacts, after: CommitFacts) -> dict[str, Any]:
    """The result of the operation: removed and added rows by table, changed fields, and at most MAX_PATHS paths."""
    removed = {table: rows - after.tables[table] for table, rows in before.tables.items()}
    added = {table: rows - before.tables[table] for table, rows in after.tables.items()}
    tables = {
        table: {
            "rowsBefore": before.tables[table].total(),
            "rowsAfter": after.tables[table].total(),
            "removed": removed[table].total(),
            "added": added[table].total(),
        }
        for table in COMMIT_COLUMNS
    }
    paths = sorted(_paths(removed) | _paths(added))
    return {
        "isKnownBefore": before.is_known,
        "isKnownAfter": after.is_known,
        "hasChanged": before != after,
        "tables": tables,
        "changedFields": _fields(removed["commits"], added["commits"]),
        "changedPaths": paths[:MAX_PATHS],
        "changedPathTotal": len(paths),
    }


def _to_json(row: Mapping[str, Any]) -> str:
    compared = {name: value for name, value in row.items() if name not in IGNORED_COLUMNS}
    return json.dumps(compared, sort_keys=True, default=str)


def _paths(tables: Mapping[str, Rows]) -> set[str]:
    found = {json.loads(line).get("path") for rows in tables.values() for line in rows}
    return {path for path in found if path}


def _fields(removed: Rows, added: Rows) -> list[str]:
    """Names of the fields of table `commits` that differ; none if the commit is new or gone."""
    if not removed or not added:
        return []
    old, new = json.loads(next(iter(removed))), json.loads(next(iter(added)))
    differing: dict[str, set[str]] = defaultdict(set)
    for row in (old, new):
        for name, value in row.items():
            differing[name].add(json.dumps(value, sort_keys=True))
    return sorted(name for name, values in differing.items() if len(values) > 1)
