"""Providers with forty repositories that have a row each: what a run asks for when one of them changes, or none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from ingest.connections.model import Connection, Provider, WantedRepository
from ingest.hosts.gitea import Gitea
from ingest.hosts.gitlab import GitLab
from ingest.trackers.gitlab_issues import GitLabIssues
from tests.ingest.connections.running import connection_to
from tests.ingest.hosts import gitea_server, gitlab_server
from tests.ingest.trackers import fake_gitlab
from tests.ingest.trackers.runs import at as october

REPOSITORIES = 40


@dataclass(frozen=True)
class Many:
    """`question` is a part of the path or document of the request that asks for all repositories at once.

    `change(server, number)` renames the row of a repository, `add(server, number)` adds a row to it. A run without
    news takes at most `most` requests, one without an answer to the question at least one for each repository.
    """

    provider: Provider
    address: str
    origin: str
    question: str
    make: Callable[[], Any]
    change: Callable[[Any, int], None]
    add: Callable[[Any, int], None]
    most: int

    @property
    def table(self) -> str:
        return "pull_requests" if self.provider.category.value == "hosts" else "items"

    @property
    def connection(self) -> Connection:
        return connection_to(self.provider, self.address)

    def wanted(self, count: int = REPOSITORIES) -> list[WantedRepository]:
        return [
            WantedRepository(f"repository-{number}", self.origin.format(number))
            for number in range(1, count + 1)
        ]

    def is_question(self, request: httpx.Request) -> bool:
        return self.question in f"{request.url} {request.content.decode()}"


def _gitea_pull(number: int, repository: int, **more: Any) -> gitea_server.Row:
    base = {"ref": "main", "repo_id": repository}
    return gitea_server.pull(number, id=1000 * repository + number, base=base, **more)


def _gitea() -> gitea_server.GiteaServer:
    numbers = range(1, REPOSITORIES + 1)
    return gitea_server.GiteaServer(
        [gitea_server.repository(number, f"shop-{number}") for number in numbers],
        pulls=[
            _gitea_pull(1, number, updated_at=gitea_server.at(number % 9 + 1, number % 24))
            for number in numbers
        ],
        now=gitea_server.at(15),
    )


def _change_gitea(server: gitea_server.GiteaServer, number: int) -> None:
    server.now = gitea_server.at(20)
    server.pulls[number - 1] |= {"title": "Renamed", "updated_at": server.now}


def _add_gitea(server: gitea_server.GiteaServer, number: int) -> None:
    server.now = gitea_server.at(21)
    server.pulls.append(_gitea_pull(21, number))


def _gitlab() -> gitlab_server.GitLabServer:
    numbers = range(1, REPOSITORIES + 1)
    return gitlab_server.GitLabServer(
        projects=[gitlab_server.project(number, f"acme/shop-{number}") for number in numbers],
        merge_requests=[gitlab_server.merge_request(1, project_id=number) for number in numbers],
    )


def _change_gitlab(server: gitlab_server.GitLabServer, number: int) -> None:
    server.merge_requests[number - 1] |= {"title": "Renamed", "updated_at": gitlab_server.at(20)}


def _add_gitlab(server: gitlab_server.GitLabServer, number: int) -> None:
    server.merge_requests.append(gitlab_server.merge_request(21, project_id=number))


def _gitlab_issues() -> fake_gitlab.FakeGitLab:
    numbers = range(1, REPOSITORIES + 1)
    projects = [fake_gitlab.project(number, f"acme/shop-{number}") for number in numbers]
    return fake_gitlab.FakeGitLab(
        projects,
        [fake_gitlab.issue(1, at=october(number % 9 + 1), of=projects[number - 1]) for number in numbers],
    )


def _change_gitlab_issues(server: fake_gitlab.FakeGitLab, number: int) -> None:
    server.issues[number - 1] |= {"title": "Renamed", "updated_at": fake_gitlab.spelled(october(20))}


def _add_gitlab_issues(server: fake_gitlab.FakeGitLab, number: int) -> None:
    server.issues.append(fake_gitlab.issue(21, at=october(21), of=server.projects[number - 1]))


MANY = (
    Many(
        Gitea(), gitea_server.ADDRESS, "git.example.com/acme/shop-{}", "/issues/search?",
        _gitea, _change_gitea, _add_gitea, most=2,
    ),
    Many(
        GitLab(), gitlab_server.ADDRESS, "git.example.com/tools/acme/shop-{}", "query Newest",
        _gitlab, _change_gitlab, _add_gitlab, most=2,
    ),
    # Pages of the fake tracker have two projects.
    Many(
        GitLabIssues(), fake_gitlab.ADDRESS, "gitlab.example/tools/acme/shop-{}", "query Newest",
        _gitlab_issues, _change_gitlab_issues, _add_gitlab_issues, most=20 + 1 + 2,
    ),
)  # fmt: skip
NAMES = [one.provider.kind.lower() for one in MANY]
