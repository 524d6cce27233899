"""Keys, columns, owners and the schema check of raw tables.

Keep out: the tables of one kind of source (git.py, control.py).
"""

from __future__ import annotations

from collections.abc import Iterator

import dagster as dg
import pyarrow as pa
import pyarrow.parquet as pq

from ingest.lake import Source
from ingest.schemas import TABLES

OWNERS = ["team:engineering-analytics"]
SCHEMA_CHECK = "has_declared_schema"


def key(noun: str, table: str) -> dg.AssetKey:
    """Asset key of a raw table."""
    return dg.AssetKey(["raw", noun, table])


def spec(noun: str, table: str, description: str, kinds: set[str]) -> dg.AssetSpec:
    """Asset of a raw table, with the declared columns and their descriptions."""
    columns = [
        dg.TableColumn(
            name=field.name,
            type=str(field.type),
            description=(field.metadata or {}).get(b"description", b"").decode(),
            constraints=dg.TableColumnConstraints(nullable=field.nullable),
        )
        for field in TABLES[noun, table]
    ]
    return dg.AssetSpec(
        key(noun, table),
        description=description,
        group_name=noun,
        owners=OWNERS,
        kinds=kinds,
        metadata={"dagster/column_schema": dg.TableSchema(columns=columns)},
    )


def schema_check(noun: str, table: str) -> dg.AssetCheckSpec:
    """Blocking check: every file of a table has the columns that `ingest.schemas` declares."""
    return dg.AssetCheckSpec(
        SCHEMA_CHECK,
        asset=key(noun, table),
        description="Every file has the column names, types and order that ingest.schemas declares.",
        blocking=True,
    )


def schema_checks(source: Source, noun: str) -> Iterator[dg.AssetCheckResult]:
    """Results of the schema check over the committed files of one source."""
    state = source.state()
    for table in (name for known, name in TABLES if known == noun):
        expected, wrong = TABLES[noun, table], {}
        for file in state.tables.get(table, []):
            folder = source.lake.partition(noun, table, source.organization_id, source.source_id)
            with source.lake.fs.open(f"{folder}/{file}", "rb") as handle:
                found = pq.read_schema(handle)
            if not found.equals(expected):
                wrong[file] = difference(expected, found)
        yield dg.AssetCheckResult(
            asset_key=key(noun, table),
            check_name=SCHEMA_CHECK,
            passed=not wrong,
            metadata={"files": len(state.tables.get(table, [])), "differences": wrong},
        )


def difference(expected: pa.Schema, found: pa.Schema) -> str:
    """Describe the difference of two schemas: missing, extra and retyped columns."""
    missing = [name for name in expected.names if name not in found.names]
    extra = [name for name in found.names if name not in expected.names]
    retyped = [
        f"{name} is {found.field(name).type}, declared {expected.field(name).type}"
        for name in expected.names
        if name in found.names and found.field(name).type != expected.field(name).type
    ]
    parts = [f"missing: {', '.join(missing)}"] * bool(missing) + [f"extra: {', '.join(extra)}"] * bool(extra)
    return "; ".join([*parts, *retyped]) or "order or nullability of columns"
