"""One list of what is lost or damaged, with the repositories' names."""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from api.control.repositories import removals, sync_status
from ingest.errors import LakeCorrupt
from ingest.git.repository_source import RepositorySource
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.runtime.run_state import BuildEntry
from orchestration.state import build_conditions, conditions, snapshot_files
from orchestration.state.condition import Kind
from tests.git_repository import GitRepository
from tests.ingest.lake.rows import problems, visible
from tests.orchestration.published_stub import publish_stub

NOW = "2026-11-20T06:00:00Z"


@pytest.fixture
def source(
    deployment: Deployment, add: Callable[[GitRepository], RepositorySource], repository: GitRepository
) -> RepositorySource:
    """A repository that was read, with facts in the lake and a published build."""
    repository.commit({"a": "1"})
    source = add(repository)
    stored = deployment.lake.source("git", LOCAL_ORGANIZATION, source.repository_id)
    stored.commit(problems("p"), {}, {"seen": "x"})
    with deployment.control() as control:
        sync_status.note_success(control, LOCAL_ORGANIZATION, source.repository_id, 1)
    publish_stub(deployment, "b")
    warehouse = deployment.settings.warehouse_file(LOCAL_ORGANIZATION)
    entry = BuildEntry({}, "b", NOW, 1.0, snapshot_files.written(warehouse))
    deployment.run_state.record(LOCAL_ORGANIZATION, entry)
    return source


def kinds(deployment: Deployment, *, thorough: bool = True) -> list[Kind]:
    found = [
        *conditions.damaged_facts(deployment, LOCAL_ORGANIZATION, thorough=thorough),
        *conditions.damaged_connections(deployment, LOCAL_ORGANIZATION, thorough=thorough),
        *build_conditions.of_build(deployment, LOCAL_ORGANIZATION, thorough=thorough),
    ]
    return [one.kind for one in found]


@pytest.mark.usefixtures("source")
def test_a_whole_deployment_has_no_condition(deployment: Deployment) -> None:
    assert kinds(deployment) == []


def test_a_fresh_deployment_has_no_condition(deployment: Deployment) -> None:
    assert kinds(deployment) == []


def test_damaged_facts_name_the_repository_and_block_builds(
    deployment: Deployment, source: RepositorySource
) -> None:
    visible(deployment.lake.root, "problems")[0].unlink()
    [found] = conditions.damaged_facts(deployment, LOCAL_ORGANIZATION)
    assert (found.repository_id, found.blocks_build) == (source.repository_id, True)
    assert source.name in found.subject
    for part in ("is missing", "from the start", "`eas analyze`", f"`eas remove {source.name}`"):
        assert part in str(found)
    with (
        pytest.raises(LakeCorrupt, match=source.name),
        conditions.reading_lake(deployment, LOCAL_ORGANIZATION),
    ):
        pytest.fail("the build would read damaged facts")


@pytest.mark.parametrize("what", ["state", "lake"])
def test_lost_facts_of_a_repository_that_was_read_block_builds(
    deployment: Deployment, source: RepositorySource, what: str
) -> None:
    stored = deployment.lake.source("git", LOCAL_ORGANIZATION, source.repository_id)
    if what == "lake":
        stored.clear()
    else:
        (
            Path(deployment.lake.root) / "_state/git" / LOCAL_ORGANIZATION / f"{source.repository_id}.json"
        ).unlink()
    [found] = conditions.damaged_facts(deployment, LOCAL_ORGANIZATION, thorough=False)
    assert (found.repository_id, found.blocks_build) == (source.repository_id, True)


def test_a_copied_state_file_stops_nothing(deployment: Deployment, source: RepositorySource) -> None:
    folder = Path(deployment.lake.root) / "_state/git" / LOCAL_ORGANIZATION
    copy = folder / f"000123-{source.repository_id}.json"
    copy.write_bytes((folder / f"{source.repository_id}.json").read_bytes())
    assert kinds(deployment) == []
    with conditions.reading_lake(deployment, LOCAL_ORGANIZATION):
        assert not copy.exists()


def test_facts_of_a_removed_repository_are_no_condition(
    deployment: Deployment, source: RepositorySource
) -> None:
    visible(deployment.lake.root, "problems")[0].unlink()
    with deployment.control() as control:
        removals.remove(control, LOCAL_ORGANIZATION, source.repository_id)
    assert list(conditions.damaged_facts(deployment, LOCAL_ORGANIZATION)) == []


def test_the_list_holds_locks_foreign_files_and_the_control_database(deployment: Deployment) -> None:
    assert list(conditions.of_deployment(deployment)) == []
    data_dir = deployment.settings.data_dir
    (data_dir / "published").mkdir()
    (data_dir / "published" / LOCAL_ORGANIZATION).mkdir()
    os.mkfifo(data_dir / "published" / LOCAL_ORGANIZATION / ".publishing")
    (Path(deployment.lake.root) / "_state").mkdir(parents=True)
    (Path(deployment.lake.root) / "_state" / "notes.txt").write_text("mine")
    found = list(conditions.of_deployment(deployment))
    assert [one.kind for one in found] == [Kind.LOCK, Kind.FOREIGN]
    assert all("`eas analyze`" in one.remedy for one in found)


def test_a_damaged_control_database_is_a_condition(deployment: Deployment) -> None:
    file = deployment.settings.data_dir / "control.db"
    file.write_bytes(file.read_bytes()[:5000])
    [found] = conditions.of_deployment(deployment)
    assert found.kind == Kind.CONTROL_DATABASE
    assert "eas doctor --fix" in found.remedy
    assert "Restore a backup" not in found.detail


def test_facts_of_an_earlier_run_block_builds(deployment: Deployment, source: RepositorySource) -> None:
    stored = deployment.lake.source("git", LOCAL_ORGANIZATION, source.repository_id)
    lake = Path(deployment.lake.root)
    shutil.copytree(lake, lake.with_name("earlier"))
    state = stored.commit(problems("q"), {}, {"seen": "y"})
    entry = deployment.run_state.repository(LOCAL_ORGANIZATION, source.repository_id)
    assert entry is not None
    entry = replace(entry, batch=state.batch, facts=state.digest())
    deployment.run_state.record(LOCAL_ORGANIZATION, entry)
    assert kinds(deployment, thorough=False) == []
    # A run that was killed before its record leaves newer facts.
    stored.commit(problems("r"), {}, {"seen": "z"})
    assert kinds(deployment, thorough=False) == []
    shutil.rmtree(lake)
    shutil.move(lake.with_name("earlier"), lake)
    [found] = conditions.damaged_facts(deployment, LOCAL_ORGANIZATION, thorough=False)
    assert (found.repository_id, found.blocks_build) == (source.repository_id, True)
    assert "earlier run" in str(found)
    stored.clear()
    [found] = conditions.damaged_facts(deployment, LOCAL_ORGANIZATION, thorough=False)
    assert (found.repository_id, found.blocks_build) == (source.repository_id, True)


@pytest.mark.usefixtures("source")
@pytest.mark.parametrize("name", ["warehouse", "raw", "run_state"])
def test_a_file_in_the_place_of_a_folder_is_listed_without_an_error(
    deployment: Deployment, name: str
) -> None:
    folder = deployment.settings.data_dir / name
    shutil.rmtree(folder)
    folder.write_text("no folder")
    [found] = conditions.of_deployment(deployment)
    assert name in found.detail
    expected = {"warehouse": [Kind.WAREHOUSE], "raw": [Kind.LAKE], "run_state": []}
    assert kinds(deployment) == expected[name]
