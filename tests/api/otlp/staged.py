"""What the staging models make of rows: their SQL over tables in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa
from jinja2 import StrictUndefined, Template

from ingest.schemas.telemetry import TABLES
from ingest.settings import CHECKOUT

MODELS = CHECKOUT / "dbt_project" / "models" / "staging" / "telemetry"
MACROS = CHECKOUT / "dbt_project" / "macros" / "ai_usage.sql"


def staged(table: str, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows of `stg_telemetry__<table>` over raw rows."""
    sql = (MODELS / f"stg_telemetry__{table}.sql").read_text()
    template = Template(MACROS.read_text() + sql, undefined=StrictUndefined)
    source = template.render(source=lambda *_: "given")
    with duckdb.connect() as connection:
        connection.register("given", pa.Table.from_pylist([dict(row) for row in rows], TABLES[table]))
        return list(connection.execute(source).to_arrow_table().to_pylist())
