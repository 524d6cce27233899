"""Models of connections are left out while there are no rows for them, and others read empty relations instead."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from ingest.schemas import TABLES
from orchestration.build import connection_models, dbt_build, parsed_project, settings_snapshot
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.state import fingerprints
from tests.dbt.invented.invented_trackers import JIRA, item
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
