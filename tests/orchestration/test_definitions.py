"""The Dagster graph: names are compared with a list, details with rules."""

from collections.abc import Callable
from datetime import timedelta

import dagster as dg
import pytest
from dagster._core.execution.build_resources import wrap_resources_for_execution
from dagster._core.storage.tags import PARTITION_NAME_TAG

from api.control.list_pages import ListQuery
from api.control.operations import operations
from api.control.principals import OPERATOR
from api.control.repositories import removals, repositories
from api.control.repositories.settings import SettingsChange
from api.control.teams import teams
from ingest.git.repository_source import RepositorySource
from ingest.schemas import TABLES
from orchestration.build import settings_snapshot
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.graph import run_requests, sensors
from orchestration.graph.assembly import build_defs
from orchestration.graph.nightly_reading import NIGHT_TAG
from orchestration.graph.schedules import nightly
from orchestration.graph.sensors import builds_due
from orchestration.reading.readings import Readings
from orchestration.runtime.partitions import CONNECTIONS, ORGANIZATIONS, REPOSITORIES, identifier
from orchestration.runtime.progress import Progress
from orchestration.runtime.run_state import BuildEntry
from orchestration.state import fingerprints
from tests.git_repository import GitRepository
from tests.orchestration.published_stub import publish_stub

OTHER = "0190d3b0-0000-7000-8000-000000000002"


@pytest.fixture(scope="module")
def definitions(tmp_path_factory: pytest.TempPathFactory) -> dg.Definitions:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EAS_DATA_DIR", str(tmp_path_factory.mktemp("data")))
        return build_defs(deployment=Deployment(), readings=Readings(), progress=Progress())


def test_the_code_location_loads(definitions: dg.Definitions) -> None:
    dg.Definitions.validate_loadable(definitions)


def test_every_raw_table_is_an_asset_with_described_columns(definitions: dg.Definitions) -> None:
    specs = {spec.key: spec for spec in definitions.resolve_all_asset_specs()}
    for noun, table in TABLES:
        spec = specs[dg.AssetKey(["raw", noun, table])]
        columns = spec.metadata["dagster/column_schema"].columns
        assert [column.name for column in columns] == TABLES[noun, table].names
        assert all(column.description for column in columns), (noun, table)


def test_every_asset_has_a_description_group_owner_and_kind(definitions: dg.Definitions) -> None:
    for spec in definitions.resolve_all_asset_specs():
        assert spec.description, spec.key
        assert spec.group_name not in (None, "default"), spec.key
        assert spec.owners, spec.key
        assert spec.kinds, spec.key


def test_the_sources_of_the_models_are_the_raw_tables(definitions: dg.Definitions) -> None:
    keys = {spec.key for spec in definitions.resolve_all_asset_specs()}
    needed = {dep.asset_key for spec in definitions.resolve_all_asset_specs() for dep in spec.deps}
    assert needed <= keys


def test_an_organization_depends_on_all_repositories(definitions: dg.Definitions) -> None:
    staging = next(
        spec for spec in definitions.resolve_all_asset_specs() if spec.key.path[-1] == "stg_git__commits"
    )
    [dep] = [dep for dep in staging.deps if dep.asset_key.path[:2] == ["raw", "git"]]
    assert isinstance(dep.partition_mapping, dg.AllPartitionMapping)


def test_the_jobs_cover_the_whole_graph(definitions: dg.Definitions) -> None:
    covered: set[dg.AssetKey] = set()
    for name, partitions in (
        ("extract_repository", REPOSITORIES),
        ("sync_host", CONNECTIONS),
        ("sync_tracker", CONNECTIONS),
        ("sync_ai_tool", CONNECTIONS),
        ("build_organization", ORGANIZATIONS),
    ):
        job = definitions.resolve_job_def(name)
        assert job.partitions_def == partitions
        covered |= set(job.asset_layer.executable_asset_keys)
    for period in ("week", "month", "quarter"):
        job = definitions.resolve_job_def(f"summarize_{period}")
        assert isinstance(job.partitions_def, dg.MultiPartitionsDefinition)
        covered |= set(job.asset_layer.executable_asset_keys)
    assert covered == {spec.key for spec in definitions.resolve_all_asset_specs()}


def test_publishing_comes_after_every_published_relation(definitions: dg.Definitions) -> None:
    specs = {spec.key: spec for spec in definitions.resolve_all_asset_specs()}
    published = specs[dg.AssetKey(["published", "snapshot"])]
    tables = {key for key in specs if key.path[0] == "published"} - {published.key}
    assert dg.AssetKey(["published", "commits_by_time"]) in tables
    assert {dep.asset_key for dep in published.deps} == tables


def test_dbt_tests_are_asset_checks_and_raw_tables_have_their_own(definitions: dg.Definitions) -> None:
    checks = definitions.resolve_asset_graph().asset_check_keys
    assert any(check.asset_key.path[0] == "warehouse" for check in checks)
    for noun, table in TABLES:
        assert dg.AssetCheckKey(dg.AssetKey(["raw", noun, table]), "has_declared_schema") in checks
    names = {check.name for check in checks}
    assert {"is_fresh", "does_not_shrink"} <= names


def test_the_nightly_schedule_reads_every_organization_with_an_enabled_repository(
    definitions: dg.Definitions,
    instance: dg.DagsterInstance,
    deployment: Deployment,
    add: Callable[[GitRepository], RepositorySource],
    new_repository: Callable[..., GitRepository],
) -> None:
    for name in ("one", "two"):
        repository = new_repository(name)
        repository.commit({"a": name})
        add(repository)
    with deployment.control() as control:
        control.ensure_organization("Other", organization_id=OTHER, slug="other")
        control.upsert_repository(OTHER, "three", name="three", origin="x", is_disabled=True)
    night = fingerprints.now()
    with dg.build_schedule_context(
        instance=instance,
        scheduled_execution_time=night,
        repository_def=definitions.get_repository_def(),
        resources={"deployment": deployment},
    ) as context:
        requests = nightly.evaluate_tick(context).run_requests or []
    [request] = requests
    assert identifier(request.partition_key or "") == LOCAL_ORGANIZATION
    assert instance.get_dynamic_partitions("organizations") == [request.partition_key]
    assert request.tags[NIGHT_TAG] == night.isoformat()


@pytest.fixture
def instance(stored_instance: dg.DagsterInstance) -> dg.DagsterInstance:
    """The deployment's instance. Ticks read partitions through a reference, which an ephemeral instance lacks."""
    return stored_instance


@pytest.fixture
def tick(
    definitions: dg.Definitions, deployment: Deployment, instance: dg.DagsterInstance
) -> Callable[[], list[dg.RunRequest]]:
    """Return the run requests of a tick."""

    def evaluate() -> list[dg.RunRequest]:
        with dg.SensorEvaluationContext(
            instance_ref=instance.get_ref(),
            instance=instance,
            repository_def=definitions.get_repository_def(),
            resources=wrap_resources_for_execution({"deployment": deployment}),
        ) as context:
            return list(builds_due.evaluate_tick(context).run_requests or [])

    return evaluate


def test_an_organization_without_facts_is_not_built(tick: Callable[[], list[dg.RunRequest]]) -> None:
    assert tick() == []


def test_a_failed_build_is_retried_later_a_few_times(
    deployment: Deployment,
    instance: dg.DagsterInstance,
    tick: Callable[[], list[dg.RunRequest]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = deployment.lake.source("git", LOCAL_ORGANIZATION, "r1")
    source.commit({}, {}, {"refs": 1})
    delays = run_requests.RETRY_DELAYS
    later = tuple(timedelta(0) for _ in delays)
    keys = []
    for _ in [None, *delays]:
        [request] = tick()
        keys.append(request.run_key)
        fail(instance, start(instance, "build_organization", request.partition_key, **request.tags))
        monkeypatch.setattr(run_requests, "RETRY_DELAYS", delays)
        assert tick() == [], "at once"
        monkeypatch.setattr(run_requests, "RETRY_DELAYS", later)
    # Dagster does not start a second run with the same key.
    assert len(set(keys)) == len(delays) + 1
    assert tick() == [], "for ever"
    source.commit({}, {}, {"refs": 2})
    [other] = tick()
    assert other.run_key not in keys


def test_a_run_blocks_only_its_own_organization(
    deployment: Deployment, instance: dg.DagsterInstance, tick: Callable[[], list[dg.RunRequest]]
) -> None:
    with deployment.control() as control:
        control.ensure_organization("Other", organization_id=OTHER, slug="other")
        control.upsert_repository(OTHER, "r2", name="two", origin="x/two")
    for organization, repository in ((LOCAL_ORGANIZATION, "r1"), (OTHER, "r2")):
        deployment.lake.source("git", organization, repository).commit({}, {}, {"refs": 1})

    def asked() -> set[str]:
        return {identifier(request.partition_key or "") for request in tick()}

    assert asked() == {LOCAL_ORGANIZATION, OTHER}
    for job, partition, left in (
        ("build_organization", f"local {LOCAL_ORGANIZATION}", {OTHER}),
        ("extract_repository", "two r2", {LOCAL_ORGANIZATION}),
        ("read_organization", f"other {OTHER}", {LOCAL_ORGANIZATION}),
        # A run over many partitions has no partition tag.
        ("extract_repository", None, set()),
    ):
        run = start(instance, job, partition)
        assert asked() == left, job
        fail(instance, run)
    assert asked() == {LOCAL_ORGANIZATION, OTHER}


def test_a_decision_does_not_wait_for_an_unreachable_host(
    deployment: Deployment,
    instance: dg.DagsterInstance,
    tick: Callable[[], list[dg.RunRequest]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deployment.lake.source("git", LOCAL_ORGANIZATION, "r1").commit({}, {}, {"refs": 1})
    run = start(instance, "extract_repository", "one r1")
    with deployment.control() as control:
        control.upsert_repository(LOCAL_ORGANIZATION, "r1", name="one", origin="x/one")
        settings = SettingsChange(chosen_branch="next")
        repositories.change_repository(control, OPERATOR, LOCAL_ORGANIZATION, "r1", settings)
        monkeypatch.setattr(sensors, "MAX_EXTRACTION_WAIT", timedelta(0))
        assert tick() == [], "what delays for the reading itself"
        teams.create_team(control, OPERATOR, LOCAL_ORGANIZATION, "Web")
        monkeypatch.setattr(sensors, "MAX_EXTRACTION_WAIT", timedelta(minutes=1))
        assert tick() == [], "at once"
        monkeypatch.setattr(sensors, "MAX_EXTRACTION_WAIT", timedelta(0))
        [request] = tick()
        assert int(request.tags["dagster/priority"]) > 0, "before the repositories in the queue"
        # Its facts cannot be deleted during extraction.
        removals.remove(control, LOCAL_ORGANIZATION, "r1")
        assert tick() == [], "what is removed"
        fail(instance, run)
        night = start(instance, "read_organization", f"local {LOCAL_ORGANIZATION}")
        assert tick() == [], "what is removed and may be what the nightly run reads"
        fail(instance, night)
        start(instance, "extract_repository", None)
        assert tick() == [], "what is removed and may be what a run over many partitions reads"


def start(instance: dg.DagsterInstance, name: str, partition: str | None, **tags: str) -> dg.DagsterRun:
    """Start a run that stays unfinished."""

    @dg.job(name=name)
    def job() -> None: ...

    tags |= {PARTITION_NAME_TAG: partition} if partition is not None else {}
    return instance.create_run_for_job(job, tags=tags, status=dg.DagsterRunStatus.STARTED)


def fail(instance: dg.DagsterInstance, run: dg.DagsterRun) -> None:
    instance.report_run_failed(run)


def test_a_build_is_requested_once_per_state_and_never_after_publishing(
    deployment: Deployment, tick: Callable[[], list[dg.RunRequest]]
) -> None:
    source = deployment.lake.source("git", LOCAL_ORGANIZATION, "r1")
    source.commit({}, {}, {"refs": 1})
    [first] = tick()
    assert identifier(first.partition_key or "") == LOCAL_ORGANIZATION
    assert tick()[0].run_key == first.run_key

    settings = settings_snapshot.current_settings(deployment, LOCAL_ORGANIZATION)
    wanted = fingerprints.of_build(deployment, LOCAL_ORGANIZATION, settings, fingerprints.now())
    deployment.run_state.record(
        LOCAL_ORGANIZATION, BuildEntry(wanted, "b", fingerprints.now().isoformat(), 1.0)
    )
    publish_stub(deployment, "b")
    assert tick() == []

    source.commit({}, {}, {"refs": 2})
    [second] = tick()
    assert second.run_key != first.run_key


@pytest.mark.parametrize("lost", ["current.json", "b.duckdb", "warehouse"])
def test_a_lost_result_of_a_build_requests_a_build(
    deployment: Deployment, tick: Callable[[], list[dg.RunRequest]], lost: str
) -> None:
    deployment.lake.source("git", LOCAL_ORGANIZATION, "r1").commit({}, {}, {"refs": 1})
    settings = settings_snapshot.current_settings(deployment, LOCAL_ORGANIZATION)
    wanted = fingerprints.of_build(deployment, LOCAL_ORGANIZATION, settings, fingerprints.now())
    deployment.run_state.record(
        LOCAL_ORGANIZATION, BuildEntry(wanted, "b", fingerprints.now().isoformat(), 1.0)
    )
    publish_stub(deployment, "b")
    assert tick() == []
    warehouse = deployment.settings.warehouse_file(LOCAL_ORGANIZATION)
    published = deployment.settings.published_dir / LOCAL_ORGANIZATION
    (warehouse if lost == "warehouse" else published / lost).unlink()
    assert len(tick()) == 1


def test_no_build_is_requested_while_facts_are_damaged(
    deployment: Deployment, tick: Callable[[], list[dg.RunRequest]]
) -> None:
    source = deployment.lake.source("git", LOCAL_ORGANIZATION, "r1")
    source.commit({}, {}, {"refs": 1})
    with deployment.control() as control:
        control.upsert_repository(LOCAL_ORGANIZATION, "r1", name="one", origin="git.example/one")
    assert len(tick()) == 1
    source.mark_damaged("a file is missing")
    assert tick() == []


def test_the_published_build_includes_a_decision_that_was_undone(
    deployment: Deployment, tick: Callable[[], list[dg.RunRequest]]
) -> None:
    deployment.lake.source("git", LOCAL_ORGANIZATION, "r1").commit({}, {}, {"refs": 1})
    settings = settings_snapshot.current_settings(deployment, LOCAL_ORGANIZATION)
    wanted = fingerprints.of_build(deployment, LOCAL_ORGANIZATION, settings, fingerprints.now())
    entry = BuildEntry(wanted, "b", fingerprints.now().isoformat(), 1.0)
    deployment.run_state.record(LOCAL_ORGANIZATION, entry)
    publish_stub(deployment, "b")
    with deployment.control() as control:
        team = teams.create_team(control, OPERATOR, LOCAL_ORGANIZATION, "Web")
        assert len(tick()) == 1
        assert {one.state for one in operations.pending(control, LOCAL_ORGANIZATION)} == {"PENDING"}
        teams.delete_team(control, OPERATOR, LOCAL_ORGANIZATION, team.id)
        assert tick() == []
        assert operations.pending(control, LOCAL_ORGANIZATION) == []
        done = operations.list_operations(control, LOCAL_ORGANIZATION, ListQuery(10)).items
    assert [(one.action, one.state, one.build_id) for one in done] == [
        ("teams.delete", "DONE", "b"),
        ("teams.create", "DONE", "b"),
    ]
