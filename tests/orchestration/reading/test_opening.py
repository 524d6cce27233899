"""Which repositories an analysis reads again."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from rich.console import Console

from ingest.git.extract import extract_repository
from ingest.git.repository_source import RepositorySource
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.reading.opening import Analysis, Opening
from orchestration.runtime.run_state import RepositoryEntry
from orchestration.runtime.terminal import Watcher
from orchestration.state import fingerprints
from tests.git_repository import GitRepository

YEAR = 365 * 86_400
Add = Callable[[GitRepository], RepositorySource]


def is_read(deployment: Deployment, repository: GitRepository) -> bool:
    opening = Opening(deployment, Analysis(), [str(repository.path)], (), Watcher(Console(quiet=True)))
    return opening.open(0) is not None


def read(deployment: Deployment, source: RepositorySource, repository: GitRepository) -> None:
    extract_repository(source, deployment.lake, workers=1)
    state = fingerprints.of_repository(source)
    entry = RepositoryEntry(source.repository_id, source.name, str(repository.path), state=state)
    deployment.run_state.record(LOCAL_ORGANIZATION, entry)


def test_an_unchanged_repository_is_read_once(
    deployment: Deployment, add: Add, repository: GitRepository
) -> None:
    repository.commit({"a": "1"})
    source = add(repository)
    assert is_read(deployment, repository)
    read(deployment, source, repository)
    assert not is_read(deployment, repository)


def test_a_repository_that_was_read_with_a_clock_behind_is_read_again_when_its_times_have_come(
    deployment: Deployment, add: Add, repository: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({"a": "1"})
    source = add(repository)
    with monkeypatch.context() as behind:
        behind.setattr(time, "time", lambda: float(repository.clock - YEAR))
        read(deployment, source, repository)
        assert not is_read(deployment, repository)
    assert is_read(deployment, repository)
