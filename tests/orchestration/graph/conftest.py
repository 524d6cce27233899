from collections.abc import Callable, Iterator

import dagster as dg
import pytest

from ingest.git.repository_source import RepositorySource
from tests.git_repository import GitRepository

Add = Callable[[GitRepository], RepositorySource]


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


@pytest.fixture
def source(add: Add, repository: GitRepository) -> RepositorySource:
    """A repository with a branch `develop` that `main` lacks."""
    repository.commit({"a.py": "a = 1\n", "b.py": "def b():\n    return 2\n"})
    repository.branch("develop")
    repository.commit({"a.py": "a = 1\nc = 3\n"})
    repository.commit({"d.py": "d = 4\n"}, branch="develop")
    return add(repository)
