"""The sensor requests runs of connections: one for all causes, again after a kill, and none during a pause."""

from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest

from api.control.connections import sync_status
from api.control.store import open_store
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.graph import connection_sensors
from orchestration.graph.run_requests import MAX_RUNS
from orchestration.reading import syncs
from orchestration.runtime.in_process_runs import FULL_TAG
from orchestration.runtime.partitions import identifier
from tests.orchestration.connections.places import (
    GitHubPlace,
    LinearPlace,
    connect,
    found,
    operation_record,
    record,
    request_sync,
    run,
    tick,
)


def test_each_new_connection_gets_one_run_of_its_job(
    instance: dg.DagsterInstance, deployment: Deployment, host: GitHubPlace, tracker: LinearPlace
) -> None:
    ids = {
        connect(deployment, host, "Host"): "sync_host",
        connect(deployment, tracker, "Plans"): "sync_tracker",
    }
    # A second request before the run starts is answered by the same run.
    request_sync(deployment, next(iter(ids)))
    requests = tick(instance, deployment)
    assert {identifier(one.partition_key or ""): one.job_name for one in requests} == ids
    assert [one.run_key for one in tick(instance, deployment)] == [one.run_key for one in requests]
    assert all(run(instance, deployment, one).success for one in requests)
    assert tick(instance, deployment) == []


def test_only_a_resync_asks_for_everything(
    instance: dg.DagsterInstance, deployment: Deployment, tracker: LinearPlace
) -> None:
    connection = connect(deployment, tracker, "Plans")
    run(instance, deployment, tick(instance, deployment)[0])
    request_sync(deployment, connection)
    [light] = tick(instance, deployment)
    assert FULL_TAG not in light.tags
    request_sync(deployment, connection, is_full=True)
    [full] = tick(instance, deployment)
    assert full.tags[FULL_TAG] == "yes"


def test_a_run_that_is_killed_is_requested_again_a_few_times(
    instance: dg.DagsterInstance, deployment: Deployment, tracker: LinearPlace
) -> None:
    connection = connect(deployment, tracker, "Plans")
    asked = request_sync(deployment, connection)
    keys = set()
    for _ in range(MAX_RUNS):
        [request] = tick(instance, deployment)
        keys.add(request.run_key)
        started = instance.create_run_for_job(
            _job(), tags=dict(request.tags), status=dg.DagsterRunStatus.STARTED
        )
        assert tick(instance, deployment) == [], "while it runs"
        instance.report_run_failed(started)
        assert operation_record(deployment, asked).state == "PENDING"
    assert len(keys) == MAX_RUNS
    assert tick(instance, deployment) == []
    failed = operation_record(deployment, asked)
    assert failed.state == "FAILED"
    assert "ended before they had read" in (failed.error or "")
    assert record(deployment, connection).health == "FAILING"
    # A new request is tried again.
    request_sync(deployment, connection)
    assert len(tick(instance, deployment)) == 1


def test_nothing_starts_while_another_process_reads_the_connection(
    instance: dg.DagsterInstance, deployment: Deployment, tracker: LinearPlace
) -> None:
    connection = connect(deployment, tracker, "Plans")
    with syncs.source_of(deployment, found(deployment, connection)).extracting():
        assert tick(instance, deployment) == []
    assert len(tick(instance, deployment)) == 1


def test_a_pause_ends_with_a_run_and_holds_back_requests_of_people(
    instance: dg.DagsterInstance,
    deployment: Deployment,
    tracker: LinearPlace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connection = connect(deployment, tracker, "Plans")
    run(instance, deployment, tick(instance, deployment)[0])
    until = datetime.now(UTC) + timedelta(minutes=10)
    with deployment.control() as control:
        sync_status.note_parked(control, LOCAL_ORGANIZATION, connection, until=until, message="limited")
    request_sync(deployment, connection)
    assert tick(instance, deployment) == []
    _shift_clock(monkeypatch, minutes=11)
    assert len(tick(instance, deployment)) == 1


def test_two_connections_with_the_same_pause_get_a_run_each(
    instance: dg.DagsterInstance,
    deployment: Deployment,
    host: GitHubPlace,
    tracker: LinearPlace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Dagster starts no second run with the same key."""
    ids = {connect(deployment, host, "Host"), connect(deployment, tracker, "Plans")}
    for request in tick(instance, deployment):
        run(instance, deployment, request)
    until = datetime.now(UTC) + timedelta(minutes=10)
    with deployment.control() as control:
        for one in ids:
            sync_status.note_parked(control, LOCAL_ORGANIZATION, one, until=until, message="limited")
    _shift_clock(monkeypatch, minutes=11)
    requests = tick(instance, deployment)
    assert {identifier(one.partition_key or "") for one in requests} == ids
    assert len({one.run_key for one in requests}) == 2


def test_facts_that_are_lost_are_read_again(
    instance: dg.DagsterInstance, deployment: Deployment, tracker: LinearPlace
) -> None:
    tracker.workspace.issue(1)
    connection = connect(deployment, tracker, "Plans")
    run(instance, deployment, tick(instance, deployment)[0])
    source = syncs.source_of(deployment, found(deployment, connection))
    source.clear()
    [request] = tick(instance, deployment)
    assert run(instance, deployment, request).success
    assert source.read("items")["provider_id"].to_pylist() == ["i1"]
    assert tick(instance, deployment) == []


def _shift_clock(monkeypatch: pytest.MonkeyPatch, *, minutes: int) -> None:
    """Let the sensor and the control database take a later time for now."""
    shifted = datetime.now(UTC) + timedelta(minutes=minutes)
    monkeypatch.setattr(connection_sensors, "now", lambda: shifted)
    monkeypatch.setattr(
        "orchestration.deployment.open_store", lambda folder: open_store(folder, now=lambda: shifted)
    )


def _job() -> dg.JobDefinition:
    @dg.job(name="sync_tracker")
    def job() -> None: ...

    return job
