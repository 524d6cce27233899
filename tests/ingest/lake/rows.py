"""Small tables for tests of the lake, and the files that a build would read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from ingest.lake import Source
from ingest.schemas import git as schemas

ORGANIZATION = "0190d3b0-0000-7000-8000-000000000001"
OTHER = "0190d3b0-0000-7000-8000-000000000002"
REPOSITORY = "5f6f4c5e-7b0a-5e0e-9d43-1c1f1d9a0c11"


def rows(table: str, *messages: str) -> pa.Table:
    """Rows of a table that differ in one text column."""
    schema = schemas.TABLES[table]
    column = {"problems": "message", "refs": "name", "commits": "subject"}[table]
    empty: dict[Any, Any] = {pa.string(): "", pa.bool_(): False, pa.int32(): 0}
    made = [
        {
            f.name: m if f.name == column else [] if pa.types.is_list(f.type) else empty.get(f.type, 0)
            for f in schema
        }
        for m in messages
    ]
    return pa.Table.from_pylist(made, schema=schema)


def problems(*messages: str) -> dict[str, pa.Table]:
    return {"problems": rows("problems", *messages)}


def messages(source: Source) -> list[str]:
    found: list[str] = source.read("problems")["message"].to_pylist()
    return found


def visible(root: Path | str, table: str, noun: str = "git", organization: str = ORGANIZATION) -> list[Path]:
    """Files that a build's pattern would match."""
    folder = Path(root) / noun / table / f"organization_id={organization}"
    return sorted(path for path in folder.glob("*/*.parquet") if path.name != "empty.parquet")
