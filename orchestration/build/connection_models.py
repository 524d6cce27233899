"""Models of connections, which a build leaves out while an organization has no rows for them.

Those of hosts and trackers have one tag, those of AI usage another: few organizations have both. dbt takes 25 ms for
each model and test however few rows there are, which would be a tenth of a small build. So other models find empty
relations with the columns of the contracts instead.
Add: nothing; a model belongs here by its tag (dbt_project.yml), and needs typed columns in its yml where other models
or the API read it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import duckdb

from ingest.lake import Lake
from ingest.schemas import SYNCED
from ingest.schemas.ai_tools import AI_TOOL
from ingest.telemetry.loading import NOUN as TELEMETRY
from orchestration.build import raw_tables
from orchestration.state.warehouse_files import published_tables

CONNECTIONS, AI_USAGE = "connections", "ai_usage"
NOUNS_OF: Mapping[str, Collection[str]] = {
    CONNECTIONS: [noun for noun in SYNCED if noun != AI_TOOL.noun],
    AI_USAGE: [AI_TOOL.noun, TELEMETRY],
}
"""Nouns of raw tables by the tag of the models that need rows of them."""
# The status of such a model, which is dbt's own for a node without work.
LEFT_OUT = "no-op"
PUBLISHED = "published"
FORMAT = "storage_version 'latest', row_group_size 16384"
"""Options of `attach` for published tables, as in profiles.yml: the first connection decides the format of the file."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A model of connections: its relations with the names and types of their columns.

    A mart can be published as several tables. Columns are empty for a model that only such models read.
    """

    unique_id: str
    name: str
    tag: str
    is_published: bool
    relations: dict[str, dict[str, str]]


def of_manifest(manifest: Mapping[str, Any]) -> list[LeftOut]:
    """The models of connections in dbt's manifest, each after those that it reads."""
    nodes = {
        unique_id: node
        for unique_id, node in manifest["nodes"].items()
        if node["resource_type"] == "model" and _tag(node) is not None
    }
    reads = {unique_id: set(node["depends_on"]["nodes"]) & nodes.keys() for unique_id, node in nodes.items()}
    return [
        LeftOut(one, nodes[one]["name"], tag, nodes[one]["database"] == PUBLISHED, _relations(nodes[one]))
        for one in TopologicalSorter(reads).static_order()
        if (tag := _tag(nodes[one])) is not None
    ]


def _tag(node: Mapping[str, Any]) -> str | None:
    return next((tag for tag in NOUNS_OF if tag in node["config"]["tags"]), None)


def _relations(node: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Columns with types by relation. A table that repeats a mart can leave out some of its columns."""
    columns = {name: column.get("data_type") for name, column in node["columns"].items()}
    # What is a part of its readers has no relation of its own.
    if not all(columns.values()) or node["config"]["materialized"] == "ephemeral":
        columns = {}
    tables = node["config"].get("meta", {}).get("published") or {node["alias"]: {}}
    return {
        table: {name: kind for name, kind in columns.items() if name not in settings.get("without", ())}
        for table, settings in tables.items()
    }


def write(models: list[LeftOut], file: Path) -> None:
    """Store the models as JSON."""
    file.write_text(json.dumps([asdict(model) for model in models]))


def read(file: Path) -> list[LeftOut]:
    """The inverse of `write`."""
    return [LeftOut(**model) for model in json.loads(file.read_text())]


def has_rows(lake: Lake, organization_id: str, nouns: Collection[str] = (*SYNCED, TELEMETRY)) -> bool:
    """Whether an organization has rows of these nouns, by default of any source but repositories."""
    return any(
        count
        for noun in nouns
        for rows in lake.rows(noun, organization_id).values()
        for count in rows.values()
    )


def without_rows(lake: Lake, organization_id: str) -> list[str]:
    """The tags of the models that a build leaves out."""
    return [tag for tag, nouns in NOUNS_OF.items() if not has_rows(lake, organization_id, nouns)]


def empty(warehouse: Path, models: list[LeftOut]) -> None:
    """Replace the relations of the models by empty tables, and drop those without columns.

    A removed tracker leaves nothing behind, and the build after the first rows of one finds tables that dbt replaces.
    """
    with duckdb.connect(str(warehouse), config=raw_tables.CONFIG) as connection:
        attached = str(published_tables(warehouse)).replace("'", "''")
        connection.execute(f"attach '{attached}' as {PUBLISHED} ({FORMAT})")
        found = {
            (database == PUBLISHED, name): kind
            for database, name, kind in connection.execute(
                "select database_name, view_name, 'view' from duckdb_views() where not internal"
                " union all select database_name, table_name, 'table' from duckdb_tables() where schema_name = 'main'"
            ).fetchall()
        }
        for model in models:
            for name, columns in model.relations.items():
                relation = f'{PUBLISHED}.main."{name}"' if model.is_published else f'main."{name}"'
                if kind := found.get((model.is_published, name)):
                    connection.execute(f"drop {kind} {relation}")
                if columns:
                    typed = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
                    connection.execute(f"create table {relation} ({typed})")
