"""Calls of dbt, with a project of three models instead of the real one."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.settings import CHECKOUT
from orchestration.build import dbt_build, parsed_project, parsing, settings_snapshot
from orchestration.build.dbt_build import BuildFailed
from orchestration.build.node_results import NodeResult
from orchestration.deployment import DBT_PROJECT, LOCAL_ORGANIZATION, Deployment
from orchestration.state import fingerprints, warehouse_files
from orchestration.state.warehouse_files import build_record_file, discard_unreadable
from tests.orchestration.build.small_project import PROFILE, PROJECT

PARSING = """
import sys
import time
from pathlib import Path
from orchestration.build import dbt_build, parsed_project
from orchestration.deployment import Deployment
from orchestration.state import fingerprints

for module in (dbt_build, fingerprints, parsed_project):
    module.DBT_PROJECT = Path(sys.argv[1])
invoke = dbt_build.invoke

def slowly(*arguments):
    time.sleep(2)
    return invoke(*arguments)

dbt_build.invoke = slowly
dbt_build.manifest(Deployment())
"""
TESTS = """
models:
  - name: second
    data_tests: [{row_checks: {name: rows_of_second, arguments: {never_null: [n, m]}}}]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deployment: Deployment) -> Iterator[Path]:
    folder = tmp_path / "dbt"
    (folder / "models").mkdir(parents=True)
    (folder / "dbt_project.yml").write_text(PROJECT)
    (folder / "profiles.yml").write_text(PROFILE)
    (folder / "models" / "first.sql").write_text("select 1 as n, '{{ var(\"as_of\") }}' as as_of")
    (folder / "models" / "second.sql").write_text("select n, n as m from {{ ref('first') }}")
    shutil.copytree(DBT_PROJECT / "tests", folder / "tests")
    (folder / "models" / "second.yml").write_text(TESTS)
    for module in (dbt_build, fingerprints, parsed_project):
        monkeypatch.setattr(module, "DBT_PROJECT", folder)
    fingerprints.build_code.cache_clear()
    settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    yield folder
    fingerprints.build_code.cache_clear()


def warehouse(deployment: Deployment) -> Path:
    return deployment.settings.warehouse_file(LOCAL_ORGANIZATION)


def statuses(results: list[NodeResult]) -> dict[str, str]:
    return {result.unique_id.split(".")[2]: result.status for result in results}


def test_a_build_makes_every_model_and_runs_its_tests(deployment: Deployment, project: Path) -> None:
    reported: list[tuple[int, int]] = []
    results = dbt_build.build(
        deployment, LOCAL_ORGANIZATION, on_node=lambda done, total: reported.append((done, total))
    )
    assert statuses(results) == {"first": "success", "second": "success", "rows_of_second": "pass"}
    assert all(result.passed for result in results)
    assert reported[-1] == (3, 3)


def test_after_a_build_another_process_can_open_the_warehouse(deployment: Deployment, project: Path) -> None:
    dbt_build.build(deployment, LOCAL_ORGANIZATION)
    program = f"import duckdb; print(duckdb.connect({str(warehouse(deployment))!r}).execute('from second').fetchall())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[(1, 1)]", done.stderr


def test_a_complete_build_records_its_inputs(deployment: Deployment, project: Path) -> None:
    dbt_build.build(deployment, LOCAL_ORGANIZATION)
    build_record = json.loads(build_record_file(warehouse(deployment)).read_text())
    settings = settings_snapshot.current_settings(deployment, LOCAL_ORGANIZATION)
    assert build_record["inputs"] == fingerprints.of_build(
        deployment, LOCAL_ORGANIZATION, settings, fingerprints.now()
    )
    assert build_record["watermark"]["position"] == 0


def test_a_partial_build_has_no_build_record(deployment: Deployment, project: Path) -> None:
    dbt_build.build(deployment, LOCAL_ORGANIZATION)
    assert statuses(dbt_build.build(deployment, LOCAL_ORGANIZATION, select=["first"])) == {"first": "success"}
    assert not build_record_file(warehouse(deployment)).exists()


def test_a_failing_test_is_a_result_with_its_count_and_makes_the_build_incomplete(
    deployment: Deployment, project: Path
) -> None:
    dbt_build.build(deployment, LOCAL_ORGANIZATION)
    (project / "models" / "second.sql").write_text("select n, cast(null as int) as m from {{ ref('first') }}")
    fingerprints.build_code.cache_clear()
    results = dbt_build.build(deployment, LOCAL_ORGANIZATION)
    [failed] = [result for result in results if not result.passed]
    assert (failed.unique_id.split(".")[2], failed.status, failed.failures) == (
        "rows_of_second",
        "fail",
        1,
    )
    assert not build_record_file(warehouse(deployment)).exists()


def test_the_log_of_a_failure_names_a_file_with_its_sql(deployment: Deployment, project: Path) -> None:
    (project / "models" / "second.sql").write_text("select n, cast(null as int) as m from {{ ref('first') }}")
    (project / "models" / "first.sql").write_text("select 1 as n")
    dbt_build.build(deployment, LOCAL_ORGANIZATION)
    target = deployment.settings.dbt_target_dir(LOCAL_ORGANIZATION)
    [named] = re.findall(r"compiled code at (\S+)", (target / "logs" / "dbt.log").read_text())
    assert "never null: n, m" in Path(named).read_text()
    assert [file.name for file in (target / "compiled").rglob("*.sql")] == [Path(named).name]


def test_models_after_a_broken_model_are_skipped(deployment: Deployment, project: Path) -> None:
    (project / "models" / "first.sql").write_text("select no_such_function() as n")
    results = {
        result.unique_id.split(".")[2]: result for result in dbt_build.build(deployment, LOCAL_ORGANIZATION)
    }
    assert "no_such_function" in results["first"].message
    assert not results["second"].was_run


def test_an_invalid_model_is_one_clear_failure(deployment: Deployment, project: Path) -> None:
    (project / "models" / "first.sql").write_text("select {{ nonsense(")
    with pytest.raises(BuildFailed, match=r"(?s)dbt parse: .*first\.sql.*log:"):
        dbt_build.build(deployment, LOCAL_ORGANIZATION)


def test_a_build_takes_an_instant(deployment: Deployment, project: Path) -> None:
    dbt_build.build(deployment, LOCAL_ORGANIZATION, as_of=datetime(2024, 5, 1, 12, tzinfo=UTC))
    with duckdb.connect(str(warehouse(deployment)), read_only=True) as connection:
        assert connection.execute("select as_of from first").fetchall() == [
            ("2024-05-01 12:00:00.000000+00:00",)
        ]


def test_a_warehouse_with_a_damaged_block_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "w.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("create table numbers as select range as n from range(100000)")
    content = bytearray(file.read_bytes())
    # Behind the three headers of 4 kB: the first block, in which opening finds the tables.
    content[3 * 4096 + 100] ^= 1
    file.write_bytes(content)
    with pytest.raises(duckdb.IOException, match="in block"):
        duckdb.connect(str(file)).close()
    warehouse_files.discard_unreadable(file)
    assert not file.exists()


def test_a_build_replaces_an_unreadable_warehouse(deployment: Deployment, project: Path) -> None:
    warehouse(deployment).parent.mkdir(parents=True, exist_ok=True)
    warehouse(deployment).write_bytes(b"half a file" * 1000)
    assert all(result.passed for result in dbt_build.build(deployment, LOCAL_ORGANIZATION))


def test_a_build_starts_anew_if_its_warehouse_was_changed(deployment: Deployment, project: Path) -> None:
    dbt_build.build(deployment, LOCAL_ORGANIZATION)
    with duckdb.connect(str(warehouse(deployment))) as connection:
        connection.execute("create table mine as select 1")
    dbt_build.build(deployment, LOCAL_ORGANIZATION)
    with duckdb.connect(str(warehouse(deployment)), read_only=True) as connection:
        names = connection.execute("select table_name from duckdb_tables()").fetchall()
    assert ("mine",) not in names


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
            discard_unreadable(file)
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


@pytest.mark.parametrize("place", ["compiled", "run", "logs"])
def test_a_file_in_the_place_of_a_folder_of_dbt_stops_no_build(
    deployment: Deployment, project: Path, place: str
) -> None:
    dbt_build.build(deployment, LOCAL_ORGANIZATION)
    folder = deployment.settings.dbt_target_dir(LOCAL_ORGANIZATION) / place
    if folder.is_dir():
        shutil.rmtree(folder)
    folder.write_text("no folder")
    assert all(result.passed for result in dbt_build.build(deployment, LOCAL_ORGANIZATION))
    assert not folder.is_file()


def test_a_build_restores_the_environment(
    deployment: Deployment, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EAS_WAREHOUSE_PATH", raising=False)
    before = dict(os.environ)
    dbt_build.build(deployment, LOCAL_ORGANIZATION)
    assert dict(os.environ) == before


CHECKED = """
models:
  - name: second
    data_tests:
      - row_checks: {name: repeated, arguments: {unique: [n]}}
      - row_checks: {name: distinct_together, arguments: {unique: [[n, m]]}}
      - row_checks: {name: repeated_together, arguments: {unique: [[n, k]]}}
      - row_checks: {name: missing, arguments: {never_null: [n, parent]}}
      - row_checks: {name: present, arguments: {never_null: [n, m]}}
      - row_checks: {name: unknown, arguments: {accepted: {m: [a, b]}}}
      - row_checks: {name: known, arguments: {accepted: {m: [a, b, z]}}}
      - row_checks: {name: lost, arguments: {found_in: {parent: {to: ref('first'), field: n}}}}
      - row_checks: {name: held, arguments: {found_in: {k: {to: ref('first'), field: n}}}}
      - row_checks: {name: several, arguments: {unique: [m, n, [n, k]], never_null: [parent], accepted: {m: [a]}}}
"""


def test_a_row_check_finds_the_rows_that_break_it_and_no_others(
    project: Path, deployment: Deployment
) -> None:
    rows = "(1, 'a', 1, 1), (1, 'b', null, 1), (2, 'z', 9, null)"
    query = f"select * from (values {rows}) as t (n, m, parent, k)"
    (project / "models" / "second.sql").write_text(query)
    (project / "models" / "second.yml").write_text(CHECKED)
    found = {
        result.unique_id.split(".")[2]: result.failures
        for result in dbt_build.build(deployment, LOCAL_ORGANIZATION)
        if result.unique_id.startswith("test.")
    }
    assert found == {
        "repeated": 1, "distinct_together": 0, "repeated_together": 1, "missing": 1, "present": 0, "unknown": 1,
        "known": 0, "lost": 1, "held": 0, "several": 3,
    }  # fmt: skip


def test_a_run_takes_the_project_that_another_process_parsed_ahead(
    deployment: Deployment, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The other process holds the lock for two seconds at least; this one waits for it.
    command = [sys.executable, "-c", PARSING, str(project)]
    with subprocess.Popen(command, env=deployment.environment(), cwd=CHECKOUT):
        lock = parsed_project.home(deployment) / "parsing.lock"
        deadline = time.monotonic() + 120
        while not lock.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)
        monkeypatch.setattr(dbt_build, "invoke", lambda *_: pytest.fail("parsed a second time"))
        assert dbt_build.manifest(deployment).exists()
    # Everything is parsed: nothing is started.
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("started a process"))
    with parsing.ahead(deployment):
        pass


def test_the_project_is_parsed_ahead_where_it_never_was(
    project: Path, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []

    class Started:
        def __init__(self, command: list[str], **_: object) -> None:
            started.append(command)

        def terminate(self) -> None: ...

        def wait(self) -> None: ...

    monkeypatch.setattr(subprocess, "Popen", Started)
    with parsing.ahead(deployment):
        pass
    assert [command[-1] for command in started] == ["orchestration.build.parsing"]


def test_every_organization_takes_the_same_parsed_project(
    project: Path, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "models" / "first.sql").write_text(
        "select 1 as n, '{{ var(\"organization_id\") }}' as organization_id, '{{ this.database }}' as place"
    )
    (project / "models" / "second.sql").write_text("select n, n as m, * from {{ ref('first') }}")
    fingerprints.build_code.cache_clear()
    dbt_build.manifest(deployment)
    parsed = dbt_build.invoke

    def build_only(arguments: Sequence[str], *others: Any) -> Any:
        assert arguments[0] == "build", "parsed again"
        return parsed(arguments, *others)

    monkeypatch.setattr(dbt_build, "invoke", build_only)
    other = "0190d3b0-0000-7000-8000-0000000000ff"
    with deployment.control() as control:
        control.ensure_organization("Other", organization_id=other, slug="other")
    for organization_id in (LOCAL_ORGANIZATION, other):
        settings_snapshot.write(deployment, organization_id)
        assert all(result.passed for result in dbt_build.build(deployment, organization_id))
        with duckdb.connect(deployment.settings.warehouse_file(organization_id)) as connection:
            row = connection.execute("select organization_id, place from second").fetchone()
        assert row == (organization_id, organization_id)
