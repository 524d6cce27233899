"""Removal of a repository: choice of the repository, and deletion of all its data."""

import fcntl
import json
from pathlib import Path

import dagster as dg
import duckdb
import pytest
from typer.testing import CliRunner

from api.control.commits.exclusions import ExclusionReason, NamedCommit, exclude, list_exclusions
from api.control.errors import NotFound
from api.control.list_pages import ListQuery
from api.control.operations import operations
from api.control.principals import OPERATOR
from api.control.repositories import removals, repositories
from api.control.repositories.settings import SettingsChange
from ingest.errors import SourceBusy
from ingest.git.repository_source import mirror_of
from ingest.lake import Source
from orchestration.build import due, settings_snapshot
from orchestration.cli import app
from orchestration.commands import removal
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.graph.assets.control import snapshot_control
from orchestration.operations import deletion, outbox
from orchestration.publishing import removed_repositories
from orchestration.runtime.partitions import ORGANIZATIONS, REPOSITORIES, REPOSITORY_TAG, key, register
from orchestration.runtime.run_state import BuildEntry, RepositoryEntry
from orchestration.state import fingerprints
from tests.ingest.lake.rows import messages, problems
from tests.orchestration.published_stub import publish_stub

ONE, OTHER = "5f6f4c5e-7b0a-5e0e-9d43-1c1f1d9a0c11", "5f6f4c5e-7b0a-5e0e-9d43-1c1f1d9a0c12"


@pytest.fixture
def instance() -> dg.DagsterInstance:
    return dg.DagsterInstance.ephemeral()


@pytest.fixture
def known(deployment: Deployment, tmp_path: Path, instance: dg.DagsterInstance) -> Deployment:
    """Two repositories with the same name, which people chose, each with facts, clone, run state and partition."""
    for identifier, host in ((ONE, "one.example"), (OTHER, "two.example")):
        with deployment.control() as control:
            control.upsert_repository(
                LOCAL_ORGANIZATION, identifier, name="acme/web", origin=f"{host}/acme/web"
            )
            chosen = SettingsChange(name="acme/web")
            repositories.change_repository(control, OPERATOR, LOCAL_ORGANIZATION, identifier, chosen)
        target = str(tmp_path / "web") if identifier == ONE else "https://two.example/acme/web.git"
        deployment.run_state.record(LOCAL_ORGANIZATION, RepositoryEntry(identifier, "acme/web", target))
        source = deployment.lake.source("git", LOCAL_ORGANIZATION, identifier)
        source.commit(problems(host), {}, {"commits": 1}, {"checkpoint": b"lines"})
        draft = deployment.lake.drafts().source("git", LOCAL_ORGANIZATION, identifier)
        draft.commit(problems("draft"), {}, {})
        (mirror_of(deployment.settings, identifier) / "objects").mkdir(parents=True)
        register(instance, REPOSITORIES, key("acme/web", identifier))
    return deployment


def remaining_files(deployment: Deployment, identifier: str) -> list[Path]:
    """Files and folders with the id in their path, except lock files, which are empty and stay."""
    found = deployment.settings.data_dir.rglob(f"*{identifier}*")
    return [path for path in found if path.suffix != ".lock"]


def mark(deployment: Deployment, identifier: str) -> None:
    with deployment.control() as control:
        removals.remove(control, LOCAL_ORGANIZATION, identifier)


def everything(deployment: Deployment, instance: dg.DagsterInstance) -> None:
    """Run the steps of a build that concern removals."""
    deletion.delete_facts(deployment, LOCAL_ORGANIZATION)
    settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    removed_repositories.forget(deployment, LOCAL_ORGANIZATION, instance, None)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (ONE, ONE),
        ("one.example/acme/web", ONE),
        ("https://one.example/acme/web.git", ONE),
        ("git@two.example:acme/web.git", OTHER),
        ("{folder}/web", ONE),
    ],
)
def test_a_repository_is_named_by_its_id_address_or_path(
    known: Deployment, tmp_path: Path, given: str, meant: str
) -> None:
    found = removal.find_target(known, "local", given.format(folder=tmp_path))
    assert found.repository.repository_id == meant


def test_an_ambiguous_name_is_refused_with_the_addresses(known: Deployment) -> None:
    with pytest.raises(NotFound, match=r"one\.example/acme/web, two\.example/acme/web"):
        removal.find_target(known, "local", "acme/web")
    mark(known, OTHER)
    everything(known, dg.DagsterInstance.ephemeral())
    assert removal.find_target(known, "local", "acme/web").repository.repository_id == ONE


@pytest.mark.parametrize("given", ["acme/wep", "", "https://three.example/acme/web", "--", "\x1b[2J"])
def test_an_unknown_name_is_refused_with_the_known_names(known: Deployment, given: str) -> None:
    answer = CliRunner().invoke(app, ["remove", "--yes", "--", given])
    assert answer.exit_code == 2
    assert "no repository" in answer.output
    assert "acme/web" in answer.output
    assert "\x1b" not in answer.output


def test_an_unknown_organization_is_refused(known: Deployment) -> None:
    answer = CliRunner().invoke(app, ["remove", ONE, "--organization", "nobody"])
    assert answer.exit_code == 2
    assert "nobody" in answer.output


@pytest.mark.parametrize("answered", ["n\n", ""])
def test_a_removal_needs_confirmation(known: Deployment, answered: str) -> None:
    answer = CliRunner().invoke(app, ["remove", ONE], input=answered)
    assert answer.exit_code == 1
    assert "one.example/acme/web" in answer.output
    with known.control() as control:
        assert not any(one.is_removed for one in removals.repositories(control, LOCAL_ORGANIZATION))


def test_a_removal_deletes_one_repository_and_keeps_the_other(
    known: Deployment, instance: dg.DagsterInstance
) -> None:
    mark(known, ONE)
    assert remaining_files(known, ONE)
    before = remaining_files(known, OTHER)
    everything(known, instance)
    assert remaining_files(known, ONE) == []
    assert remaining_files(known, OTHER) == before
    assert messages(known.lake.source("git", LOCAL_ORGANIZATION, OTHER)) == ["two.example"]
    assert instance.get_dynamic_partitions("repositories") == [key("acme/web", OTHER)]
    assert known.lake.sources("git", LOCAL_ORGANIZATION) == [OTHER]
    with known.control() as control:
        assert [one.repository_id for one in removals.repositories(control, LOCAL_ORGANIZATION)] == [OTHER]


def test_a_removal_deletes_older_builds_and_its_runs(known: Deployment, instance: dg.DagsterInstance) -> None:
    """Also while a reader has one open; files of the other organization stay."""
    folder = known.settings.published_dir / LOCAL_ORGANIZATION
    elsewhere = known.settings.published_dir / "other"
    for directory in (folder, elsewhere):
        directory.mkdir(parents=True)
        for name in ("old", "older", "current"):
            (directory / f"{name}.duckdb").write_text("acme/web")
        (directory / "current.json").write_text(json.dumps({"build_id": "current", "file": "current.duckdb"}))
    warehouse = known.settings.warehouse_file(LOCAL_ORGANIZATION)
    warehouse.parent.mkdir(parents=True)
    warehouse.write_text("acme/web")
    with known.control() as control:
        for repository in (ONE, OTHER):
            commit = NamedCommit(f"c-{repository}", "5" * 40, repository, "Change", None)
            exclude(control, OPERATOR, LOCAL_ORGANIZATION, commit, ExclusionReason.IMPORT)
    for repository in (ONE, OTHER):
        run = instance.create_run_for_job(nothing, tags={REPOSITORY_TAG: repository})
        instance.report_run_failed(run)
    mark(known, ONE)
    with (folder / "old.duckdb").open("rb") as reader:
        fcntl.flock(reader, fcntl.LOCK_SH)
        deletion.delete_facts(known, LOCAL_ORGANIZATION)
        assert not warehouse.exists()
        everything(known, instance)
    assert sorted(file.name for file in folder.glob("*.duckdb")) == ["current.duckdb"]
    assert len(list(elsewhere.glob("*.duckdb"))) == 3
    assert [run.tags[REPOSITORY_TAG] for run in instance.get_runs()] == [OTHER]
    with known.control() as control:
        left = control.snapshot(LOCAL_ORGANIZATION)["commit_exclusions"]
    assert [row["commit_id"] for row in left] == [f"c-{OTHER}"]


@dg.job
def nothing() -> None:
    """A run in Dagster's storage."""


def test_a_repeated_removal_changes_nothing(known: Deployment, instance: dg.DagsterInstance) -> None:
    mark(known, ONE)
    everything(known, instance)
    before = remaining_files(known, OTHER)
    everything(known, instance)
    assert remaining_files(known, OTHER) == before
    with pytest.raises(NotFound):
        mark(known, ONE)


def test_a_repository_in_extraction_is_not_removed(known: Deployment) -> None:
    mark(known, ONE)
    source = known.lake.source("git", LOCAL_ORGANIZATION, ONE)
    with source.extracting(), pytest.raises(SourceBusy, match="wait until it ends"):
        deletion.delete_facts(known, LOCAL_ORGANIZATION)
    assert messages(source) == ["one.example"]


def test_the_next_build_handles_a_removal_during_a_deletion(
    known: Deployment, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The settings of this build omit the repository, but its facts are still in the lake."""
    mark(known, ONE)
    remove = Source.remove

    def removing(source: Source) -> None:
        mark(known, OTHER)
        remove(source)

    monkeypatch.setattr(Source, "remove", removing)
    built(known, instance)
    assert waiting(known) == [OTHER]
    assert known.lake.sources("git", LOCAL_ORGANIZATION) == [OTHER]
    # Settings, facts and rules are unchanged; only the removal makes a build due.
    assert due.inputs_of_due_build(known, LOCAL_ORGANIZATION) is not None
    assert waiting(known) == [OTHER]
    built(known, instance)
    assert waiting(known) == []
    assert remaining_files(known, OTHER) == []
    assert due.inputs_of_due_build(known, LOCAL_ORGANIZATION) is None


def test_a_clone_created_after_the_mark_is_deleted_by_the_next_build(
    known: Deployment, instance: dg.DagsterInstance
) -> None:
    mark(known, ONE)
    deletion.delete_facts(known, LOCAL_ORGANIZATION)
    mirror_of(known.settings, ONE).mkdir()
    removed_repositories.forget(known, LOCAL_ORGANIZATION, instance, None)
    assert deletion.is_pending(known, LOCAL_ORGANIZATION)
    everything(known, instance)
    assert not deletion.is_pending(known, LOCAL_ORGANIZATION)
    assert remaining_files(known, ONE) == []


def test_a_decision_about_a_commit_of_a_fork_stays_with_the_fork(
    known: Deployment, instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    published = tmp_path / "published.duckdb"
    with duckdb.connect(str(published)) as connection:
        connection.execute(
            f"create table commits_by_time as select 'shared' as commit_id, '{OTHER}' as repository_id"
        )
    with known.control() as control:
        for commit in ("shared", "gone"):
            named = NamedCommit(commit, "5" * 40, ONE, "Change", None)
            exclude(control, OPERATOR, LOCAL_ORGANIZATION, named, ExclusionReason.IMPORT)
    mark(known, ONE)
    deletion.delete_facts(known, LOCAL_ORGANIZATION)
    removed_repositories.forget(known, LOCAL_ORGANIZATION, instance, published)
    with known.control() as control:
        [left] = list_exclusions(control, LOCAL_ORGANIZATION, ListQuery(9)).items
    assert (left.commit_id, left.repository_id) == ("shared", OTHER)


def built(deployment: Deployment, instance: dg.DagsterInstance) -> None:
    """A build without models: the asset copies the settings, and the steps after a publish run."""
    partition = key("local", LOCAL_ORGANIZATION)
    register(instance, ORGANIZATIONS, partition)
    run = dg.materialize(
        [snapshot_control], instance=instance, partition_key=partition, resources={"deployment": deployment}
    )
    assert run.success
    settings = settings_snapshot.lake_settings(deployment, LOCAL_ORGANIZATION)
    read = fingerprints.of_build(deployment, LOCAL_ORGANIZATION, settings, fingerprints.now())
    entry = BuildEntry(read, f"of {run.run_id}", fingerprints.now().isoformat(), 1.0)
    deployment.run_state.record(LOCAL_ORGANIZATION, entry)
    # A build that lost its files would be due again.
    publish_stub(deployment, entry.build_id)
    watermark = outbox.saved_watermark(deployment, LOCAL_ORGANIZATION)
    outbox.mark_included(deployment, LOCAL_ORGANIZATION, watermark, entry.build_id)
    removed_repositories.forget(deployment, LOCAL_ORGANIZATION, instance, None)


def waiting(deployment: Deployment) -> list[str]:
    """Repositories with a removal that no build includes."""
    with deployment.control() as control:
        return [one.target_id for one in operations.pending(control, LOCAL_ORGANIZATION)]


def test_facts_whose_state_cannot_be_read_are_removed_too(
    known: Deployment, instance: dg.DagsterInstance
) -> None:
    """Messages about such facts advise the removal of the repository."""
    state = Path(known.lake.root) / "_state" / "git" / LOCAL_ORGANIZATION / f"{ONE}.json"
    state.write_text("{torn")
    mark(known, ONE)
    everything(known, instance)
    assert remaining_files(known, ONE) == []


def test_a_repository_that_is_added_again_stays(known: Deployment, instance: dg.DagsterInstance) -> None:
    mark(known, ONE)
    with known.control() as control:
        control.upsert_repository(LOCAL_ORGANIZATION, ONE, name="acme/web", origin="one.example/acme/web")
    everything(known, instance)
    assert messages(known.lake.source("git", LOCAL_ORGANIZATION, ONE)) == ["one.example"]


def test_facts_from_after_the_mark_wait_for_the_next_build(
    known: Deployment, instance: dg.DagsterInstance
) -> None:
    mark(known, ONE)
    deletion.delete_facts(known, LOCAL_ORGANIZATION)
    known.lake.source("git", LOCAL_ORGANIZATION, ONE).commit(problems("late"), {}, {})
    removed_repositories.forget(known, LOCAL_ORGANIZATION, instance, None)
    assert remaining_files(known, ONE)
    everything(known, instance)
    assert remaining_files(known, ONE) == []


def test_the_settings_omit_a_removed_repository(known: Deployment) -> None:
    mark(known, ONE)
    rows = settings_snapshot.current_settings(known, LOCAL_ORGANIZATION)["repositories"].to_pylist()
    assert [row["repository_id"] for row in rows] == [OTHER]


def test_the_exported_report_of_a_removed_repository_is_deleted(
    known: Deployment, instance: dg.DagsterInstance
) -> None:
    exports = known.settings.exports_dir
    exports.mkdir(parents=True)
    for name in ("capex-local.csv", "capex-local.xlsx", "notes.txt"):
        (exports / name).write_text("acme/web")
    mark(known, ONE)
    everything(known, instance)
    assert [path.name for path in exports.iterdir()] == ["notes.txt"]
