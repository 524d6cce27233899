"""Builds that a sensor requests, beside builds of other processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.execution.build_resources import wrap_resources_for_execution

from ingest.errors import LakeCorrupt
from orchestration.build import dbt_build, settings_snapshot
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.graph.assembly import build_defs
from orchestration.graph.assets.published import KEY
from orchestration.graph.jobs import build_organization_job, building_alone
from orchestration.graph.sensors import builds_due
from orchestration.publishing import copies
from orchestration.reading.readings import Readings
from orchestration.runtime.partitions import INPUTS_TAG, ORGANIZATIONS, key, register
from orchestration.runtime.progress import Progress
from orchestration.runtime.run_state import BuildEntry
from orchestration.state import build_lock, fingerprints
from tests.orchestration.published_stub import publish_stub

PARTITION = key(LOCAL_SLUG, LOCAL_ORGANIZATION)


@pytest.fixture
def definitions(deployment: Deployment) -> dg.Definitions:
    return build_defs(deployment=deployment, readings=Readings(), progress=Progress())


@pytest.fixture
def instance(stored_instance: dg.DagsterInstance) -> dg.DagsterInstance:
    register(stored_instance, ORGANIZATIONS, PARTITION)
    return stored_instance


@pytest.fixture
def run(
    definitions: dg.Definitions, instance: dg.DagsterInstance
) -> Callable[..., dg.ExecuteInProcessResult]:
    """Run the job of a build."""

    def execute(**tags: str) -> dg.ExecuteInProcessResult:
        job = definitions.resolve_job_def(build_organization_job.name)
        return job.execute_in_process(
            partition_key=PARTITION, instance=instance, tags=tags, raise_on_error=False
        )

    return execute


@pytest.fixture
def built_meanwhile(deployment: Deployment) -> None:
    """Facts, and a build of them that another process has recorded."""
    deployment.lake.source("git", LOCAL_ORGANIZATION, "r1").commit({}, {}, {"refs": 1})
    settings = settings_snapshot.current_settings(deployment, LOCAL_ORGANIZATION)
    inputs = fingerprints.of_build(deployment, LOCAL_ORGANIZATION, settings, fingerprints.now())
    entry = BuildEntry(inputs, "b", fingerprints.now().isoformat(), 1.0)
    deployment.run_state.record(LOCAL_ORGANIZATION, entry)
    publish_stub(deployment, "b")


def refuse(*_: object, **__: object) -> None:
    pytest.fail("dbt was started")


@pytest.mark.usefixtures("built_meanwhile")
def test_a_requested_run_with_nothing_left_to_build_succeeds_and_says_why(
    run: Callable[..., dg.ExecuteInProcessResult],
    instance: dg.DagsterInstance,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dbt_build, "build", refuse)
    result = run(**{INPUTS_TAG: "x"})
    assert result.success
    steps = {event.step_key for event in result.all_events if event.event_type_value == "STEP_SKIPPED"}
    assert steps == {"__".join(KEY.path)}
    said = [
        record.event_log_entry.user_message for record in instance.get_records_for_run(result.run_id).records
    ]
    [reason] = [line for line in said if "another process has published build b" in line]
    assert "nothing is left to build" in reason

    def build(*_: object, **__: object) -> None:
        raise LakeCorrupt("it was built")

    # A run that a person starts builds in any case.
    monkeypatch.setattr(dbt_build, "build", build)
    [failure] = [event for event in run().all_events if event.is_step_failure]
    assert "it was built" in str(failure.step_failure_data.error)


def test_nothing_is_requested_while_another_process_builds(
    deployment: Deployment, definitions: dg.Definitions, instance: dg.DagsterInstance
) -> None:
    deployment.lake.source("git", LOCAL_ORGANIZATION, "r1").commit({}, {}, {"refs": 1})

    def tick() -> dg.SensorExecutionData:
        with dg.SensorEvaluationContext(
            instance_ref=instance.get_ref(),
            instance=instance,
            repository_def=definitions.get_repository_def(),
            resources=wrap_resources_for_execution({"deployment": deployment}),
        ) as context:
            return builds_due.evaluate_tick(context)

    with build_lock.held(deployment, LOCAL_ORGANIZATION):
        waiting = tick()
    assert not waiting.run_requests
    assert LOCAL_SLUG in (waiting.skip_message or "")
    assert len(tick().run_requests or []) == 1


def test_no_other_build_starts_between_the_steps_of_a_run(
    deployment: Deployment, instance: dg.DagsterInstance
) -> None:
    executor = build_organization_job.executor_def
    assert executor is not None
    assert executor.name == "sole_builder"
    said: list[str] = []
    made = dg.DagsterRun(job_name=build_organization_job.name, tags={"dagster/partition": PARTITION})
    with building_alone(made, said.append):
        assert build_lock.is_taken(deployment, LOCAL_ORGANIZATION)
    assert not build_lock.is_taken(deployment, LOCAL_ORGANIZATION)
    assert said == []


def test_a_build_is_checked_while_the_lake_stays_as_the_build_read_it(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A repository that is read between a build and its publication made the manifest differ from the build."""
    monkeypatch.setattr(dbt_build, "_parsed", lambda _: tmp_path)
    monkeypatch.setattr(dbt_build, "_leave_out", lambda *_: [])
    monkeypatch.setattr(dbt_build, "_results", lambda *_: [])
    monkeypatch.setattr(dbt_build, "invoke", lambda *_: None)
    settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    seen: list[bool] = []

    def check(_: Deployment, organization_id: str, inputs: object) -> None:
        try:
            with deployment.lake.lock(f"org-{organization_id}", exclusive=True, wait=False):
                seen.append(False)
        except BlockingIOError:
            seen.append(True)

    dbt_build.build(deployment, LOCAL_ORGANIZATION, check=check)
    assert seen == [True]


def test_a_machine_that_fetches_its_builds_starts_none(
    run: Callable[..., dg.ExecuteInProcessResult],
    deployment: Deployment,
    instance: dg.DagsterInstance,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(copies.SOURCE, "s3://bucket/published")
    monkeypatch.setattr(dbt_build, "build", refuse)
    assert not run().success
    context = dg.build_sensor_context(instance=instance, resources={"deployment": deployment})
    told = builds_due.evaluate_tick(context)
    assert (told.run_requests, "fetches its builds" in (told.skip_message or "")) == ([], True)
