from pathlib import Path

import dagster as dg
import yaml
from dagster._core.instance.ref import InstanceRef

from ingest.settings import CHECKOUT, Settings
from orchestration.commands.runs import open_instance
from orchestration.runtime.instance import home
from orchestration.runtime.partitions import ORGANIZATION_TAG, REPOSITORY_TAG


def test_the_default_data_directory_uses_the_instance_of_the_checkout() -> None:
    assert home(Settings(data_dir=CHECKOUT / "data")) == CHECKOUT


def test_another_data_directory_has_separate_runs(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / 'da"ta: dir')
    for _ in range(2):
        with dg.DagsterInstance.from_ref(InstanceRef.from_dir(str(home(settings)))) as instance:
            found = list(instance.get_dynamic_partitions("repositories"))
            instance.add_dynamic_partitions("repositories", ["x"])
    assert found == ["x"]
    assert not list(Path.cwd().glob("*ta: dir*"))


def test_every_folder_of_the_instance_follows_the_data_directory(tmp_path: Path) -> None:
    folder = home(Settings(data_dir=tmp_path))
    text = (folder / "dagster.yaml").read_text()
    assert "data/dagster" not in text.replace(str(tmp_path), "")
    folders = [line.split(":", 1)[1].strip() for line in text.splitlines() if "base_dir" in line]
    assert len(folders) == 5
    assert all(yaml.safe_load(folder).startswith(str(tmp_path)) for folder in folders)


def test_telemetry_is_off() -> None:
    assert yaml.safe_load((CHECKOUT / "dagster.yaml").read_text())["telemetry"] == {"enabled": False}


def test_extractions_leave_run_slots_for_builds(tmp_path: Path) -> None:
    """A run with an unreachable host occupies a slot for minutes while it retries."""
    with open_instance(Settings(data_dir=tmp_path)) as instance:
        queue = instance.get_concurrency_config().run_queue_config
    assert queue is not None
    limits = {one["key"]: one["limit"] for one in queue.tag_concurrency_limits}
    assert 0 < limits[REPOSITORY_TAG] < queue.max_concurrent_runs
    assert 0 < limits[ORGANIZATION_TAG] < queue.max_concurrent_runs
