"""A clone of ours whose objects were damaged is made again; nothing is built from what could be read of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pygit2
import pytest

from ingest.errors import Transient
from ingest.git.repository_source import RepositorySource, mirror_of, resolve
from ingest.git.supervision import Readers
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.reading import extraction
from orchestration.runtime.progress import Progress
from tests.git_repository import GitRepository


@pytest.fixture
def source(deployment: Deployment, new_repository: Callable[..., GitRepository]) -> RepositorySource:
    """A repository in the place of a clone."""
    repository = new_repository("served", bare=True)
    repository.commit({"a.py": "value = compute(1)\n"})
    repository.commit({"a.py": "value = compute(2)\n"})
    source = resolve(str(repository.path), deployment.settings, LOCAL_ORGANIZATION)
    mirror = mirror_of(deployment.settings, source.repository_id)
    mirror.parent.mkdir(parents=True)
    repository.path.rename(mirror)
    return replace(source, path=mirror, is_trusted_mirror=True)


def read(deployment: Deployment, source: RepositorySource) -> extraction.Reading:
    return extraction.read(deployment, Readers(deployment.settings), source, Progress(), workers=1)


def object_of(source: RepositorySource, what: str) -> Path:
    head = pygit2.Repository(str(source.path)).revparse_single(what)
    sha = str(head.id)
    return source.path / "objects" / sha[:2] / sha[2:]


@pytest.mark.parametrize("what", ["main:a.py", "main^{tree}", "main^"])
def test_a_clone_with_a_damaged_object_is_deleted_and_its_facts_are_not_built(
    deployment: Deployment, source: RepositorySource, what: str
) -> None:
    file = object_of(source, what)
    file.chmod(0o644)
    file.write_bytes(b"no object")
    with pytest.raises(Transient, match="run again"):
        read(deployment, source)
    assert not source.path.exists()
    assert deployment.lake.source("git", LOCAL_ORGANIZATION, source.repository_id).damage(thorough=False)


def test_a_whole_clone_stays(deployment: Deployment, source: RepositorySource) -> None:
    assert read(deployment, source).report.commits_new == 2
    assert source.path.exists()


def test_a_damaged_object_of_the_users_own_repository_deletes_nothing(
    deployment: Deployment, source: RepositorySource
) -> None:
    file = object_of(source, "main:a.py")
    file.chmod(0o644)
    file.write_bytes(b"no object")
    assert read(deployment, replace(source, is_trusted_mirror=False)).report.skipped_objects
    assert source.path.exists()
