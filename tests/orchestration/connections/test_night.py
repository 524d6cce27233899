"""The nightly run reads connections before repositories. One that fails or is paused stops nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg
import httpx
import pytest

from api.control.connections import sync_status
from ingest import connection_reading
from ingest.git.identifiers import repository_id
from ingest.git.remote.url import normalize
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.graph import nightly_reading
from orchestration.graph.assembly import build_defs
from orchestration.graph.checks import CONNECTIONS_ARE_FRESH
from orchestration.graph.nightly_reading import NIGHT_TAG
from orchestration.graph.schedules import nightly
from orchestration.runtime.in_process_runs import READ_ORGANIZATION
from orchestration.runtime.partitions import ORGANIZATIONS, key, register
from orchestration.state import fingerprints
from tests.git_repository import GitRepository
from tests.ingest.providers.github.host_server import at, commit, merge, pull
from tests.orchestration.connections.places import (
    GitHubPlace,
    LinearPlace,
    add_listed,
    connect,
    record,
    rows,
    run,
    squashed,
    tick,
)

Night = Callable[..., dict[str, Any]]


@pytest.fixture
def night(deployment: Deployment, instance: dg.DagsterInstance) -> Night:
    """Run one night; what it says of itself."""
    job = build_defs(deployment=deployment).resolve_job_def(READ_ORGANIZATION)
    partition = key(LOCAL_SLUG, LOCAL_ORGANIZATION)
    register(instance, ORGANIZATIONS, partition)

    def work(**tags: str) -> dict[str, Any]:
        result = job.execute_in_process(partition_key=partition, instance=instance, tags=tags)
        [event] = [event for event in result.all_events if event.is_successful_output]
        return {name: value.value for name, value in event.step_output_data.metadata.items()}

    return work


def test_a_night_reads_connections_first_so_that_clones_have_the_commits_of_pull_requests(
    night: Night,
    instance: dg.DagsterInstance,
    deployment: Deployment,
    host: GitHubPlace,
    tracker: LinearPlace,
    shop: GitRepository,
) -> None:
    hosted = connect(deployment, host, "Host")
    run(instance, deployment, tick(instance, deployment)[0])
    added = add_listed(deployment, hosted)
    source, delivered = squashed(shop, 3)
    merged: dict[str, Any] = {
        "state": "MERGED",
        "mergedAt": at(4),
        "closedAt": at(4),
        "mergeCommit": merge(delivered, 4, 1),
    }
    host.server.pulls["shop"] = [pull(3, headRefOid=source, commits=[commit(source, 3)], **merged)]
    # Refused, and no reason to leave out anything else.
    connect(deployment, tracker, "Plans", secret="lin_api_wrong")
    time.sleep(1.1)  # times of runs are kept in seconds, and this one was before the night
    begun = fingerprints.now().replace(microsecond=0)
    told = night(**{NIGHT_TAG: begun.isoformat()})
    assert (told["connections"], told["repositories"], told["failed"]) == (2, 1, 1)
    [(name, reason)] = told["failures"].items()
    assert name.startswith("Plans ")
    assert "create a personal API key" in reason
    assert rows(deployment, hosted, "pull_requests").keys() == {"7/3"}
    stored = deployment.lake.source("git", LOCAL_ORGANIZATION, added)
    assert source in stored.read("commits")["commit_sha"].to_pylist()
    # A run that continues a killed night does not ask again.
    asked = len(host.asked) + len(tracker.asked)
    again = night(**{NIGHT_TAG: begun.isoformat()})
    assert (again["connections"], again["repositories"]) == (0, 0)
    assert len(host.asked) + len(tracker.asked) == asked


def test_the_first_night_of_a_connection_completes_a_repository_of_the_command_line(
    night: Night, deployment: Deployment, host: GitHubPlace, shop: GitRepository
) -> None:
    """Neither the connection nor the repository was ever read: one night does what two would."""
    source, delivered = squashed(shop, 3)
    host.server.pulls["shop"] = [
        pull(
            3,
            state="MERGED",
            mergedAt=at(4),
            closedAt=at(4),
            headRefOid=source,
            mergeCommit=merge(delivered, 4, 1),
            commits=[commit(source, 3)],
        )
    ]
    origin = normalize(host.remote.url("acme/shop.git"))
    identifier = repository_id(LOCAL_ORGANIZATION, origin)
    with deployment.control() as control:
        control.upsert_repository(LOCAL_ORGANIZATION, identifier, name="shop", origin=origin)
    connect(deployment, host, "Host")
    stored = deployment.lake.source("git", LOCAL_ORGANIZATION, identifier)
    assert night()["failed"] == 0
    assert source in stored.read("commits")["commit_sha"].to_pylist()
    batch = stored.state().batch
    assert night()["failed"] == 0
    assert stored.state().batch == batch, "the second night finds nothing to add"


def test_a_night_leaves_out_a_connection_that_its_provider_has_paused(
    night: Night, deployment: Deployment, tracker: LinearPlace
) -> None:
    plans = connect(deployment, tracker, "Plans")
    until = datetime.now(UTC) + timedelta(hours=1)
    with deployment.control() as control:
        sync_status.note_parked(control, LOCAL_ORGANIZATION, plans, until=until, message="limited")
    assert night()["connections"] == 0
    assert tracker.asked == []


def test_an_organization_with_a_connection_alone_has_nights(
    instance: dg.DagsterInstance, deployment: Deployment, tracker: LinearPlace
) -> None:
    def requests() -> list[str | None]:
        with dg.build_schedule_context(
            instance=instance,
            scheduled_execution_time=fingerprints.now(),
            repository_def=build_defs(deployment=deployment).get_repository_def(),
            resources={"deployment": deployment},
        ) as context:
            return [one.partition_key for one in nightly.evaluate_tick(context).run_requests or []]

    assert requests() == []
    connect(deployment, tracker, "Plans")
    assert requests() == [key(LOCAL_SLUG, LOCAL_ORGANIZATION)]


def test_the_morning_names_connections_that_no_night_could_read(
    instance: dg.DagsterInstance, deployment: Deployment, host: GitHubPlace, tracker: LinearPlace
) -> None:
    connect(deployment, host, "Host")
    plans = connect(deployment, tracker, "Plans")
    tracker.refuse = lambda _: httpx.Response(401, json={"errors": []})
    for one in tick(instance, deployment):
        run(instance, deployment, one)
    assert record(deployment, plans).health == "FAILING"

    def stale(check: dg.AssetChecksDefinition) -> dict[str, str]:
        found = check(deployment)
        assert isinstance(found, dg.AssetCheckResult)
        value = found.metadata["stale"].value
        assert found.passed == (not value)
        assert isinstance(value, dict)
        return value

    assert stale(CONNECTIONS_ARE_FRESH["hosts"]) == {}
    [(name, reason)] = stale(CONNECTIONS_ARE_FRESH["trackers"]).items()
    assert (name, "create a personal API key" in reason) == (f"Plans {plans}", True)


def test_connections_are_read_side_by_side_so_that_a_slow_one_delays_no_other(
    night: Night, deployment: Deployment, host: GitHubPlace, tracker: LinearPlace
) -> None:
    both = threading.Barrier(2)

    def meet(_: httpx.Request) -> httpx.Response | None:
        if not met.is_set():
            both.wait(60)
            met.set()
        return None

    met = threading.Event()
    host.refuse = tracker.refuse = meet
    tracker.workspace.issue(1)
    hosted, plans = connect(deployment, host, "Host"), connect(deployment, tracker, "Plans")
    assert night()["failed"] == 0
    assert rows(deployment, hosted, "repositories").keys() == {"7"}
    assert rows(deployment, plans, "items").keys() == {"i1"}


def test_a_connection_that_would_take_the_machine_ends_at_its_limit_and_the_others_go_on(
    night: Night,
    deployment: Deployment,
    host: GitHubPlace,
    tracker: LinearPlace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Seven million empty objects take 21 megabytes of an answer and 500 of memory."""
    monkeypatch.setattr(connection_reading, "MAX_MEMORY_MB", 300)
    many = b"[" + b"{}," * 7_000_000 + b"{}]"
    tracker.refuse = lambda _: httpx.Response(200, content=many, headers={"content-type": "application/json"})
    hosted, plans = connect(deployment, host, "Host"), connect(deployment, tracker, "Plans")
    [(name, reason)] = night()["failures"].items()
    assert name.startswith("Plans ")
    assert "more than 300 MB" in reason
    assert record(deployment, plans).health == "FAILING"
    assert rows(deployment, hosted, "repositories").keys() == {"7"}


def test_repositories_do_not_wait_for_a_connection_without_end(
    night: Night,
    instance: dg.DagsterInstance,
    deployment: Deployment,
    host: GitHubPlace,
    tracker: LinearPlace,
    shop: GitRepository,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(nightly_reading, "CONNECTIONS_FIRST_SECONDS", 0.1)
    origin = normalize(host.remote.url("acme/shop.git"))
    identifier = repository_id(LOCAL_ORGANIZATION, origin)
    stored = deployment.lake.source("git", LOCAL_ORGANIZATION, identifier)

    def wait(_: httpx.Request) -> httpx.Response | None:
        until = time.monotonic() + 60
        while not stored.state().batch and time.monotonic() < until:
            time.sleep(0.2)
        return None

    connect(deployment, host, "Host")
    run(instance, deployment, tick(instance, deployment)[0])
    tracker.refuse = wait
    tracker.workspace.issue(1)
    with deployment.control() as control:
        control.upsert_repository(LOCAL_ORGANIZATION, identifier, name="shop", origin=origin)
    plans = connect(deployment, tracker, "Plans")
    assert night()["failures"] == {}
    assert rows(deployment, plans, "items").keys() == {"i1"}
    assert stored.state().batch
