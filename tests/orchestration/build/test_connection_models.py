"""Models of connections are left out while there are no rows for them, and others read empty relations instead."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from ingest.schemas import TABLES
from orchestration.build import connection_models, dbt_build, parsed_project, settings_snapshot
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.runtime.run_state import BuildEntry
from orchestration.state import fingerprints
from orchestration.state.warehouse_files import build_record_file
from tests.dbt.invented.invented_trackers import GITHUB, JIRA, item
from tests.orchestration.build.small_project import PROFILE, PROJECT

MODELS = """
sources: [{name: trackers, tables: [{name: items}]}]
models:
  - name: issues
    config: {tags: [connections], materialized: view}
    columns: [{name: key, data_type: varchar}, {name: number, data_type: bigint}]
  - name: issues_again
    config: {tags: [connections], materialized: table}
    columns: [{name: key, data_type: varchar}, {name: number, data_type: bigint}]
  - name: hidden
    config: {tags: [connections], materialized: table}
  - name: counts
    config: {materialized: table}
"""
SQL = {
    "issues": "select key, number from {{ source('trackers', 'items') }}",
    "issues_again": "select * from {{ ref('issues') }}",
    "hidden": "select 1 as n from {{ ref('issues') }} cross join {{ ref('issues_again') }}",
    "counts": """
        select (select count(*) from {{ ref('issues') }}) as n, count(number) as m from {{ ref('issues_again') }}
    """,
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deployment: Deployment) -> Iterator[Path]:
    folder = tmp_path / "dbt"
    (folder / "models").mkdir(parents=True)
    (folder / "dbt_project.yml").write_text(PROJECT)
    (folder / "profiles.yml").write_text(PROFILE)
    (folder / "models" / "all.yml").write_text(MODELS)
    for name, sql in SQL.items():
        (folder / "models" / f"{name}.sql").write_text(sql)
    for module in (dbt_build, fingerprints, parsed_project):
        monkeypatch.setattr(module, "DBT_PROJECT", folder)
    fingerprints.build_code.cache_clear()
    settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    yield folder
    fingerprints.build_code.cache_clear()


def built(deployment: Deployment, *select: str) -> dict[str, str]:
    results = dbt_build.build(deployment, LOCAL_ORGANIZATION, select=select)
    return {result.unique_id.split(".")[2]: result.status for result in results}


def relations(deployment: Deployment, query: str) -> list[Any]:
    with duckdb.connect(
        str(deployment.settings.warehouse_file(LOCAL_ORGANIZATION)), read_only=True
    ) as connection:
        return connection.execute(query).fetchall()


def write_items(deployment: Deployment, count: int) -> None:
    rows = [
        item(JIRA, str(n), "issue", key=f"ABC-{n}", number=n) | {"organization_id": LOCAL_ORGANIZATION}
        for n in range(count)
    ]
    table = pa.Table.from_pylist(rows, schema=TABLES["trackers", "items"])
    deployment.lake.source("trackers", LOCAL_ORGANIZATION, JIRA).commit({}, {"items": table}, {})


def test_models_of_connections_come_and_go_with_their_rows(deployment: Deployment, project: Path) -> None:
    left_out = dict.fromkeys(("issues", "issues_again", "hidden"), "no-op")
    for _ in range(2):
        assert built(deployment) == {**left_out, "counts": "success"}
        assert relations(deployment, "from counts") == [(0, 0)]
        assert relations(deployment, "select key, number + 1 from issues_again") == []
        write_items(deployment, 3)
        assert built(deployment) == dict.fromkeys(("issues", "issues_again", "hidden", "counts"), "success")
        assert relations(deployment, "from counts") == [(3, 3)]
        assert relations(deployment, "select count(*) from hidden") == [(9,)]
        write_items(deployment, 0)
        assert built(deployment) == {**left_out, "counts": "success"}
        # A removed tracker leaves nothing behind.
        names = "select table_name from duckdb_tables() where table_name = 'hidden'"
        assert relations(deployment, names) == []


def test_a_selection_of_them_alone_succeeds(deployment: Deployment, project: Path) -> None:
    built(deployment)
    assert built(deployment, "issues") == {"issues": "no-op"}
    assert built(deployment, "issues", "counts") == {"issues": "no-op", "counts": "success"}
    write_items(deployment, 2)
    assert built(deployment, "issues", "counts") == {"issues": "success", "counts": "success"}
    assert relations(deployment, "from counts") == [(2, 0)]


def test_every_model_of_connections_that_others_read_has_typed_columns(deployment: Deployment) -> None:
    """Or a build without connections fails, since nothing says what its empty relation looks like."""
    manifest = parsed_project.load(dbt_build.manifest(deployment).parent, LOCAL_ORGANIZATION).to_dict()
    models = {model.unique_id: model for model in connection_models.of_manifest(manifest)}
    assert len(models) > 20
    readers = {
        read
        for unique_id, node in manifest["nodes"].items()
        if unique_id not in models and node["resource_type"] == "model"
        for read in node["depends_on"]["nodes"]
    }
    read = [model for one, model in models.items() if one in readers or model.is_published]
    assert {"int_alignment__commits", "api_v1__objectives"} <= {model.name for model in read}
    assert [model.name for model in read if not all(model.relations.values())] == []


def append_items(deployment: Deployment, connection_id: str, batch: int, *numbers: int) -> None:
    rows = [
        item(connection_id, f"{batch}-{place}", "issue", key=f"ABC-{n}", number=n)
        | {"organization_id": LOCAL_ORGANIZATION, "batch": batch}
        for place, n in enumerate(numbers)
    ]
    table = pa.Table.from_pylist(rows, schema=TABLES["trackers", "items"])
    deployment.lake.source("trackers", LOCAL_ORGANIZATION, connection_id).commit({"items": table}, {}, {})


def record_build(deployment: Deployment) -> dict[str, Any]:
    """What the record of a complete build says, remembered as publishing does."""
    record: dict[str, Any] = json.loads(
        build_record_file(deployment.settings.warehouse_file(LOCAL_ORGANIZATION)).read_text()
    )
    entry = BuildEntry(record["inputs"], "b", "2026-01-01T00:00:00Z", 1.0, None, record["connections"])
    deployment.run_state.record(LOCAL_ORGANIZATION, entry)
    return record


@pytest.fixture
def checked(project: Path) -> Path:
    """The project with a check of each number, which fails for a number that comes twice."""
    models = MODELS.replace(
        "{name: number, data_type: bigint}]", "{name: number, data_type: bigint, data_tests: [unique]}]", 1
    )
    (project / "models" / "all.yml").write_text(models)
    fingerprints.build_code.cache_clear()
    return project


def test_a_check_that_fails_holds_its_connection_at_its_last_good_rows(
    deployment: Deployment, checked: Path
) -> None:
    append_items(deployment, JIRA, 1, 1)
    append_items(deployment, GITHUB, 1, 2)
    assert set(built(deployment).values()) == {"success", "pass"}
    assert record_build(deployment)["connections"] == {JIRA: [1, 1], GITHUB: [1, 1]}
    append_items(deployment, JIRA, 2, 3, 3)
    append_items(deployment, GITHUB, 2, 4)
    assert set(built(deployment).values()) == {"success", "pass"}
    assert relations(deployment, "select number from issues order by 1") == [(1,), (2,), (4,)]
    record = record_build(deployment)
    assert record["connections"] == {JIRA: [2, 1], GITHUB: [2, 2]}
    assert "unique_issues_number" in record["held"]
    # It stays so until it has other rows; then they count again.
    assert set(built(deployment).values()) == {"success", "pass"}
    assert record_build(deployment)["connections"] == {JIRA: [2, 1], GITHUB: [2, 2]}
    assert relations(deployment, "select count(*) from issues") == [(3,)]
    deployment.lake.source("trackers", LOCAL_ORGANIZATION, JIRA).clear()
    append_items(deployment, JIRA, 1, 7)
    assert set(built(deployment).values()) == {"success", "pass"}
    assert relations(deployment, "select number from issues order by 1") == [(2,), (4,), (7,)]


def test_the_first_rows_of_a_connection_may_all_be_bad(deployment: Deployment, checked: Path) -> None:
    append_items(deployment, JIRA, 1, 3, 3)
    append_items(deployment, GITHUB, 1, 2)
    assert set(built(deployment).values()) == {"success", "pass"}
    assert relations(deployment, "select number from issues") == [(2,)]
    assert record_build(deployment)["connections"] == {JIRA: [1, 0], GITHUB: [1, 1]}


def test_a_build_that_fails_whatever_is_held_fails_as_before(deployment: Deployment, checked: Path) -> None:
    append_items(deployment, JIRA, 1, 3)
    (checked / "models" / "counts.sql").write_text("select 1 / 'x' as n")
    fingerprints.build_code.cache_clear()
    assert built(deployment)["counts"] == "error"
    assert not build_record_file(deployment.settings.warehouse_file(LOCAL_ORGANIZATION)).exists()
