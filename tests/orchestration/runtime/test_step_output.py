from pathlib import Path

import dagster as dg
import pytest

from ingest.settings import Settings
from orchestration.commands.runs import open_instance
from orchestration.runtime.in_process_runs import Runs

SAID = "as many rows as files"


@dg.asset(partitions_def=dg.DynamicPartitionsDefinition(name="repositories"))
def spoken() -> None:
    print(SAID)


def outputs(data: Path) -> list[str]:
    return [file.read_text() for file in (data / "dagster" / "logs").rglob("*.out")]


def test_dagster_keeps_the_output_of_a_step_that_it_runs_itself(tmp_path: Path) -> None:
    with open_instance(Settings(data_dir=tmp_path)) as instance:
        instance.add_dynamic_partitions("repositories", ["a"])
        assert dg.materialize([spoken], instance=instance, partition_key="a").success
    assert [SAID in text for text in outputs(tmp_path)] == [True]


def test_a_run_in_the_process_of_its_caller_leaves_the_output_to_the_caller(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    jobs = [dg.define_asset_job("extract_repository", [spoken])]
    with open_instance(Settings(data_dir=tmp_path)) as instance:
        outcome = Runs(dg.Definitions(assets=[spoken], jobs=jobs), instance).extract("name", "id")
        assert outcome.succeeded, outcome.failures
        (run,) = instance.get_runs()
        log_key = [run.run_id, "compute_logs", "spoken"]
        assert not instance.compute_log_manager.get_log_data(log_key).stdout
    assert not outputs(tmp_path)
    assert SAID in capfd.readouterr().out
