"""Dagster's own queue, with the limits of dagster.yaml: which of the waiting runs its daemon starts."""

from __future__ import annotations

import dagster as dg
from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteJobOrigin, RemoteRepositoryOrigin
from dagster._daemon.run_coordinator.queued_run_coordinator_daemon import QueuedRunCoordinatorDaemon

from orchestration.runtime.partitions import CONNECTION_TAG, COPY_TAG, ORGANIZATION_TAG, REPOSITORY_TAG


@dg.op
def rest() -> None:
    pass


@dg.job
def waiting() -> None:
    rest()


def queue(instance: dg.DagsterInstance, tag: str, value: str, status: dg.DagsterRunStatus) -> str:
    place = RemoteRepositoryOrigin(RegisteredCodeLocationOrigin("any"), "any")
    return instance.create_run_for_job(
        waiting, tags={tag: value}, status=status, remote_job_origin=RemoteJobOrigin(place, "waiting")
    ).run_id


def started(instance: dg.DagsterInstance) -> list[tuple[str, str]]:
    """The tags of the runs that the daemon would start now, sorted."""
    daemon = QueuedRunCoordinatorDaemon(interval_seconds=1)
    found = daemon._get_runs_to_dequeue(instance, instance.get_concurrency_config(), None)
    ours = (CONNECTION_TAG, COPY_TAG, ORGANIZATION_TAG, REPOSITORY_TAG)
    return sorted((tag, value) for run in found for tag, value in run.tags.items() if tag in ours)


def test_a_connection_has_one_run_at_a_time_and_all_connections_two(instance: dg.DagsterInstance) -> None:
    queued, running = dg.DagsterRunStatus.QUEUED, dg.DagsterRunStatus.STARTED
    for connection in ("a", "a", "a", "b", "b", "c"):
        queue(instance, CONNECTION_TAG, connection, queued)
    assert started(instance) == [(CONNECTION_TAG, "a"), (CONNECTION_TAG, "b")]
    # One that runs already keeps its place, and its other runs wait for it.
    first = queue(instance, CONNECTION_TAG, "a", running)
    assert started(instance) == [(CONNECTION_TAG, "b")]
    queue(instance, CONNECTION_TAG, "c", running)
    assert started(instance) == []
    run = instance.get_run_by_id(first)
    assert run is not None
    instance.report_run_failed(run, "the process is gone")
    assert started(instance) == [(CONNECTION_TAG, "a")]


def test_connections_that_wait_keep_no_repository_and_no_build_waiting(instance: dg.DagsterInstance) -> None:
    for number in range(20):
        queue(instance, CONNECTION_TAG, f"c{number}", dg.DagsterRunStatus.QUEUED)
    for tag in (REPOSITORY_TAG, ORGANIZATION_TAG):
        queue(instance, tag, "later", dg.DagsterRunStatus.QUEUED)
    found = started(instance)
    assert [one for one in found if one[0] != CONNECTION_TAG] == [
        (ORGANIZATION_TAG, "later"),
        (REPOSITORY_TAG, "later"),
    ]
    assert len(found) == 4


def test_copies_to_a_slow_store_keep_no_build_waiting(instance: dg.DagsterInstance) -> None:
    for number in range(20):
        queue(instance, COPY_TAG, f"o{number}", dg.DagsterRunStatus.QUEUED)
    queue(instance, ORGANIZATION_TAG, "o0", dg.DagsterRunStatus.QUEUED)
    assert started(instance) == [(COPY_TAG, "o0"), (ORGANIZATION_TAG, "o0")]
