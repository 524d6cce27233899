"""Schedules and backfills of summaries: in the zone of each organization, once, and nothing without need."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import dagster as dg
import pytest

from api.control.list_pages import ListQuery
from api.control.organizations import organizations
from api.control.principals import OPERATOR
from api.control.summaries import summaries
from api.control.summaries.kinds import Period
from api.control.summaries.summaries import Selection
from orchestration.build import due
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.graph.assembly import build_defs
from orchestration.graph.nightly_reading import NIGHT_TAG
from orchestration.graph.summaries import SUMMARY_SCHEDULES, summarize_organization_job
from orchestration.publishing.snapshot import publish
from orchestration.reading.readings import Readings
from orchestration.runtime.partitions import ORGANIZATIONS, identifier, key, register
from orchestration.runtime.progress import Progress
from orchestration.state import snapshot_files
from orchestration.summaries import writing
from tests.orchestration.summaries.fact_builds import built

AUCKLAND = "0190d3b0-0000-7000-8000-000000000002"
WEEKLY, MONTHLY, QUARTERLY = SUMMARY_SCHEDULES
PARTITION = key(LOCAL_SLUG, LOCAL_ORGANIZATION)


@pytest.fixture
def definitions(deployment: Deployment) -> dg.Definitions:
    return build_defs(deployment=deployment, readings=Readings(), progress=Progress())


@pytest.fixture
def tick(
    deployment: Deployment, definitions: dg.Definitions, stored_instance: dg.DagsterInstance
) -> Callable[..., dict[str, dg.RunRequest]]:
    """The requests of a schedule at an instant, by organization."""

    def evaluate(schedule: dg.ScheduleDefinition, at: datetime) -> dict[str, dg.RunRequest]:
        with dg.build_schedule_context(
            instance=stored_instance,
            scheduled_execution_time=at,
            repository_def=definitions.get_repository_def(),
            resources={"deployment": deployment},
        ) as context:
            requests = schedule.evaluate_tick(context).run_requests or []
        return {identifier(one.partition_key or ""): one for one in requests}

    return evaluate


def publish_built(deployment: Deployment, folder: Path, today: date, name: str = "b1") -> Path:
    file = built(folder, today, name=name)
    return publish(file, deployment.settings.published_dir, LOCAL_ORGANIZATION, name).file


def stored_starts(deployment: Deployment, period: Period) -> set[date]:
    with deployment.control() as control:
        found = summaries.list_summaries(
            control, LOCAL_ORGANIZATION, ListQuery(1000), Selection(periods=[period])
        )
    return {one.period_start for one in found.items}


def test_each_organization_is_asked_for_after_the_week_ended_in_its_own_zone(
    deployment: Deployment, tick: Callable[..., dict[str, dg.RunRequest]], tmp_path: Path
) -> None:
    file = publish_built(deployment, tmp_path, date(2026, 2, 28))
    with deployment.control() as control:
        control.ensure_organization(
            "Kiwi", organization_id=AUCKLAND, slug="kiwi", time_zone="Pacific/Auckland"
        )
        organizations.change_settings(
            control, OPERATOR, LOCAL_ORGANIZATION, {"time_zone": "America/New_York"}
        )
    folder = deployment.settings.published_dir / AUCKLAND
    folder.mkdir()
    pointer = snapshot_files.read_pointer(file.parent)
    (folder / snapshot_files.POINTER).write_text(snapshot_files.pointer_text(pointer, AUCKLAND))
    (folder / file.name).write_bytes(file.read_bytes())
    writing.write_due(deployment, file, "b1")
    assert stored_starts(deployment, Period.WEEK) == {date(2026, 2, 16)}
    sunday, monday = datetime(2026, 3, 1, 11, 10, tzinfo=UTC), datetime(2026, 3, 2, 5, 10, tzinfo=UTC)
    [kiwi] = tick(WEEKLY, sunday).values()
    assert identifier(kiwi.partition_key or "") == AUCKLAND
    assert kiwi.tags[NIGHT_TAG] == "2026-03-01T11:00:00+00:00"
    assert kiwi.run_key == f"week:2026-03-01:2026-03-02:{AUCKLAND}"
    both = tick(WEEKLY, monday)
    assert set(both) == {AUCKLAND, LOCAL_ORGANIZATION}
    # The same run of the same day, and another one on a day that was missed.
    assert both[AUCKLAND].run_key == kiwi.run_key
    later = tick(WEEKLY, datetime(2026, 3, 5, 9, 10, tzinfo=UTC))
    assert later[AUCKLAND].run_key == f"week:2026-03-01:2026-03-05:{AUCKLAND}"
    # A month that has its summary needs no run, whatever the hour.
    assert LOCAL_ORGANIZATION not in tick(MONTHLY, datetime(2026, 2, 28, 23, 25, tzinfo=UTC))
    assert LOCAL_ORGANIZATION not in tick(QUARTERLY, monday)


def test_a_scheduled_run_writes_from_the_published_build_where_nothing_else_would(
    deployment: Deployment,
    definitions: dg.Definitions,
    stored_instance: dg.DagsterInstance,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publish_built(deployment, tmp_path, date(2026, 3, 2))
    register(stored_instance, ORGANIZATIONS, PARTITION)
    is_due = True
    monkeypatch.setattr(due, "inputs_of_due_build", lambda *_, **__: ["inputs"] if is_due else None)
    job = definitions.resolve_job_def(summarize_organization_job.name)
    assert job.execute_in_process(partition_key=PARTITION, instance=stored_instance).success
    assert stored_starts(deployment, Period.WEEK) == set()
    is_due = False
    assert job.execute_in_process(partition_key=PARTITION, instance=stored_instance).success
    assert stored_starts(deployment, Period.WEEK) == {date(2026, 2, 23)}


def test_a_backfill_writes_the_partition_and_refuses_one_beyond_the_horizon(
    deployment: Deployment, definitions: dg.Definitions, stored_instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    publish_built(deployment, tmp_path, date(2026, 3, 2))
    register(stored_instance, ORGANIZATIONS, PARTITION)

    def backfill(job: str, start: str) -> dg.ExecuteInProcessResult:
        partition = dg.MultiPartitionKey({"organization": PARTITION, "start": start})
        return definitions.resolve_job_def(job).execute_in_process(
            partition_key=partition,
            instance=stored_instance,
            raise_on_error=False,
        )

    assert backfill("summarize_month", "2025-11-01").success
    assert stored_starts(deployment, Period.MONTH) == {date(2025, 11, 1)}
    assert backfill("summarize_quarter", "2024-07-01").success
    assert stored_starts(deployment, Period.QUARTER) == {date(2024, 7, 1)}
    refused = backfill("summarize_week", "2020-06-01")
    [failure] = [event for event in refused.all_events if event.is_step_failure]
    assert "beyond the horizon" in str(failure.step_failure_data.error)
