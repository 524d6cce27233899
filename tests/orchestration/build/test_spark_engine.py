"""A build whose settings choose Spark. No Spark runs here; tests/dbt/spark runs a real one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

from api.control.organizations.warehouse_engines import choose_engine
from orchestration.build import dbt_build, held_rows, settings_snapshot, spark_models, spark_session
from orchestration.build.held_rows import Counted
from orchestration.build.spark_models import NotInParts
from orchestration.build.spark_session import SparkUnavailable, java_memory
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.doctor import machine
from orchestration.runtime import sealed
from orchestration.state.warehouse_files import build_record_file, discard, spark_folder
from tests.small_warehouse import project as small_warehouse

MODEL = "stg_git__commits"


@pytest.fixture
def prepared(deployment: Deployment) -> Iterator[Deployment]:
    settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    with small_warehouse.used():
        yield deployment


@pytest.fixture
def built(prepared: Deployment) -> Deployment:
    """A deployment with a complete build on DuckDB."""
    assert all(one.passed for one in dbt_build.build(prepared, LOCAL_ORGANIZATION))
    return prepared


@pytest.fixture
def built_on_spark(built: Deployment) -> Deployment:
    """The same, with the files and the record of a build on Spark."""
    (spark_folder(warehouse(built)) / "main.db").mkdir(parents=True)
    record = build_record_file(warehouse(built))
    content = sealed.read(record, LOCAL_ORGANIZATION)
    sealed.write(record, content | {"engine": "spark"}, LOCAL_ORGANIZATION)
    return built


def warehouse(deployment: Deployment) -> Path:
    return deployment.settings.warehouse_file(LOCAL_ORGANIZATION)


def with_spark(deployment: Deployment) -> Deployment:
    """The same deployment, whose organization has Spark as its own engine."""
    with deployment.control() as control:
        choose_engine(control, LOCAL_ORGANIZATION, "spark")
    return deployment


def with_duckdb(deployment: Deployment) -> Deployment:
    with deployment.control() as control:
        choose_engine(control, LOCAL_ORGANIZATION, None)
    return deployment


def without(monkeypatch: pytest.MonkeyPatch, lacking: str) -> None:
    monkeypatch.setattr(spark_session, "find_spec", lambda _: None if lacking == "pyspark" else object())
    monkeypatch.setattr("orchestration.build.spark_session.shutil.which", lambda _: None)


def files_of(deployment: Deployment) -> dict[str, bytes]:
    """Every file beside the warehouse."""
    folder = warehouse(deployment).parent
    return {
        file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()
    }


SAID = {"pyspark": "-r requirements-spark.lock", "java": "apt-get install openjdk-17-jre-headless"}


@pytest.mark.parametrize("lacking", ["pyspark", "java"])
def test_a_build_says_what_a_machine_lacks_before_it_changes_anything(
    built: Deployment, monkeypatch: pytest.MonkeyPatch, lacking: str
) -> None:
    without(monkeypatch, lacking)
    before = files_of(built)
    with pytest.raises(SparkUnavailable, match=SAID[lacking]):
        dbt_build.build(with_spark(built), LOCAL_ORGANIZATION)
    assert files_of(built) == before


@pytest.mark.parametrize("lacking", ["pyspark", "java"])
def test_the_doctor_says_what_a_machine_lacks(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch, lacking: str
) -> None:
    without(monkeypatch, lacking)
    [finding] = machine.warehouse_engine(with_spark(deployment))
    assert finding.passed is False
    assert SAID[lacking] in finding.detail
    assert list(machine.warehouse_engine(with_duckdb(deployment))) == []


def test_the_doctor_passes_a_machine_with_spark(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_session, "missing", lambda: None)
    [finding] = machine.warehouse_engine(with_spark(deployment))
    assert (finding.passed, finding.detail) == (True, f"Spark for {LOCAL_SLUG}")
    monkeypatch.setenv("EAS_WAREHOUSE_ENGINE", "spark")
    [finding] = machine.warehouse_engine(with_duckdb(deployment))
    assert (finding.passed, finding.detail) == (
        True,
        "Spark for all organizations without an engine of their own",
    )


def test_an_organization_s_own_engine_comes_before_that_of_the_deployment(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [deployment.engine_of(LOCAL_ORGANIZATION), with_spark(deployment).engine_of(LOCAL_ORGANIZATION)]
    monkeypatch.setenv("EAS_WAREHOUSE_ENGINE", "spark")
    with deployment.control() as control:
        choose_engine(control, LOCAL_ORGANIZATION, "duckdb")
    found += [deployment.engine_of(LOCAL_ORGANIZATION), with_duckdb(deployment).engine_of(LOCAL_ORGANIZATION)]
    assert found == ["duckdb", "spark", "duckdb", "spark"]


@pytest.mark.parametrize(
    ("said", "lack"),
    [
        ('openjdk version "17.0.13" 2024-10-15', None),
        ('java version "1.8.0_421"', "is 8. Install it"),
        ("Error: could not find libjava.so", "is none that starts. Install it"),
    ],
)
def test_a_java_that_is_too_old_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, lack: str | None
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho '{said}' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setattr(spark_session, "find_spec", lambda _: object())
    found = spark_session.missing()
    assert found is None if lack is None else lack in str(found)


def test_spark_builds_no_part_of_a_warehouse(built_on_spark: Deployment) -> None:
    before = files_of(built_on_spark)
    with pytest.raises(NotInParts, match="run `eas analyze`"):
        dbt_build.build(with_spark(built_on_spark), LOCAL_ORGANIZATION, select=[MODEL])
    assert files_of(built_on_spark) == before


def test_duckdb_builds_no_part_of_a_warehouse_of_spark(built_on_spark: Deployment) -> None:
    before = files_of(built_on_spark)
    with pytest.raises(NotInParts, match="the engine is DuckDB now; first build all models"):
        dbt_build.build(built_on_spark, LOCAL_ORGANIZATION, select=[MODEL])
    assert files_of(built_on_spark) == before
    assert spark_folder(warehouse(built_on_spark)).exists()


def test_a_whole_build_on_duckdb_replaces_a_warehouse_of_spark(built_on_spark: Deployment) -> None:
    with duckdb.connect(str(warehouse(built_on_spark))) as connection:
        connection.execute("create table left_by_spark (n int)")
    dbt_build.build(built_on_spark, LOCAL_ORGANIZATION)
    assert not spark_folder(warehouse(built_on_spark)).exists()
    assert json.loads(build_record_file(warehouse(built_on_spark)).read_text())["engine"] == "duckdb"
    with duckdb.connect(str(warehouse(built_on_spark)), read_only=True) as connection:
        assert not connection.execute("from duckdb_tables() where table_name = 'left_by_spark'").fetchall()
    assert dbt_build.build(built_on_spark, LOCAL_ORGANIZATION, select=[MODEL])[0].passed


@pytest.mark.parametrize(("changed", "is_hinted"), [([], False), (["c1"], True), (list("abcdef"), True)])
def test_a_failed_build_on_spark_is_not_repeated(
    prepared: Deployment, monkeypatch: pytest.MonkeyPatch, changed: list[str], is_hinted: bool
) -> None:
    runs = []

    def run(*_: Any) -> Any:
        runs.append(1)
        nodes = [("model.p.first", "error", "overflow"), ("model.p.second", "skipped", None)]
        results = [
            SimpleNamespace(
                node=SimpleNamespace(unique_id=name),
                status=status,
                execution_time=1,
                message=said,
                failures=0,
            )
            for name, status, said in nodes
        ]
        return SimpleNamespace(results=results)

    monkeypatch.setattr(spark_session, "missing", lambda: None)
    monkeypatch.setattr(spark_models, "run", run)
    monkeypatch.setattr("orchestration.build.dbt_savings.write_compiled", lambda _: None)
    monkeypatch.setattr(held_rows, "counted", lambda *_: Counted(dict.fromkeys(changed, 2), {}, {}))
    first, second = dbt_build.build(with_spark(prepared), LOCAL_ORGANIZATION)[-2:]
    assert len(runs) == 1
    assert first.message.startswith("overflow")
    assert ("sync it completely, or build with EAS_WAREHOUSE_ENGINE=duckdb" in first.message) == is_hinted
    assert ("connection (a, b, c, d and 2 more)" in first.message) == (len(changed) > 4)
    assert second.message == ""


@pytest.mark.parametrize(
    ("amount", "java"),
    [("6GB", "5722m"), ("4.5GB", "4291m"), ("1.5 GiB", "1536m"), ("512mib", "512m"), ("2 Tb", "1907348m")],
)
def test_java_reads_whole_numbers_of_memory(amount: str, java: str) -> None:
    assert java_memory(amount) == java


def test_the_tables_of_spark_go_with_the_warehouse(deployment: Deployment) -> None:
    (spark_folder(warehouse(deployment)) / "main.db").mkdir(parents=True)
    discard(warehouse(deployment))
    assert not spark_folder(warehouse(deployment)).exists()
