from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from api.control.connections.connections import NewConnection, add_connection
from api.control.connections.sync_status import note_success as note_sync
from api.control.organizations.organizations import change_settings
from api.control.principals import OPERATOR
from api.control.repositories.sync_status import note_failure, note_success
from ingest.git.repository_source import RepositorySource, resolve
from orchestration.build import settings_snapshot
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.state import fingerprints
from tests.git_repository import GitRepository

EVENING = datetime(2024, 5, 1, 22, 30, tzinfo=UTC)


def state(deployment: Deployment, repository: GitRepository) -> str:
    return fingerprints.of_repository(resolve(str(repository.path), deployment.settings, LOCAL_ORGANIZATION))


@pytest.mark.parametrize(
    "change",
    [
        lambda r: r.commit({"a": "2"}),
        lambda r: r.branch("work"),
        lambda r: r.tag("v1"),
        lambda r: r.tag("v1", message="annotated"),
        lambda r: r.git("branch", "-m", "main", "master"),
        lambda r: r.git("update-ref", "refs/eas/upstream/main", "main"),
    ],
    ids=["commit", "branch", "tag", "annotated tag", "default branch", "parent of a fork"],
)
def test_a_change_of_refs_changes_the_fingerprint(
    deployment: Deployment, repository: GitRepository, change: Callable[[GitRepository], object]
) -> None:
    repository.commit({"a": "1"})
    before = state(deployment, repository)
    assert state(deployment, repository) == before
    change(repository)
    assert state(deployment, repository) != before


def test_refs_that_are_not_extracted_do_not_change_the_fingerprint(
    deployment: Deployment, repository: GitRepository
) -> None:
    head = repository.commit({"a": "1"})
    before = state(deployment, repository)
    repository.git("update-ref", "refs/pull/1/head", head)
    repository.git("notes", "add", "-m", "a note", head)
    (repository.path / "untracked").write_text("x")
    assert state(deployment, repository) == before


def build(deployment: Deployment, at: datetime = EVENING) -> dict[str, str]:
    settings = settings_snapshot.current_settings(deployment, LOCAL_ORGANIZATION)
    return fingerprints.of_build(deployment, LOCAL_ORGANIZATION, settings, at)


def test_a_build_is_due_when_the_local_day_changes_and_not_before(deployment: Deployment) -> None:
    with deployment.control() as control:
        change_settings(control, OPERATOR, LOCAL_ORGANIZATION, {"time_zone": "Europe/Berlin"})
    before = build(deployment)
    assert before["local_date"] == "2024-05-02"
    assert build(deployment, EVENING.replace(hour=23, minute=59)) == before
    assert build(deployment, EVENING.replace(hour=21, minute=59)) != before


def test_a_build_depends_on_decisions(
    deployment: Deployment, add: Callable[[GitRepository], RepositorySource], repository: GitRepository
) -> None:
    repository.commit({"a": "1"})
    source = add(repository)
    before = build(deployment)
    with deployment.control() as control:
        control.upsert_repository(
            LOCAL_ORGANIZATION, source.repository_id, name=source.name, origin=source.origin, is_sandbox=True
        )
    after = build(deployment)
    assert {name for name in before if before[name] != after[name]} == {"settings"}


def test_a_failed_reading_is_no_change_of_settings(
    deployment: Deployment, add: Callable[[GitRepository], RepositorySource], repository: GitRepository
) -> None:
    repository.commit({"a": "1"})
    source = add(repository)
    before = build(deployment)
    with deployment.control() as control:
        note_success(control, LOCAL_ORGANIZATION, source.repository_id, 1)
        assert unread_since(deployment) == [None]
        read_at = control.now()
        note_failure(control, LOCAL_ORGANIZATION, source.repository_id, "the host is away")
    [since] = unread_since(deployment)
    assert since is not None
    assert read_at - timedelta(minutes=1) < since <= read_at
    assert build(deployment) == before


def test_a_sync_of_a_connection_changes_no_settings(deployment: Deployment) -> None:
    with deployment.control() as control:
        given = NewConnection("ASANA", "trackers", "https://app.asana.com", "Asana", "t0ken-long")
        connection = add_connection(control, OPERATOR, LOCAL_ORGANIZATION, given)
        before = build(deployment)
        assert unsynced_since(deployment) == [connection.created_at]
        note_sync(control, LOCAL_ORGANIZATION, connection.id, rows={})
        synced_at = control.now()
    [since] = unsynced_since(deployment)
    assert synced_at - timedelta(minutes=1) < since <= synced_at
    assert since > connection.created_at
    assert build(deployment) == before


def unsynced_since(deployment: Deployment) -> list[datetime]:
    settings = settings_snapshot.current_settings(deployment, LOCAL_ORGANIZATION)
    found: list[datetime] = settings["connections"]["unsynced_since"].to_pylist()
    return found


def unread_since(deployment: Deployment) -> list[datetime | None]:
    settings = settings_snapshot.current_settings(deployment, LOCAL_ORGANIZATION)
    found: list[datetime | None] = settings["repositories"]["unread_since"].to_pylist()
    return found


def test_settings_in_the_lake_have_the_fingerprint_of_the_control_database(
    deployment: Deployment,
) -> None:
    settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    stored = settings_snapshot.lake_settings(deployment, LOCAL_ORGANIZATION)
    assert fingerprints.of_build(deployment, LOCAL_ORGANIZATION, stored, EVENING) == build(deployment)


def test_settings_are_no_facts(deployment: Deployment) -> None:
    before = fingerprints.facts(deployment.lake, LOCAL_ORGANIZATION)
    settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    assert fingerprints.facts(deployment.lake, LOCAL_ORGANIZATION) == before


def test_models_change_the_fingerprint_but_generated_files_do_not() -> None:
    files = fingerprints.dbt_files()
    assert any(file.suffix == ".sql" for file in files)
    assert any(file.name == "dbt_project.yml" for file in files)
    assert not [file for file in files if "target" in file.parts or "logs" in file.parts]


def test_a_changed_model_changes_the_fingerprint_of_the_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "models").mkdir()
    model = tmp_path / "models" / "a.sql"
    model.write_text("select 1")
    monkeypatch.setattr(fingerprints, "DBT_PROJECT", tmp_path)
    digests = set()
    for text in ("select 1", "select 2", "select 1"):
        model.write_text(text)
        fingerprints.build_code.cache_clear()
        digests.add(fingerprints.build_code())
    fingerprints.build_code.cache_clear()
    assert len(digests) == 2
