"""The instance of Dagster that puts runs into a queue. tests/end_to_end/workers has a real one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dagster as dg
import pytest
import yaml
from dagster._utils.tags import TagConcurrencyLimitsCounter

from ingest.settings import CHECKOUT, Settings
from orchestration.graph.run_requests import Wanted, request
from orchestration.runtime import executor, partitions
from orchestration.runtime.instance import home
from orchestration.workers import run_queue

QUEUE = "redis://user:very-secret@queue.example:6379/1"
RECORDS = "postgresql+psycopg2://eas:very-secret@records.example/dagster"


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """Dagster's configuration with variables of the environment, as the folder of the instance has it."""
    monkeypatch.setattr("api.operator.machines.util.find_spec", lambda _: object())

    def read(**variables: str) -> dict[str, Any]:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        text = (home(Settings(data_dir=tmp_path)) / "dagster.yaml").read_text()
        assert "very-secret" not in text
        found: dict[str, Any] = yaml.safe_load(text)
        return found

    return read


def test_the_queue_takes_the_place_of_processes_of_the_server(
    configured: Callable[..., dict[str, Any]],
) -> None:
    before = configured()
    after = configured(EAS_RUN_QUEUE=QUEUE)
    assert after["run_launcher"]["config"] == {
        "broker": {"env": "EAS_RUN_QUEUE"},
        "backend": {"env": "EAS_RUN_QUEUE"},
    }
    assert after["run_monitoring"]["start_timeout_seconds"] == 86_400
    changed = {"run_launcher", "run_monitoring", "concurrency"}
    assert {name: value for name, value in after.items() if name not in changed} == {
        name: value for name, value in before.items() if name not in changed
    }


def test_the_records_are_in_postgresql(configured: Callable[..., dict[str, Any]]) -> None:
    before = configured()
    after = configured(EAS_DAGSTER_DATABASE_URL=RECORDS)
    storages = {"run_storage", "event_log_storage", "schedule_storage"}
    assert after.pop("storage") == {"postgres": {"postgres_url": {"env": "EAS_DAGSTER_DATABASE_URL"}}}
    assert after == {name: value for name, value in before.items() if name not in storages}


def test_the_default_data_directory_gets_a_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.operator.machines.util.find_spec", lambda _: object())
    monkeypatch.setattr("orchestration.runtime.instance.CHECKOUT", tmp_path)
    (tmp_path / "dagster.yaml").write_text((CHECKOUT / "dagster.yaml").read_text())
    settings = Settings(data_dir=tmp_path / "data")
    assert home(settings) == tmp_path
    monkeypatch.setenv("EAS_RUN_QUEUE", QUEUE)
    assert home(settings) == settings.dagster_dir


def takes(places: int, running: list[dg.DagsterRun], run: dg.DagsterRun, *, has_copies: bool = False) -> bool:
    """Whether Dagster starts a run beside others."""
    counter = TagConcurrencyLimitsCounter(run_queue.limits(places, has_copies=has_copies), running)
    return len(running) < places and not counter.is_blocked(run)


def run_with(tag: str, organization: str) -> dg.DagsterRun:
    return dg.DagsterRun(job_name="any", tags={tag: organization})


def copy_of(organization: str) -> dg.DagsterRun:
    return dg.DagsterRun(job_name="any", tags={partitions.COPY_TAG: organization})


@pytest.mark.parametrize(("places", "of_organization"), [(2, 1), (3, 2), (8, 4)])
def test_one_organization_and_reading_leave_places_to_others(places: int, of_organization: int) -> None:
    running: list[dg.DagsterRun] = []
    while takes(places, running, run := run_with(run_queue.READER_TAG, "first")):
        running.append(run)
    assert len(running) == of_organization
    # Its own build need not wait for its reading.
    assert takes(places, running, run_with(run_queue.OWNER_TAG, "first"))
    for number in range(places):
        if takes(places, running, run := run_with(run_queue.READER_TAG, f"other {number}")):
            running.append(run)
    assert len(running) == places - 1
    assert takes(places, running, run_with(run_queue.OWNER_TAG, "last"))


@pytest.mark.parametrize("places", [3, 4, 8])
@pytest.mark.parametrize("is_copy_first", [True, False])
def test_copies_reading_and_builds_have_a_place_each(places: int, is_copy_first: bool) -> None:
    """Stores and hosts may not answer, and a copy deletes what an erased person left."""
    running = [copy_of("first")] if is_copy_first else []
    assert takes(places, running, copy_of("second"), has_copies=True) is not is_copy_first
    for number in range(places):
        read = run_with(run_queue.READER_TAG, f"other {number}")
        if takes(places, running, read, has_copies=True):
            running.append(read)
    if not is_copy_first:
        assert takes(places, running, copy_of("first"), has_copies=True)
        running.append(copy_of("first"))
    assert len(running) == places - 1
    assert takes(places, running, run_with(run_queue.OWNER_TAG, "last"), has_copies=True)


def test_the_place_for_copies_is_kept_only_where_builds_are_copied(
    configured: Callable[..., dict[str, Any]],
) -> None:
    def most_reading(**variables: str) -> list[int]:
        limits = configured(**variables)["concurrency"]["runs"]["tag_concurrency_limits"]
        return [one["limit"] for one in limits if one["key"] == run_queue.READER_TAG and "value" not in one]

    assert most_reading(EAS_RUN_QUEUE=QUEUE, EAS_RUN_SLOTS="3") == [2]
    assert most_reading(EAS_PUBLISHED_COPY="s3://bucket/published") == [1]


def test_a_copy_takes_no_place_of_its_organization() -> None:
    running = [copy_of("first"), run_with(run_queue.READER_TAG, "first")]
    assert takes(4, running, run_with(run_queue.READER_TAG, "first"), has_copies=True)


@pytest.mark.parametrize(
    ("subject", "tags"),
    [
        (partitions.ORGANIZATION_TAG, {run_queue.OWNER_TAG: "owner"}),
        (partitions.REPOSITORY_TAG, {run_queue.READER_TAG: "owner"}),
        (partitions.CONNECTION_TAG, {run_queue.READER_TAG: "owner"}),
        (partitions.COPY_TAG, {}),
    ],
)
def test_a_request_says_whether_it_builds_or_reads(subject: str, tags: dict[str, str]) -> None:
    wanted = Wanted(partitions.ORGANIZATIONS, "one", "1", subject, ("eas/cause", "a"), "owner")
    with dg.DagsterInstance.ephemeral() as instance:
        found = request(instance, wanted, 0).tags
    known = {run_queue.OWNER_TAG, run_queue.READER_TAG}
    assert {name: value for name, value in found.items() if name in known} == tags


@pytest.mark.parametrize("is_waiting", [True, False])
def test_a_run_that_waits_for_a_worker_is_not_lost(monkeypatch: pytest.MonkeyPatch, is_waiting: bool) -> None:
    later = datetime.now(UTC) + timedelta(hours=5)
    monkeypatch.setattr(executor, "datetime", SimpleNamespace(now=lambda _: later))
    with dg.DagsterInstance.ephemeral() as instance:
        run = instance.create_run_for_job(waiting_job, status=dg.DagsterRunStatus.STARTING)
        launcher = SimpleNamespace(is_waiting=lambda one: is_waiting and one.run_id == run.run_id)
        monkeypatch.setattr(type(instance), "run_launcher", launcher)
        assert executor.fail_lost_runs(instance) == ([] if is_waiting else [run.run_id])


@pytest.mark.parametrize("status", [dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING])
def test_a_run_that_has_begun_is_lost_although_the_queue_has_forgotten_it(
    monkeypatch: pytest.MonkeyPatch, status: dg.DagsterRunStatus
) -> None:
    later = datetime.now(UTC) + timedelta(hours=5)
    monkeypatch.setattr(executor, "datetime", SimpleNamespace(now=lambda _: later))
    with dg.DagsterInstance.ephemeral() as instance:
        run = instance.create_run_for_job(waiting_job, status=dg.DagsterRunStatus.STARTING)
        instance.report_dagster_event(
            dg.DagsterEvent(dg.DagsterEventType.RUN_START.value, run.job_name), run.run_id
        )
        if status is dg.DagsterRunStatus.CANCELING:
            instance.report_run_canceling(run)
        monkeypatch.setattr(type(instance), "run_launcher", SimpleNamespace(is_waiting=lambda _: True))
        assert executor.fail_lost_runs(instance) == [run.run_id]


@dg.job
def waiting_job() -> None:
    """A run of nothing."""
