"""A repository to mirror, and a server that serves it over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ingest.settings import Settings
from tests.git_repository import GitRepository
from tests.ingest.git.remote.http_remote import HttpRemote


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data")


@pytest.fixture
def upstream(new_repository: Callable[..., GitRepository]) -> GitRepository:
    """A bare repository below `served` with two branches, a tag, a note and a pull request."""
    repository = new_repository("served/owner/project.git", bare=True)
    repository.commit({"a.py": "a = 1\n"})
    repository.branch("work")
    repository.commit({"b.py": "b = 2\n"}, branch="work")
    repository.tag("v1", message="First")
    pull = repository.commit({"c.py": "c = 3\n"}, branch="pull")
    repository.delete("pull")
    for name in ("refs/pull/1/head", "refs/notes/commits", "refs/stash"):
        repository.git("update-ref", name, pull)
    return repository


@pytest.fixture
def remote(tmp_path: Path, upstream: GitRepository) -> Iterator[HttpRemote]:
    with HttpRemote(tmp_path / "served") as server:
        yield server
