"""A build is compared with the manifest, the facts and the build before, and only what contradicts them is refused."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from orchestration.build import raw_tables
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.publishing import checks
from orchestration.publishing.snapshot import PublishRefused
from orchestration.runtime.run_state import BuildEntry
from orchestration.state import snapshot_files
from orchestration.state.warehouse_files import published_tables
from tests.ingest.lake.rows import rows
from tests.orchestration.published_stub import publish_stub

INPUTS = {"facts": "f", "settings": "s", "code": "c", "version": "v", "local_date": "d"}
MEASURES = ("etv_micro", "effort_micro", "points_micro", "lines_added", "lines_deleted", "commits")
FACTS, TABLES = ("fct_commits", "fct_daily"), ("commits_by_time", "daily")


def write(connection: duckdb.DuckDBPyConnection, names: tuple[str, ...], commits: int) -> None:
    columns = ", ".join(f"10 * n as {name}" for name in MEASURES)
    for name in names:
        connection.execute(
            f"create or replace table {name} as select {columns} from range({commits}) as t (n)"
        )


@pytest.fixture
def built(deployment: Deployment) -> tuple[Path, Path]:
    """A warehouse and its tables: two commits in the lake, in the facts and in the tables."""
    lake = deployment.lake
    source = lake.source("git", LOCAL_ORGANIZATION, "r1")
    source.commit({"commits": rows("commits", "one", "two")}, {}, {"seen": "x"})
    lake.prepare(LOCAL_ORGANIZATION)
    warehouse = deployment.settings.warehouse_file(LOCAL_ORGANIZATION)
    warehouse.parent.mkdir(parents=True)
    raw_tables.declare(warehouse, lake.files(LOCAL_ORGANIZATION))
    tables = published_tables(warehouse)
    with duckdb.connect(str(warehouse)) as connection:
        connection.execute(
            "create table stg_git__commits as select 'r1' as repository_id, unnest(['a', 'b']) as commit_sha"
        )
        connection.execute(
            "create table stg_git__reachability as select *, true as is_reachable from stg_git__commits"
        )
        write(connection, FACTS, 2)
    with duckdb.connect(str(tables)) as connection:
        write(connection, TABLES, 2)
    return warehouse, tables


def check(deployment: Deployment, **inputs: str) -> None:
    checks.check(deployment, LOCAL_ORGANIZATION, INPUTS | inputs)


@pytest.mark.usefixtures("built")
def test_a_build_that_agrees_is_published(deployment: Deployment) -> None:
    check(deployment)


@pytest.mark.usefixtures("built")
def test_rows_that_the_manifest_lacks_are_refused(deployment: Deployment) -> None:
    source = deployment.lake.source("git", LOCAL_ORGANIZATION, "r1")
    source.commit({"commits": rows("commits", "three")}, {}, {"seen": "x"})
    with pytest.raises(PublishRefused, match="2 rows of git/commits instead of 3"):
        check(deployment)


@pytest.mark.parametrize("table", TABLES)
def test_totals_that_differ_from_the_facts_are_refused(
    deployment: Deployment, built: tuple[Path, Path], table: str
) -> None:
    with duckdb.connect(str(built[1])) as connection:
        connection.execute(f"update {table} set etv_micro = etv_micro + 1 where etv_micro > 0")
    with pytest.raises(PublishRefused, match=f"{table} has the totals.*published figures stay"):
        check(deployment)


def test_commits_that_no_mart_has_are_refused(deployment: Deployment, built: tuple[Path, Path]) -> None:
    with duckdb.connect(str(built[0])) as connection:
        connection.execute("insert into stg_git__commits values ('r1', 'c')")
        connection.execute("insert into stg_git__reachability values ('r1', 'c', true)")
    with pytest.raises(PublishRefused, match="2 commits instead of 3"):
        check(deployment)


def publish_before(deployment: Deployment, commits: int) -> None:
    """Publish a build with so many commits, from the same inputs."""
    publish_stub(deployment, "before")
    file = deployment.settings.published_dir / LOCAL_ORGANIZATION / "before.duckdb"
    with duckdb.connect(str(file)) as connection:
        write(connection, TABLES, commits)
    pointer = snapshot_files.Pointer("before", file.name, "2026-11-20T06:00:00Z")
    text = snapshot_files.pointer_text(pointer, LOCAL_ORGANIZATION)
    (file.parent / snapshot_files.POINTER).write_text(text)
    entry = BuildEntry(INPUTS, "before", "2026-11-20T06:00:00Z", 1.0)
    deployment.run_state.record(LOCAL_ORGANIZATION, entry)


@pytest.mark.usefixtures("built")
def test_fewer_commits_from_the_same_facts_are_refused(deployment: Deployment) -> None:
    publish_before(deployment, 3)
    with pytest.raises(PublishRefused, match="2 commits of 3 from the same facts"):
        check(deployment, local_date="tomorrow")


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("changed", ["facts", "settings", "code", "version"])
def test_fewer_commits_from_other_inputs_are_published(deployment: Deployment, changed: str) -> None:
    """A removal, an exclusion, a rewritten history or a corrected setting changes an input."""
    publish_before(deployment, 3)
    check(deployment, **{changed: "other"})


@pytest.mark.usefixtures("built")
def test_a_damaged_build_before_stops_nothing(deployment: Deployment) -> None:
    publish_before(deployment, 3)
    (deployment.settings.published_dir / LOCAL_ORGANIZATION / "before.duckdb").write_bytes(b"no database")
    check(deployment)
