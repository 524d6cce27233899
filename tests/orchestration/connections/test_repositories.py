"""Repositories of a connection: cloned with its token, with the commits of merged pull requests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pytest

from api.control.connections import connections
from api.control.connections.available import listing_connections
from api.control.principals import OPERATOR
from api.control.repositories.repositories import ManagedRepository, managed_repository
from api.control.repositories.sync_status import readable_repositories
from ingest.git.identifiers import repository_id
from ingest.git.objects.refs import REVIEWS
from ingest.git.remote.url import normalize
from ingest.git.repository_source import mirror_of
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.reading.git_access import GitAccess, git_access, git_access_of_target
from tests.git_repository import GitRepository
from tests.ingest.git.remote.http_remote import HttpRemote
from tests.ingest.git.repository_source.mirrors import refs
from tests.ingest.providers.github.host_server import at, commit, merge, pull, repository
from tests.orchestration.connections.places import (
    TOKEN,
    GitHubPlace,
    add_listed,
    connect,
    read_repository,
    request_sync,
    run,
    squashed,
    tick,
)

LOGIN = f"x-access-token:{TOKEN}"


@pytest.fixture
def hosted(instance: dg.DagsterInstance, deployment: Deployment, host: GitHubPlace) -> str:
    """A connection that was synced once."""
    connection = connect(deployment, host, "Host")
    assert run(instance, deployment, tick(instance, deployment)[0]).success
    return connection


def sync(instance: dg.DagsterInstance, deployment: Deployment, connection: str) -> None:
    request_sync(deployment, connection)
    for one in tick(instance, deployment):
        run(instance, deployment, one)


def merged(host: GitHubPlace, number: int, source: str, delivered: str) -> None:
    """A merged pull request at the host."""
    host.server.pulls["shop"].append(
        pull(
            number,
            state="MERGED",
            mergedAt=at(number + 1),
            closedAt=at(number + 1),
            headRefOid=source,
            mergeCommit=merge(delivered, number + 1, 1),
            commits=[commit(source, number)],
        )
    )


def managed(deployment: Deployment, identifier: str) -> ManagedRepository:
    with deployment.control() as control:
        return managed_repository(control, LOCAL_ORGANIZATION, identifier)


def test_a_listed_repository_is_cloned_with_the_token_of_its_connection(
    instance: dg.DagsterInstance, deployment: Deployment, host: GitHubPlace, hosted: str
) -> None:
    added = add_listed(deployment, hosted)
    assert read_repository(instance, deployment, added).success
    assert deployment.lake.source("git", LOCAL_ORGANIZATION, added).read("commits").num_rows == 1
    assert managed(deployment, added).health == "HEALTHY"
    given = {login for _, path, login in host.remote.seen if path.startswith("/acme/")}
    assert given == {None, host.remote.authorization}
    for file in deployment.settings.mirrors_dir.rglob("*"):
        assert not file.is_file() or TOKEN.encode() not in file.read_bytes(), file


def test_a_repository_of_a_failing_connection_needs_attention(
    instance: dg.DagsterInstance, deployment: Deployment, host: GitHubPlace, hosted: str
) -> None:
    added = add_listed(deployment, hosted)
    assert read_repository(instance, deployment, added).success
    host.authorization = host.remote.authorization = "Bearer another"
    sync(instance, deployment, hosted)
    assert not read_repository(instance, deployment, added).success
    shown = managed(deployment, added)
    assert shown.health == "FAILING"
    assert "The connection 'Host' fails: GitHub does not accept the token" in (shown.connection_failure or "")
    assert "login was refused" in (shown.failure or "")
    assert TOKEN not in f"{shown}"


def test_the_next_analysis_after_a_sync_has_the_commits_of_squashed_pull_requests(
    instance: dg.DagsterInstance,
    deployment: Deployment,
    host: GitHubPlace,
    hosted: str,
    shop: GitRepository,
) -> None:
    source, delivered = squashed(shop, 3)
    added = add_listed(deployment, hosted)
    assert read_repository(instance, deployment, added).success
    stored = deployment.lake.source("git", LOCAL_ORGANIZATION, added)
    assert source not in stored.read("commits")["commit_sha"].to_pylist()
    before = _entry(deployment, added)

    merged(host, 3, source, delivered)
    # An open one has a head as well, whose commits are not delivered.
    host.server.pulls["shop"].append(pull(4, headRefOid=source))
    shop.git("update-ref", "refs/pull/4/head", source)
    sync(instance, deployment, hosted)
    assert read_repository(instance, deployment, added).success
    [row] = [one for one in stored.read("commits").to_pylist() if one["commit_sha"] == source]
    assert row["author_email"] == "grace@acme.example"
    reach = {one["commit_sha"]: one for one in stored.read("reachability").to_pylist()}
    assert (reach[source]["from_review"], reach[source]["from_default"]) == (True, False)
    assert reach[delivered]["from_default"]
    names = refs(mirror_of(deployment.settings, added))
    assert f"{REVIEWS}3" in names
    assert f"{REVIEWS}4" not in names
    assert _entry(deployment, added) != before, "the new head is an input of the analysis"


def test_a_repository_without_news_is_neither_fetched_nor_written_again(
    instance: dg.DagsterInstance,
    deployment: Deployment,
    host: GitHubPlace,
    hosted: str,
    shop: GitRepository,
) -> None:
    merged(host, 3, *squashed(shop, 3))
    added = add_listed(deployment, hosted)
    sync(instance, deployment, hosted)
    assert read_repository(instance, deployment, added).success
    before = _entry(deployment, added), host.remote.packs, _batch(deployment, added)
    sync(instance, deployment, hosted)
    assert read_repository(instance, deployment, added).success
    assert (_entry(deployment, added), host.remote.packs, _batch(deployment, added)) == before


def test_without_its_connection_a_repository_has_no_token_and_keeps_what_it_has(
    instance: dg.DagsterInstance,
    deployment: Deployment,
    host: GitHubPlace,
    hosted: str,
    shop: GitRepository,
) -> None:
    source, delivered = squashed(shop, 3)
    merged(host, 3, source, delivered)
    added = add_listed(deployment, hosted)
    sync(instance, deployment, hosted)
    assert read_repository(instance, deployment, added).success
    with deployment.control() as control:
        connections.remove_connection(control, OPERATOR, LOCAL_ORGANIZATION, hosted)
        [known] = readable_repositories(control, added)
    assert git_access(deployment, known, known.address or "") == GitAccess()
    host.remote.authorization = None  # it is public now
    host.remote.seen.clear()
    assert read_repository(instance, deployment, added).success
    assert {login for _, _, login in host.remote.seen} == {None}
    stored = deployment.lake.source("git", LOCAL_ORGANIZATION, added)
    assert source in stored.read("commits")["commit_sha"].to_pylist()


def test_an_address_of_the_command_line_has_the_connection_that_lists_it(
    deployment: Deployment, host: GitHubPlace, hosted: str
) -> None:
    target = host.remote.url("acme/shop.git")
    access = git_access_of_target(deployment, LOCAL_ORGANIZATION, target)
    assert (access.login, access.reviews) == (LOGIN, {})
    # Another spelling of the same repository.
    assert git_access_of_target(deployment, LOCAL_ORGANIZATION, target.removesuffix(".git")).login == LOGIN
    own = target.replace("https://", "https://me:mine@")
    assert git_access_of_target(deployment, LOCAL_ORGANIZATION, own).login is None
    for other in ("https://git.example/acme/shop", "/srv/acme/shop.git", "git@127.0.0.1:acme/shop.git", "-x"):
        assert git_access_of_target(deployment, LOCAL_ORGANIZATION, other) == GitAccess(), other


def test_a_host_that_lists_a_foreign_address_does_not_send_the_token_there(
    instance: dg.DagsterInstance,
    deployment: Deployment,
    host: GitHubPlace,
    hosted: str,
    new_repository: Callable[..., GitRepository],
    tmp_path: Path,
) -> None:
    new_repository("elsewhere/acme/trap.git", bare=True).commit({"a": "1"})
    with HttpRemote(tmp_path / "elsewhere", "Basic none", context=host.remote.context) as stranger:
        trap = stranger.url("acme/trap.git", host="localhost")
        host.server.repositories.append(repository(8, "trap", clone_url=trap))
        sync(instance, deployment, hosted)
        identifier = repository_id(LOCAL_ORGANIZATION, normalize(trap))
        with deployment.control() as control:
            assert listing_connections(control, LOCAL_ORGANIZATION, identifier) == []
        assert git_access_of_target(deployment, LOCAL_ORGANIZATION, trap) == GitAccess()
        added = add_listed(deployment, hosted, "8")
        assert not read_repository(instance, deployment, added).success
        assert {login for _, _, login in stranger.seen} <= {None}


def _entry(deployment: Deployment, identifier: str) -> str | None:
    """The fingerprint of what the last analysis read."""
    entry = deployment.run_state.repository(LOCAL_ORGANIZATION, identifier)
    assert entry is not None
    return entry.state


def _batch(deployment: Deployment, identifier: str) -> int:
    return deployment.lake.source("git", LOCAL_ORGANIZATION, identifier).state().batch
