from collections.abc import Callable
from concurrent.futures import Future

import pytest

from ingest.errors import NotARepository
from ingest.git.repository_source import RepositorySource
from orchestration.deployment import Deployment
from orchestration.reading.readings import Readings
from orchestration.reading.repositories import (
    KnownRepository,
    address,
    known,
    open_known,
    printable_target,
    storable_target,
)
from orchestration.runtime.progress import Progress
from tests.git_repository import GitRepository


def test_a_known_repository_is_opened_at_its_last_location(
    deployment: Deployment, add: Callable[[GitRepository], RepositorySource], repository: GitRepository
) -> None:
    repository.commit({"a": "1"})
    source = add(repository)
    found = known(deployment, source.repository_id)
    assert found.name == source.name
    assert open_known(deployment, found, Progress()) == source


def test_another_repository_at_the_same_path_is_refused(
    deployment: Deployment,
    add: Callable[[GitRepository], RepositorySource],
    new_repository: Callable[..., GitRepository],
) -> None:
    first, second = new_repository("first"), new_repository("second")
    first.commit({"a": "1"})
    second.commit({"b": "2"})
    found = known(deployment, add(first).repository_id)
    first.path.rename(first.path.with_name("away"))
    second.path.rename(first.path)
    with pytest.raises(NotARepository, match="another repository"):
        open_known(deployment, found, Progress())


def test_an_unknown_repository_is_refused(deployment: Deployment) -> None:
    with pytest.raises(NotARepository, match="no-such-id"):
        known(deployment, "no-such-id")


def test_an_opened_repository_is_not_opened_again(
    deployment: Deployment, add: Callable[[GitRepository], RepositorySource], repository: GitRepository
) -> None:
    repository.commit({"a": "1"})
    source = add(repository)
    repository.path.rename(repository.path.with_name("away"))
    readings = Readings()
    readings.add(source, Future())
    assert readings.open(deployment, known(deployment, source.repository_id), Progress()) is source


@pytest.mark.parametrize(
    "target",
    [
        "https://user:s3cret@example.org/o/n",
        "https://s3cret@example.org/o/n",
        "ftp://a:s3cret@example.org/o/n",
    ],
)
def test_no_secret_of_an_address_is_stored_or_printed(target: str) -> None:
    assert "s3cret" not in printable_target(target)
    if target.startswith("https"):
        assert storable_target(target) == "https://example.org/o/n"


def test_a_repository_that_was_never_read_here_is_opened_at_its_remote() -> None:
    never_read = KnownRepository("o", "local", "r", "o/n", "example.org/o/n", is_disabled=False)
    assert address(never_read) == "https://example.org/o/n"
