"""Runs of connections: rows in the lake, operations, health, pauses and refusals. None stops another."""

from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg
import httpx
import pytest
from sqlalchemy import update

from api.control.connections import connections
from api.control.connections.connections import ConnectionChange
from api.control.connections.health import health_history
from api.control.connections.levels import levels
from api.control.list_pages import ListQuery
from api.control.models import Connection
from api.control.principals import OPERATOR
from ingest.errors import RateLimited, Transient
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.reading import syncs
from orchestration.reading.syncs import FIRST_DELAY, MAX_DELAY, MAX_PARKINGS, delay_of
from tests.ingest.providers.github.host_server import pull
from tests.orchestration.connections.places import (
    KEY,
    GitHubPlace,
    LinearPlace,
    add_listed,
    connect,
    found,
    limited,
    operation_record,
    record,
    request_sync,
    rows,
    run,
    tick,
)


def sync(instance: dg.DagsterInstance, deployment: Deployment) -> list[dg.ExecuteInProcessResult]:
    """Run what the sensor requests now."""
    return [run(instance, deployment, one) for one in tick(instance, deployment)]


def checks(result: dg.ExecuteInProcessResult) -> dict[str, bool]:
    return {
        f"{one.asset_key.path[-1]} {one.check_name}": one.passed
        for one in result.get_asset_check_evaluations()
    }


def test_rows_of_a_host_and_a_tracker_reach_the_lake_and_the_status_the_api(
    instance: dg.DagsterInstance, deployment: Deployment, host: GitHubPlace, tracker: LinearPlace
) -> None:
    tracker.workspace.issue(1, project=tracker.workspace.project(1))
    plans = connect(deployment, tracker, "Plans")
    hosted = connect(deployment, host, "Host")
    assert record(deployment, plans).health == "PENDING"
    assert all(one.success for one in sync(instance, deployment))
    assert rows(deployment, plans, "items").keys() == {"i1", "p1"}
    assert rows(deployment, hosted, "repositories")["7"]["name"] == "shop"
    shown = record(deployment, plans)
    assert (shown.health, shown.failure, shown.next_attempt_at) == ("HEALTHY", None, None)
    assert shown.row_counts == {"items": 2}
    assert shown.last_synced_at is not None
    assert (datetime.now(UTC) - shown.last_synced_at).total_seconds() < 60
    # Pull requests of a repository that was added come with the next sync.
    host.server.pulls["shop"] = [pull(1), pull(2)]
    repository = add_listed(deployment, hosted)
    request_sync(deployment, hosted)
    [result] = sync(instance, deployment)
    assert all(checks(result).values()), checks(result)
    pulls = rows(deployment, hosted, "pull_requests")
    assert {key: row["repository_id"] for key, row in pulls.items()} == {
        "7/1": repository,
        "7/2": repository,
    }


def test_a_sync_brings_the_level_table_of_this_release(
    instance: dg.DagsterInstance, deployment: Deployment, tracker: LinearPlace
) -> None:
    tracker.workspace.project(1)
    plans = connect(deployment, tracker, "Plans")
    with deployment.control() as control:
        with control.session() as session:
            session.execute(update(Connection).values(default_levels={"project": "issue"}))
        assert all(one.success for one in sync(instance, deployment))
        table = {one.item_kind: one.level for one in levels(control, LOCAL_ORGANIZATION, plans).kinds}
    assert table["project"] == "sub_objective"


def test_a_sync_answers_its_operation_and_a_resync_reads_everything(
    instance: dg.DagsterInstance, deployment: Deployment, tracker: LinearPlace
) -> None:
    tracker.workspace.issue(1)
    plans = connect(deployment, tracker, "Plans")
    sync(instance, deployment)
    # Gone without a trace: only a full pass or a sweep can notice.
    tracker.workspace.issues.clear()
    tracker.workspace.issue(2)
    light = request_sync(deployment, plans)
    sync(instance, deployment)
    answered = operation_record(deployment, light)
    # A build that has the rows makes it DONE.
    assert (answered.state, answered.error, answered.result) == ("PENDING", None, {"rows": {"items": 1}})
    assert rows(deployment, plans, "items").keys() == {"i1", "i2"}
    request_sync(deployment, plans, is_full=True)
    sync(instance, deployment)
    assert rows(deployment, plans, "items").keys() == {"i2"}


def test_a_refused_token_needs_attention_with_the_reason_and_the_remedy_until_it_is_replaced(
    instance: dg.DagsterInstance, deployment: Deployment, tracker: LinearPlace
) -> None:
    plans = connect(deployment, tracker, "Plans")
    sync(instance, deployment)
    synced_at = record(deployment, plans).last_synced_at
    tracker.authorization = "another key"
    asked = request_sync(deployment, plans)
    [result] = sync(instance, deployment)
    assert not result.success
    shown = record(deployment, plans)
    assert (shown.health, shown.failure_reason) == ("FAILING", "UNAUTHORIZED")
    assert "create a personal API key" in (shown.failure or "")
    assert shown.last_synced_at == synced_at
    failed = operation_record(deployment, asked)
    assert (failed.state, failed.error) == ("FAILED", shown.failure)
    assert tick(instance, deployment) == [], "until somebody changes something"
    with deployment.control() as control:
        change = ConnectionChange(secret="another key")
        connections.change_connection(control, OPERATOR, LOCAL_ORGANIZATION, plans, change)
    assert all(one.success for one in sync(instance, deployment))
    assert record(deployment, plans).health == "HEALTHY"
    with deployment.control() as control:
        history = health_history(control, LOCAL_ORGANIZATION, ListQuery(10), plans).items
    assert [one.health for one in history] == ["HEALTHY", "PENDING", "FAILING", "HEALTHY"]


def test_a_refusal_of_a_host_has_the_words_of_the_check(
    instance: dg.DagsterInstance, deployment: Deployment, host: GitHubPlace
) -> None:
    hosted = connect(deployment, host, "Host", secret="ghp_revoked")
    sync(instance, deployment)
    failure = record(deployment, hosted).failure or ""
    assert "wrong, expired or revoked. Create a new one at" in failure
    assert "ghp_revoked" not in failure


def test_a_limit_parks_the_connection_and_holds_back_no_other(
    instance: dg.DagsterInstance, deployment: Deployment, host: GitHubPlace, tracker: LinearPlace
) -> None:
    host.refuse = lambda _: limited(600)
    tracker.workspace.issue(1)
    hosted, plans = connect(deployment, host, "Host"), connect(deployment, tracker, "Plans")
    asked = request_sync(deployment, hosted)
    began = datetime.now(UTC)
    results = sync(instance, deployment)
    assert (datetime.now(UTC) - began).total_seconds() < 60, "nothing sleeps through a limit"
    assert [one.success for one in results] == [True, True]
    assert rows(deployment, plans, "items").keys() == {"i1"}
    shown = record(deployment, hosted)
    assert (shown.health, shown.failure_reason, shown.last_synced_at) == ("LIMITED", "RATE_LIMITED", None)
    assert shown.next_attempt_at is not None
    # Never earlier than the provider says.
    wait = shown.next_attempt_at - began
    assert timedelta(seconds=600) <= wait <= timedelta(seconds=600 * (1 + syncs.JITTER) + 60)
    told = f"GitHub limits requests; the next try comes with the first run after {shown.next_attempt_at:%H:%M} UTC"
    assert told in (shown.failure or "")
    assert operation_record(deployment, asked).state == "PENDING"
    assert tick(instance, deployment) == []


@pytest.mark.usefixtures("in_this_process")
def test_a_host_that_does_not_answer_counts_as_failing_only_after_several_attempts(
    deployment: Deployment, tracker: LinearPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.http.client.time.sleep", lambda _: None)
    monkeypatch.setattr("ingest.http.client.MIN_BACKOFF_SECONDS", 0.0)
    monkeypatch.setattr("ingest.http.client.random.uniform", lambda *_: 0.0)
    plans = connect(deployment, tracker, "Plans")
    tracker.refuse = lambda _: httpx.Response(503, json={})
    for _ in range(MAX_PARKINGS):
        parked = _sync(deployment, plans)
        assert parked.parked_until is not None
        assert record(deployment, plans).health == "LIMITED"
    with pytest.raises(Transient):
        _sync(deployment, plans)
    shown = record(deployment, plans)
    assert (shown.health, shown.failure_reason, shown.next_attempt_at) == ("FAILING", "UNAVAILABLE", None)
    tracker.refuse = lambda _: None
    assert _sync(deployment, plans).parked_until is None
    assert record(deployment, plans).health == "HEALTHY"


def test_a_part_that_cannot_be_read_is_shown_and_the_pass_does_not_count_as_complete(
    instance: dg.DagsterInstance, deployment: Deployment, host: GitHubPlace
) -> None:
    hosted = connect(deployment, host, "Host")
    sync(instance, deployment)
    add_listed(deployment, hosted)
    del host.server.pulls["shop"]  # the listing has it, its pull requests are refused
    synced_at = record(deployment, hosted).last_synced_at
    asked = request_sync(deployment, hosted)
    [result] = sync(instance, deployment)
    assert result.success
    assert checks(result)["pull_requests is_complete"] is False
    shown = record(deployment, hosted)
    assert (shown.health, shown.failure_reason) == ("DEGRADED", "PARTIAL")
    assert "pull_requests/7" in (shown.failure or "")
    assert shown.last_synced_at == synced_at
    assert operation_record(deployment, asked).state == "FAILED"


@pytest.mark.usefixtures("in_this_process")
def test_a_defect_in_one_connection_stops_no_other(
    instance: dg.DagsterInstance,
    deployment: Deployment,
    host: GitHubPlace,
    tracker: LinearPlace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr("ingest.providers.github.host.GitHub.login", broken)
    hosted, plans = connect(deployment, host, "Host"), connect(deployment, tracker, "Plans")
    sync(instance, deployment)
    assert (record(deployment, hosted).health, record(deployment, hosted).failure_reason) == (
        "FAILING",
        "INTERNAL",
    )
    assert record(deployment, plans).health == "HEALTHY"


def test_a_secret_whose_key_is_lost_is_named(
    instance: dg.DagsterInstance, deployment: Deployment, tracker: LinearPlace
) -> None:
    plans = connect(deployment, tracker, "Plans")
    (deployment.settings.data_dir / "secret.key").unlink()
    [result] = sync(instance, deployment)
    assert not result.success
    shown = record(deployment, plans)
    assert (shown.health, shown.failure_reason) == ("FAILING", "UNREADABLE")
    assert "'Plans' cannot be used" in (shown.failure or "")
    assert tracker.asked == []


def test_no_log_or_record_of_a_run_has_the_token(
    instance: dg.DagsterInstance,
    deployment: Deployment,
    tracker: LinearPlace,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Also where the provider repeats it in its answer."""
    connect(deployment, tracker, "Plans")
    tracker.refuse = lambda _: httpx.Response(403, json={"message": f"the key {KEY} may not"})
    sync(instance, deployment)
    told = capfd.readouterr()
    assert KEY not in told.out + told.err
    for file in deployment.settings.data_dir.rglob("*"):
        if file.is_file():
            assert KEY.encode() not in file.read_bytes(), file


@pytest.mark.parametrize("parkings", [1, 2, 5, 30])
def test_delays_double_within_bounds_and_obey_the_provider(parkings: int) -> None:
    delays = {delay_of(Transient("down"), parkings) for _ in range(20)}
    expected = min(FIRST_DELAY * 2 ** (parkings - 1), MAX_DELAY)
    assert all(expected * (1 - syncs.JITTER) <= one <= expected * (1 + syncs.JITTER) for one in delays)
    assert len(delays) > 1, "connections of one host return at different moments"
    assert delay_of(RateLimited("limited", 90.0), parkings) >= timedelta(seconds=90)


def _sync(deployment: Deployment, connection_id: str) -> syncs.Synced:
    from orchestration.runtime.progress import Progress

    return syncs.sync(deployment, found(deployment, connection_id), Progress())
