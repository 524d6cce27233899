from pathlib import Path

import dagster as dg
from dagster._core.storage.event_log import SqliteEventLogStorage

from ingest.settings import Settings
from orchestration.runs import open_instance
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


def _journals(data_dir: Path) -> list[Path]:
    return list(data_dir.rglob("dagster/history/runs/*.db-wal"))
