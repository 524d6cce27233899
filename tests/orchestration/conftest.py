"""Fixtures: a deployment in a temporary folder, and a known repository."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ingest.git.repository_source import RepositorySource, resolve
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from tests.control_databases import on_sqlite, used
from tests.git_repository import GitRepository

if TYPE_CHECKING:
    import dagster as dg


@pytest.fixture(scope="session", autouse=True)
def _control_databases() -> Iterator[None]:
    with on_sqlite() as url, used(url):
        yield


@pytest.fixture
def deployment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Deployment:
    """A separate deployment with the organization of the command line; sets the environment variables too."""
    monkeypatch.setenv("EAS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("EAS_WORKERS", "1")
    deployment = Deployment()
    with deployment.control() as control:
        control.ensure_organization("Local", organization_id=LOCAL_ORGANIZATION, slug=LOCAL_SLUG)
    return deployment


@pytest.fixture(scope="session")
def _dagster_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Databases of Dagster without rows. Making them takes three times as long as a copy."""
    from ingest.settings import Settings
    from orchestration.commands.runs import open_instance

    settings = Settings(data_dir=tmp_path_factory.mktemp("dagster"))
    with open_instance(settings) as instance:
        instance.get_dynamic_partitions("nothing")
    return settings.dagster_dir


@pytest.fixture
def stored_instance(deployment: Deployment, _dagster_tables: Path) -> Iterator[dg.DagsterInstance]:
    """The Dagster instance of the deployment, in its folder."""
    from orchestration.commands.runs import open_instance

    for name in ("history", "schedules"):
        shutil.copytree(_dagster_tables / name, deployment.settings.dagster_dir / name)
    with open_instance(deployment.settings) as instance:
        yield instance


@pytest.fixture
def add(deployment: Deployment) -> Callable[[GitRepository], RepositorySource]:
    """Add a repository to the control database and the run state, as `eas analyze` does."""

    def register(repository: GitRepository) -> RepositorySource:
        from orchestration.runtime.run_state import RepositoryEntry

        source = resolve(str(repository.path), deployment.settings, LOCAL_ORGANIZATION)
        with deployment.control() as control:
            control.upsert_repository(
                LOCAL_ORGANIZATION, source.repository_id, name=source.name, origin=source.origin
            )
        entry = RepositoryEntry(source.repository_id, source.name, str(repository.path))
        deployment.run_state.record(LOCAL_ORGANIZATION, entry)
        return source

    return register
