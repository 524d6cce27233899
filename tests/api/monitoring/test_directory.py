"""Figures of a data directory, with runs that Dagster itself recorded."""

import os
import time
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from api.monitoring.directory import DirectoryFigures
from ingest.telemetry.spool import Spool
from tests.api import postgres
from tests.api.monitoring.reading import value
from tests.api.monitoring.recorded_runs import copy_runs, record_runs


def test_an_empty_directory_has_nothing_to_tell(tmp_path: Path) -> None:
    metrics = list(DirectoryFigures(tmp_path).collect())
    assert value(metrics, "eas_published_organizations") == 0
    assert value(metrics, "eas_telemetry_waiting_files") == 0
    assert value(metrics, "eas_disk_free_bytes") > 0
    # Without a build none has an age: 0 would be a fresh one.
    assert not {"eas_newest_build_age_seconds", "eas_runs_running"} & {metric.name for metric in metrics}


def test_builds_have_the_ages_of_their_pointers(tmp_path: Path) -> None:
    for organization, age in (("a", 100), ("b", 5000)):
        pointer = tmp_path / "published" / organization / "current.json"
        pointer.parent.mkdir(parents=True)
        pointer.write_text("{}")
        os.utime(pointer, (time.time() - age, time.time() - age))
    metrics = list(DirectoryFigures(tmp_path).collect())
    assert value(metrics, "eas_published_organizations") == 2
    assert value(metrics, "eas_newest_build_age_seconds") == pytest.approx(100, abs=20)
    assert value(metrics, "eas_oldest_build_age_seconds") == pytest.approx(5000, abs=20)


def test_telemetry_that_waits_is_counted(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "telemetry" / "spool")
    spool.append("a", b"x" * 1000).result()
    spool.append("b", b"y" * 500).result()
    spool.close()
    metrics = list(DirectoryFigures(tmp_path).collect())
    assert value(metrics, "eas_telemetry_waiting_files") == 2
    assert 1500 < value(metrics, "eas_telemetry_waiting_bytes") < 1600
    assert 0 < value(metrics, "eas_telemetry_waiting_seconds") < 60


def test_runs_are_those_of_dagster(tmp_path: Path) -> None:
    began = time.time()
    record_runs(tmp_path)
    metrics = list(DirectoryFigures(tmp_path).collect())
    counts = {kind: value(metrics, "eas_runs_of_a_day", kind=kind) for kind in ("succeeding", "failing")}
    assert counts == {"succeeding": 2, "failing": 1}
    ended = value(metrics, "eas_last_run_timestamp_seconds", kind="failing", end="failure")
    assert began - 1 < ended < time.time() + 1
    assert 0 <= value(metrics, "eas_last_run_seconds", kind="succeeding") < 60
    assert value(metrics, "eas_runs_waiting") == 1
    assert value(metrics, "eas_runs_waiting_seconds") < 60
    assert value(metrics, "eas_runs_running") == 0


@postgres.required
def test_runs_in_postgresql_give_the_same_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record_runs(tmp_path)
    expected = figures_of_runs(tmp_path)
    assert len(expected) == 8
    server = postgres.Server()
    try:
        monkeypatch.setattr("api.operator.machines.util.find_spec", lambda _: object())
        address = f"{server.address}/postgres"
        monkeypatch.setenv("EAS_DAGSTER_DATABASE_URL", address.replace("postgresql:", "postgresql+psycopg2:"))
        # A database in which Dagster has no tables yet.
        assert figures_of_runs(tmp_path) == {}
        copy_runs(tmp_path, address)
        assert figures_of_runs(tmp_path) == expected
    finally:
        server.remove()
    assert figures_of_runs(tmp_path) == {}


def figures_of_runs(data_dir: Path) -> dict[str, float]:
    """The figures of runs by name and labels, without the one that grows with the time."""
    return {
        f"{sample.name}{sample.labels}": sample.value
        for metric in DirectoryFigures(data_dir).collect()
        for sample in metric.samples
        if "run" in sample.name and sample.name != "eas_runs_waiting_seconds"
    }


def test_a_foreign_record_of_runs_leaves_the_other_figures(tmp_path: Path) -> None:
    file = tmp_path / "dagster" / "history" / "runs.db"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"no database" * 500)
    registry = CollectorRegistry()
    registry.register(DirectoryFigures(tmp_path))
    assert registry.get_sample_value("eas_published_organizations") == 0
