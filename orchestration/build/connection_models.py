"""Models of connections, which a build leaves out while an organization has no rows of connections.

dbt takes 25 ms for each model and test however few rows there are, which would be a tenth of a small build. So other
models find empty relations with the columns of the contracts instead.
Add: nothing; a model belongs here by the tag `connections` (dbt_project.yml), and needs typed columns in its yml where
other models or the API read it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import duckdb

from ingest.lake import Lake
from ingest.schemas import CATEGORY_OF
from orchestration.build import raw_tables
from orchestration.state.warehouse_files import published_tables

TAG = "connections"
# The status of such a model, which is dbt's own for a node without work.
LEFT_OUT = "no-op"
PUBLISHED = "published"
# As in profiles.yml: the first connection decides the format of the file.
_FORMAT = "storage_version 'latest', row_group_size 16384"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A model of connections. `columns` has names and types, and is empty for a model that only such models read."""

    unique_id: str
    name: str
    is_published: bool
    columns: dict[str, str]


def of_manifest(manifest: Mapping[str, Any]) -> list[LeftOut]:
    """The models of connections in dbt's manifest."""
    nodes: Mapping[str, Mapping[str, Any]] = manifest["nodes"]
    return [
        LeftOut(unique_id, node["name"], node["database"] == PUBLISHED, _columns(node, nodes))
        for unique_id, node in nodes.items()
        if node["resource_type"] == "model" and TAG in node["config"]["tags"]
    ]


def _columns(node: Mapping[str, Any], nodes: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Columns with types: its own ones, or for a copy those of the only model that it reads."""
    found = {name: column.get("data_type") for name, column in node["columns"].items()}
    if found and all(found.values()):
        return found
    read = [nodes[one] for one in node["depends_on"]["nodes"] if one in nodes]
    return _columns(read[0], nodes) if not found and len(read) == 1 else {}


def write(models: list[LeftOut], file: Path) -> None:
    """Store the models as JSON."""
    file.write_text(json.dumps([asdict(model) for model in models]))


def read(file: Path) -> list[LeftOut]:
    """The inverse of `write`."""
    return [LeftOut(**model) for model in json.loads(file.read_text())]


def are_needed(lake: Lake, organization_id: str) -> bool:
    """Whether an organization has rows of connections, as the manifests of the lake say."""
    return any(
        count
        for noun in CATEGORY_OF
        for rows in lake.rows(noun, organization_id).values()
        for count in rows.values()
    )


def empty(warehouse: Path, models: list[LeftOut]) -> None:
    """Replace the relations of the models by empty tables, and drop those without columns.

    A removed tracker leaves nothing behind, and the build after the first rows of one finds tables that dbt replaces.
    """
    with duckdb.connect(str(warehouse), config=raw_tables.CONFIG) as connection:
        attached = str(published_tables(warehouse)).replace("'", "''")
        connection.execute(f"attach '{attached}' as {PUBLISHED} ({_FORMAT})")
        found = {
            (database == PUBLISHED, name): kind
            for database, name, kind in connection.execute(
                "select database_name, view_name, 'view' from duckdb_views() where not internal"
                " union all select database_name, table_name, 'table' from duckdb_tables() where schema_name = 'main'"
            ).fetchall()
        }
        for model in models:
            relation = f'{PUBLISHED}.main."{model.name}"' if model.is_published else f'main."{model.name}"'
            if kind := found.get((model.is_published, model.name)):
                connection.execute(f"drop {kind} {relation}")
            if model.columns:
                columns = ", ".join(f'"{name}" {kind}' for name, kind in model.columns.items())
                connection.execute(f"create table {relation} ({columns})")
