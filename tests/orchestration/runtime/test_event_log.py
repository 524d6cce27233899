import sqlite3
from pathlib import Path

import dagster as dg
from dagster._core.storage.event_log import SqliteEventLogStorage

from ingest.settings import Settings
from orchestration.commands.runs import open_instance
from orchestration.runtime import event_log
from orchestration.runtime.event_log import KeptEngineEventLog


@dg.asset(partitions_def=dg.StaticPartitionsDefinition(["a", "b"]))
def counted() -> dg.MaterializeResult[None]:
    return dg.MaterializeResult(metadata={"rows": 3})


def test_dagsters_own_event_log_reads_the_stored_events(tmp_path: Path) -> None:
    with open_instance(Settings(data_dir=tmp_path)) as instance:
        assert isinstance(instance.event_log_storage, KeptEngineEventLog)
        runs = [dg.materialize([counted], instance=instance, partition_key=key).run_id for key in "ab"]
        stored = {run: instance.all_logs(run) for run in runs}
        found = instance.get_latest_materialization_event(counted.key)
        # Another process, like the Dagster UI, reads while this one keeps its databases open.
        beside = SqliteEventLogStorage(str(tmp_path / "dagster" / "history" / "runs"))
        assert {run: list(beside.get_logs_for_run(run)) for run in runs} == stored
    own = SqliteEventLogStorage(str(tmp_path / "dagster" / "history" / "runs"))
    assert all(len(events) > 5 for events in stored.values())
    assert {run: list(own.get_logs_for_run(run)) for run in runs} == {
        run: list(events) for run, events in stored.items()
    }
    assert found is not None
    assert found == own.get_asset_records([counted.key])[0].asset_entry.last_materialization


def test_more_runs_than_open_engines_can_be_read(tmp_path: Path) -> None:
    most = event_log.MAX_ENGINES
    with open_instance(Settings(data_dir=tmp_path)) as instance:
        run = dg.materialize([counted], instance=instance, partition_key="a").run_id
        for number in range(most + 2):
            instance.all_logs(f"{number:032x}")
        assert len(instance.all_logs(run)) > 5
        log = instance.event_log_storage
        assert isinstance(log, KeptEngineEventLog)
        assert len(log._engines) <= most
        # The last process that closes a database writes its journal back and removes it.
        assert 0 < len(_journals(tmp_path)) <= most
    assert not _journals(tmp_path)


def test_the_database_of_each_run_is_as_dagster_makes_it(tmp_path: Path) -> None:
    with open_instance(Settings(data_dir=tmp_path / "ours")) as instance:
        runs = [dg.materialize([counted], instance=instance, partition_key=key).run_id for key in "ab"]
    folder = tmp_path / "ours" / "dagster" / "history" / "runs"
    own = SqliteEventLogStorage(str(tmp_path / "own"))
    own.get_logs_for_run(runs[0])
    expected = _schema(tmp_path / "own" / f"{runs[0]}.db")
    assert expected
    assert [_schema(folder / f"{run}.db") for run in runs] == [expected] * 2
    # The second one is a copy of the first one, before it had events.
    with sqlite3.connect(folder / f"{runs[1]}.db") as database:
        assert database.execute("select distinct run_id from event_logs").fetchall() == [(runs[1],)]


def _schema(file: Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(file) as database:
        tables = database.execute("select type, name, sql from sqlite_master order by name").fetchall()
        return [*tables, *database.execute("select version_num from alembic_version").fetchall()]


def _journals(data_dir: Path) -> list[Path]:
    return list(data_dir.rglob("dagster/history/runs/*.db-wal"))
