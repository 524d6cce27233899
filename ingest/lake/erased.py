"""The file of the marks of erased people, and the rewriting of what a source stored before it.

A writer reads the file with every table that it writes. Keep out: marks and rows themselves (`ingest.erasure`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ingest.erasure import rows as erased_rows
from ingest.erasure.marks import Marks
from ingest.errors import LakeCorrupt
from ingest.lake.files import LakeFiles, Written
from ingest.lake.state import SIDE_FOLDER

if TYPE_CHECKING:
    from ingest.lake.source import Source

ChangeFile = Callable[[str, bytes], bytes]
"""Changes a file of a connector by its name."""


def file_of(lake: LakeFiles, organization_id: str) -> str:
    """The path of the marks of an organization. Facts that wait as drafts have the same."""
    return f"{lake.root.removesuffix('/_drafts')}/_state/erased/{organization_id}.json"


def read(lake: LakeFiles, organization_id: str) -> Marks:
    """The marks of an organization. Raises LakeCorrupt: nobody may be brought back because a file is damaged."""
    path = file_of(lake, organization_id)
    if not lake.exists(path):
        return Marks()
    try:
        return Marks.from_bytes(lake.read_bytes(path))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LakeCorrupt(
            f"{path}, which keeps erased people out, cannot be read ({error}); take it from a backup"
        ) from error


def write(lake: LakeFiles, organization_id: str, marks: Marks) -> None:
    """Store the marks. From now on every writer applies them."""
    path = file_of(lake, organization_id)
    lake.write_bytes(path, marks.to_bytes())
    lake.make_rename_durable(path)
    if lake.is_local:
        Path(path).chmod(0o600)


def rewrite(source: Source, marks: Marks, change_file: ChangeFile) -> bool:
    """Put pseudonyms into everything that a source stored, in one batch. Returns whether anything changed.

    Call it under `extracting`. A killed call leaves the batch before it, and a later one does the rest. Raises
    LakeCorrupt.
    """
    with source.visible():
        return _rewritten(source, marks, change_file)


def _rewritten(source: Source, marks: Marks, change_file: ChangeFile) -> bool:
    state = source.state()
    name = f"{state.batch + 1:06d}-{state.digest()}"
    tables = {table: list(names) for table, names in state.tables.items()}
    files = dict(state.files)
    is_changed = False
    for table, names in tables.items():
        for number, stored in enumerate(names):
            if not any(old is not new for old, new in _parts(source, marks, table, stored)):
                continue
            names[number] = f"{name}-{number:03d}.parquet"
            parts = (new for _, new in _parts(source, marks, table, stored))
            written = source.write_file(table, names[number], parts)
            files[f"{table}/{names[number]}"] = _entry(
                written, files.get(f"{table}/{stored}", {}).get("rows", 0)
            )
            is_changed = True
    sides = dict(state.extra.get("files", {}))
    for side in list(sides):
        before = source.read_file(side)
        after = before if before is None else change_file(side, before)
        if after is not None and after != before:
            sides[side] = f"{name}-{side}"
            written = source.lake.write_bytes(source.location(f"{SIDE_FOLDER}/{sides[side]}"), after)
            files[f"{SIDE_FOLDER}/{sides[side]}"] = _entry(written, 0)
            is_changed = True
    if is_changed:
        extra = state.extra | ({"files": sides} if sides else {})
        source.conclude(replace(state, batch=state.batch + 1, tables=tables, extra=extra, files=files))
    return is_changed


def _parts(source: Source, marks: Marks, table: str, name: str) -> Iterator[tuple[pa.Table, pa.Table]]:
    for part in source.parts(table, [name]):
        yield part, erased_rows.rewritten(marks, source.noun, table, part)


def _entry(written: Written, rows: int) -> dict[str, Any]:
    return {"rows": rows, "bytes": written[0], "sha256": written[1]}
