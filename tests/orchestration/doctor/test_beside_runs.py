"""`eas doctor` while other processes build or read: running work is no fault, and killed work is named."""

from collections.abc import Callable

from ingest.git.repository_source import RepositorySource
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.runtime.run_state import BuildEntry
from orchestration.state import build_lock, snapshot_files
from tests.git_repository import GitRepository
from tests.ingest.lake.rows import problems, visible
from tests.orchestration.doctor.test_examination import NOW, verdict
from tests.orchestration.published_stub import publish_stub


def test_a_running_build_is_a_note_and_no_failure(deployment: Deployment) -> None:
    publish_stub(deployment, "b")
    size, digest = snapshot_files.written(deployment.settings.warehouse_file(LOCAL_ORGANIZATION)) or [0, ""]
    entry = BuildEntry({}, "b", NOW, 1.0, [size, digest])
    deployment.run_state.record(LOCAL_ORGANIZATION, entry)
    assert verdict(deployment)[0]
    # A build writes the warehouse, then moves the pointer, and records that at its end.
    with build_lock.held(deployment, LOCAL_ORGANIZATION):
        deployment.settings.warehouse_file(LOCAL_ORGANIZATION).write_bytes(b"half")
        fine, report = verdict(deployment)
        assert fine, report
        assert (
            "     Build of local: a build is running; snapshot and warehouse are checked once it ends"
            in report
        )
        assert "State of local: facts are as they were written" in report
    # The build was killed.
    fine, report = verdict(deployment)
    assert not fine
    assert "FAIL Warehouse (local): " in report
    assert "Build of local" not in report
    assert "failed, or was stopped before its end: the next build makes it again" in report


def test_facts_that_a_running_reading_replaces_are_no_failure(
    deployment: Deployment, add: Callable[[GitRepository], RepositorySource], repository: GitRepository
) -> None:
    repository.commit({"a": "1"})
    source = add(repository)
    lake_source = deployment.lake.source("git", LOCAL_ORGANIZATION, source.repository_id)
    lake_source.commit(problems("p"), {}, {"seen": "x"})
    visible(deployment.lake.root, "problems")[0].unlink()
    with lake_source.extracting():
        assert "FAIL Facts" not in verdict(deployment)[1]
    assert "FAIL Facts of " in verdict(deployment)[1]
