"""The committed state of a source as a file: what it holds, and the checksum that tells a damaged one.

Keep out: commits of batches (`source`), the comparison with the files of the lake (`manifest`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

CHECKSUM = "checksum"
SIDE_FOLDER = "_"
"""Stands for the table in the names of the connector's own files."""


@dataclass(frozen=True)
class SourceState:
    """The committed state of one source. `extra` belongs to the connector.

    `files` is the manifest: by table and name (`commits/000001-….parquet`) the rows, bytes and sha256 of a file.
    States of releases before the manifest have none. `schema` is the fingerprint of the columns of all tables.
    """

    batch: int = 0
    tables: dict[str, list[str]] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    schema: str = ""

    def digest(self) -> str:
        content = json.dumps([self.batch, self.tables, self.extra], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:12]

    def names(self) -> list[str]:
        """Names of all committed files, as in `files`."""
        stored = [f"{table}/{name}" for table, names in self.tables.items() for name in names]
        return stored + [f"{SIDE_FOLDER}/{name}" for name in self.extra.get("files", {}).values()]


def to_bytes(state: SourceState, owner: str) -> bytes:
    """The content of a state file. `owner` identifies the source, so that no other source accepts the file."""
    content = dict(state.__dict__)
    return json.dumps(content | {CHECKSUM: _checksum(content, owner)}, sort_keys=True).encode()


def from_bytes(stored: bytes, owner: str) -> SourceState:
    """The state in a file. Raises ValueError or TypeError for a damaged file and for one of another source."""
    content = json.loads(stored)
    if not isinstance(content, dict):
        raise TypeError("it holds no object")
    expected = content.pop(CHECKSUM, None)
    state = SourceState(**content)
    parts = (
        (state.batch, int),
        (state.tables, dict),
        (state.rows, dict),
        (state.extra, dict),
        (state.files, dict),
    )
    if not all(isinstance(value, kind) for value, kind in parts):
        raise TypeError("a part has the wrong type")
    if expected != _checksum(content, owner) and (expected is not None or state.files):
        raise ValueError("its content differs from what was written")
    return state


def _checksum(content: dict[str, Any], owner: str) -> str:
    return hashlib.sha256(json.dumps([owner, content], sort_keys=True).encode()).hexdigest()
