"""Calls of dbt, with a project of three models instead of the real one."""

import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from orchestration.build import dbt_build, settings_snapshot
from orchestration.build.dbt_build import BuildFailed
from orchestration.deployment import DBT_PROJECT, LOCAL_ORGANIZATION, Deployment
from orchestration.state import fingerprints

PROJECT = """
name: small
version: 0.1.0
profile: small
vars: {organization_id: none, raw_dir: none, as_of: "", calculation_version: none}
"""
PROFILE = """
small:
  target: local
  outputs: {local: {type: duckdb, path: "{{ env_var('EAS_WAREHOUSE_PATH') }}", threads: 1}}
"""
TESTS = """
models:
  - name: second
    data_tests: [{never_null: {arguments: {columns: [n, m]}}}]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deployment: Deployment) -> Path:
    folder = tmp_path / "dbt"
    (folder / "models").mkdir(parents=True)
    (folder / "dbt_project.yml").write_text(PROJECT)
    (folder / "profiles.yml").write_text(PROFILE)
    (folder / "models" / "first.sql").write_text("select 1 as n, '{{ var(\"as_of\") }}' as as_of")
    (folder / "models" / "second.sql").write_text("select n, n as m from {{ ref('first') }}")
    shutil.copytree(DBT_PROJECT / "tests", folder / "tests")
    (folder / "models" / "second.yml").write_text(TESTS)
    for module in (dbt_build, fingerprints):
        monkeypatch.setattr(module, "DBT_PROJECT", folder)
    fingerprints.build_code.cache_clear()
    settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    return folder


def warehouse(deployment: Deployment) -> Path:
    return deployment.settings.warehouse_file(LOCAL_ORGANIZATION)


def statuses(results: list[dbt_build.NodeResult]) -> dict[str, str]:
    return {result.unique_id.split(".")[2]: result.status for result in results}


def test_a_build_makes_every_model_and_runs_its_tests(deployment: Deployment, project: Path) -> None:
    reported: list[tuple[int, int]] = []
    results = dbt_build.build(
        deployment, LOCAL_ORGANIZATION, on_node=lambda done, total: reported.append((done, total))
    )
    assert statuses(results) == {"first": "success", "second": "success", "never_null_second_n__m": "pass"}
    assert all(result.passed for result in results)
    assert reported[-1] == (3, 3)


def test_after_a_build_another_process_can_open_the_warehouse(deployment: Deployment, project: Path) -> None:
    dbt_build.build(deployment, LOCAL_ORGANIZATION)
    program = f"import duckdb; print(duckdb.connect({str(warehouse(deployment))!r}).execute('from second').fetchall())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[(1, 1)]", done.stderr


def test_a_complete_build_records_its_inputs(deployment: Deployment, project: Path) -> None:
    dbt_build.build(deployment, LOCAL_ORGANIZATION)
    build_record = json.loads(dbt_build.build_record_file(warehouse(deployment)).read_text())
    settings = settings_snapshot.current_settings(deployment, LOCAL_ORGANIZATION)
    assert build_record["inputs"] == fingerprints.of_build(
        deployment, LOCAL_ORGANIZATION, settings, fingerprints.now()
    )
    assert build_record["seen"]["position"] == 0


def test_a_partial_build_has_no_build_record(deployment: Deployment, project: Path) -> None:
    dbt_build.build(deployment, LOCAL_ORGANIZATION)
    assert statuses(dbt_build.build(deployment, LOCAL_ORGANIZATION, select=["first"])) == {"first": "success"}
    assert not dbt_build.build_record_file(warehouse(deployment)).exists()


def test_a_failing_test_is_a_result_with_its_count_and_makes_the_build_incomplete(
    deployment: Deployment, project: Path
) -> None:
    dbt_build.build(deployment, LOCAL_ORGANIZATION)
    (project / "models" / "second.sql").write_text("select n, cast(null as int) as m from {{ ref('first') }}")
    fingerprints.build_code.cache_clear()
    results = dbt_build.build(deployment, LOCAL_ORGANIZATION)
    [failed] = [result for result in results if not result.passed]
    assert (failed.unique_id.split(".")[2], failed.status, failed.failures) == (
        "never_null_second_n__m",
        "fail",
        1,
    )
    assert not dbt_build.build_record_file(warehouse(deployment)).exists()


def test_models_after_a_broken_model_are_skipped(deployment: Deployment, project: Path) -> None:
    (project / "models" / "first.sql").write_text("select no_such_function() as n")
    results = {
        result.unique_id.split(".")[2]: result for result in dbt_build.build(deployment, LOCAL_ORGANIZATION)
    }
    assert "no_such_function" in results["first"].message
    assert not results["second"].was_run


def test_an_invalid_model_is_one_clear_failure(deployment: Deployment, project: Path) -> None:
    (project / "models" / "first.sql").write_text("select {{ nonsense(")
    with pytest.raises(BuildFailed, match=r"(?s)dbt build: .*first\.sql.*log:"):
        dbt_build.build(deployment, LOCAL_ORGANIZATION)


def test_a_build_takes_an_instant(deployment: Deployment, project: Path) -> None:
    dbt_build.build(deployment, LOCAL_ORGANIZATION, as_of=datetime(2024, 5, 1, 12, tzinfo=UTC))
    with duckdb.connect(str(warehouse(deployment)), read_only=True) as connection:
        assert connection.execute("select as_of from first").fetchall() == [
            ("2024-05-01 12:00:00.000000+00:00",)
        ]


def test_a_build_replaces_an_unreadable_warehouse(deployment: Deployment, project: Path) -> None:
    warehouse(deployment).parent.mkdir(parents=True, exist_ok=True)
    warehouse(deployment).write_bytes(b"half a file" * 1000)
    assert all(result.passed for result in dbt_build.build(deployment, LOCAL_ORGANIZATION))


def test_a_build_keeps_a_warehouse_in_use(tmp_path: Path) -> None:
    file = tmp_path / "w.duckdb"
    program = (
        f"import duckdb, sys; c = duckdb.connect({str(file)!r}); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout
        assert holder.stdin
        holder.stdout.readline()
        with pytest.raises(duckdb.IOException, match="lock"):
            dbt_build.discard_unreadable(file)
        holder.stdin.close()
    assert file.exists()


def test_the_manifest_follows_the_files_and_is_parsed_once_per_state(
    deployment: Deployment, project: Path
) -> None:
    first = dbt_build.manifest(deployment)
    stamp = first.stat().st_mtime_ns
    assert dbt_build.manifest(deployment) == first
    assert first.stat().st_mtime_ns == stamp
    (project / "models" / "third.sql").write_text("select 3 as n")
    fingerprints.build_code.cache_clear()
    os.utime(first.parent, (0, 0))
    second = dbt_build.manifest(deployment)
    assert "model.small.third" in json.loads(second.read_text())["nodes"]
    assert not first.exists(), "manifests of earlier states are removed"


def test_a_build_restores_the_environment(
    deployment: Deployment, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EAS_WAREHOUSE_PATH", raising=False)
    before = dict(os.environ)
    dbt_build.build(deployment, LOCAL_ORGANIZATION)
    assert dict(os.environ) == before
