"""Published tables of marts that a test wrote by hand: made by the SQL of the models, as dbt compiles it.

dbt compiles once for each state of its project; the test cache keeps the answer for all workers.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from ingest.locks import locked
from ingest.settings import CHECKOUT
from orchestration.build import connection_models, dbt_build
from orchestration.deployment import Deployment
from orchestration.publishing.snapshot import Published, new_build_id, publish
from orchestration.state import fingerprints

# The compiled SQL names the warehouse so.
MARTS = "marts"
PUBLISHED = "published"
_CACHE = CHECKOUT / ".pytest_cache" / "published_tables"
_MODELS = ("models/marts/api", "models/marts/published")


@dataclass(frozen=True)
class Model:
    """A compiled model: its SQL, and its columns with their types where a contract names them."""

    name: str
    is_published: bool
    sql: str
    columns: dict[str, str]


def contract(mart: str) -> dict[str, str]:
    """Columns of a mart with their types, in order."""
    return next(model.columns for model in compiled() if model.name == mart)


def create_marts(connection: duckdb.DuckDBPyConnection) -> None:
    """Create every mart that the API reads, without rows."""
    for model in (one for one in compiled() if not one.is_published):
        declared = ", ".join(f"{column} {kind}" for column, kind in model.columns.items())
        connection.execute(f"create table {model.name} ({declared})")


def departures(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Where the marts that a connection has differ from their contracts: a column too many, missing, or of a type."""
    found = _columns(connection)
    with duckdb.connect() as declared:
        create_marts(declared)
        expected = _columns(declared)
    return sorted(
        f"{mart}.{column}: {found.get(mart, {}).get(column)} instead of {expected.get(mart, {}).get(column)}"
        for mart in found.keys() | expected.keys()
        for column in found.get(mart, {}).keys() | expected.get(mart, {}).keys()
        if found.get(mart, {}).get(column) != expected.get(mart, {}).get(column)
    )


def _columns(connection: duckdb.DuckDBPyConnection) -> dict[str, dict[str, str]]:
    columns: dict[str, dict[str, str]] = {}
    query = "select table_name, column_name, data_type from duckdb_columns() where starts_with(table_name, 'api_v1__')"
    for mart, column, kind in connection.execute(query).fetchall():
        columns.setdefault(mart, {})[column] = kind
    return columns


def fill(marts: Path, tables: Path) -> None:
    """Write the published tables of a database of marts (`api_v1__…`) to a new file."""
    tables.unlink(missing_ok=True)
    # Many small tables: one thread and one transaction take two thirds of the time.
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("set TimeZone = 'UTC'")
        connection.execute(f"attach '{marts}' as {MARTS} (read_only)")
        connection.execute(f"attach '{tables}' as {PUBLISHED} ({connection_models.FORMAT})")
        connection.begin()
        for model in (one for one in compiled() if one.is_published):
            name = f"{PUBLISHED}.{model.name}"
            if model.columns:
                declared = ", ".join(f"{column} {kind}" for column, kind in model.columns.items())
                connection.execute(f"create table {name} ({declared})")
                connection.execute(f"insert into {name} by name {model.sql}")
            else:
                connection.execute(f"create table {name} as {model.sql}")
        connection.commit()


def copy_filled(marts: Path, tables: Path) -> None:
    """As `fill`, which takes half a second, but equal marts are filled only once in a process."""
    kept = Path(_filled().name) / hashlib.sha256(marts.read_bytes()).hexdigest()
    if not kept.exists():
        partial = kept.with_suffix(".partial")
        fill(marts, partial)
        partial.rename(kept)
    shutil.copyfile(kept, tables)


def publish_marts(
    marts: Path,
    published_root: Path,
    organization_id: str,
    *,
    by: Callable[[Path, Path], None] = fill,
    **options: Any,
) -> Published:
    """Publish what is made of a database of marts."""
    with TemporaryDirectory(dir=marts.parent) as folder:
        tables = Path(folder) / "tables"
        by(marts, tables)
        return publish(tables, published_root, organization_id, new_build_id(), **options)


@cache
def _filled() -> "TemporaryDirectory[str]":
    """Published tables by the checksum of their marts; removed when the process ends."""
    return TemporaryDirectory(prefix="eas-filled-", dir=os.environ.get("PYTEST_DEBUG_TEMPROOT"))


@cache
def compiled() -> tuple[Model, ...]:
    """The marts that the API reads and the published tables, each after those that it reads."""
    code = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]
    file = _CACHE / f"{fingerprints.build_code()}-{code}.json"
    # The other workers of a run wait for the first one instead of compiling too.
    with locked(_CACHE / "compiling.lock"):
        if not file.exists():
            partial = file.with_suffix(".partial")
            partial.write_text(json.dumps([asdict(model) for model in _compiled()]))
            partial.replace(file)
    return tuple(Model(**one) for one in json.loads(file.read_text()))


def _compiled() -> tuple[Model, ...]:
    with TemporaryDirectory() as folder:
        answer = dbt_build.invoke(
            ["compile", "--no-introspect", "--select", *_MODELS],
            {"organization_id": "none", "calculation_version": "none"},
            Path(folder),
            Path(folder) / f"{MARTS}.duckdb",
            None,
            dbt_build.manifest(Deployment()).parent,
        )
    nodes = [one.node for one in answer.results if one.node.resource_type == "model"]
    return tuple(model for node in _in_order(nodes) for model in _models(node))


def _models(node: Any) -> Iterator[Model]:
    """A mart as tests write it, and the tables that it is published as; or a published table of other tables."""
    tables = node.config.meta.get("published", {})
    columns = {name: column.data_type for name, column in node.columns.items() if column.data_type}
    if not tables or PUBLISHED in node.fqn:
        yield Model(node.name, PUBLISHED in node.fqn, node.compiled_code, columns)
    else:
        given = "position" if tables[node.alias].get("is_numbered") else ""
        written = {name: kind for name, kind in columns.items() if name != given}
        yield Model(node.name, False, node.compiled_code, written)
    for table, settings in tables.items():
        if table == node.name:
            continue
        source = f"{PUBLISHED if PUBLISHED in node.fqn else MARTS}.{node.name}"
        left_out = settings.get("without", [])
        excluded = f" exclude ({', '.join(left_out)})" if left_out else ""
        sql = f"select *{excluded} from {source} order by {settings['order_by']}"
        if settings.get("is_numbered"):
            sql = f"select (row_number() over () - 1)::bigint as position, * from ({sql})"
        yield Model(table, True, sql, columns if table == node.alias else {})


def _in_order(nodes: list[Any]) -> list[Any]:
    """Each node after those of the list that it depends on."""
    due = {node.unique_id: node for node in nodes}
    ordered: list[Any] = []
    while due:
        ready = [node for node in due.values() if not due.keys() & set(node.depends_on.nodes)]
        ordered += ready
        for node in ready:
            del due[node.unique_id]
    return ordered
