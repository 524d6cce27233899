"""What reading a repository anew changed about one commit: its facts before and after, told apart.

Keep out: reading (assets/git.py), who asked for it (`api.control.repositories.sync_status`).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ingest.lake import Source

# Facts of a commit by table: the column that names it.
OF_A_COMMIT = {
    "commits": "commit_sha",
    "file_changes": "commit_sha",
    "references": "commit_sha",
    "delivered_lines": "credited_sha",
    "line_deaths": "remover_sha",
    "fix_context": "commit_sha",
    "problems": "commit_sha",
}
# Says which program wrote the row, nothing of the commit.
ASIDE = frozenset({"extractor_version"})
MAX_PATHS = 100

Rows = Counter[str]


@dataclass(frozen=True)
class CommitFacts:
    """The rows about one commit by table, each as JSON."""

    tables: dict[str, Rows] = field(default_factory=dict)

    @property
    def is_known(self) -> bool:
        """Whether the commit was read at all."""
        return bool(self.tables["commits"])


def facts_of(source: Source, commit_sha: str) -> CommitFacts:
    """The committed facts about a commit. Raises LakeCorrupt."""
    tables = {}
    for table, column in OF_A_COMMIT.items():
        rows = source.rows_where(table, column, commit_sha)
        tables[table] = Counter(_line(row) for row in rows)
    return CommitFacts(tables)


def changes(before: CommitFacts, after: CommitFacts) -> dict[str, Any]:
    """The result of an operation: rows by table that went and came, and the paths that they are about."""
    gone = {table: rows - after.tables[table] for table, rows in before.tables.items()}
    come = {table: rows - before.tables[table] for table, rows in after.tables.items()}
    tables = {
        table: {
            "rowsBefore": before.tables[table].total(),
            "rowsAfter": after.tables[table].total(),
            "removed": gone[table].total(),
            "added": come[table].total(),
        }
        for table in OF_A_COMMIT
    }
    paths = sorted(_paths(gone) | _paths(come))
    return {
        "isKnownBefore": before.is_known,
        "isKnownAfter": after.is_known,
        "hasChanged": before != after,
        "tables": tables,
        "changedFields": _fields(gone["commits"], come["commits"]),
        "changedPaths": paths[:MAX_PATHS],
        "changedPathTotal": len(paths),
    }


def _line(row: Mapping[str, Any]) -> str:
    kept = {name: value for name, value in row.items() if name not in ASIDE}
    return json.dumps(kept, sort_keys=True, default=str)


def _paths(tables: Mapping[str, Rows]) -> set[str]:
    found = {json.loads(line).get("path") for rows in tables.values() for line in rows}
    return {path for path in found if path}


def _fields(gone: Rows, come: Rows) -> list[str]:
    """Names of the commit's own facts that differ; none where it is new or lost."""
    if not gone or not come:
        return []
    old, new = json.loads(next(iter(gone))), json.loads(next(iter(come)))
    differing: dict[str, set[str]] = defaultdict(set)
    for row in (old, new):
        for name, value in row.items():
            differing[name].add(json.dumps(value, sort_keys=True))
    return sorted(name for name, values in differing.items() if len(values) > 1)
