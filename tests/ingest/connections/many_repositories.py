"""Providers with forty repositories that have a row each: what a run asks for when one of them changes, or none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from ingest.connections.model import Connection, Provider, WantedRepository
from ingest.providers.azure.host import AzureDevOps
from ingest.providers.gitea.host import Gitea
from ingest.providers.gitlab.host import GitLab
from ingest.providers.gitlab.tracker import GitLabIssues
from tests.ingest.connections.running import connection_to
from tests.ingest.providers.azure import host_server as azure_server
from tests.ingest.providers.gitea import server as gitea_server
from tests.ingest.providers.gitlab import host_server as gitlab_server
from tests.ingest.providers.gitlab import tracker_server as fake_gitlab
from tests.ingest.providers.runs import at as october

REPOSITORIES = 40


@dataclass(frozen=True)
class Many:
    """`question` is a part of the path or document of the request that asks for all repositories at once.

    `row(server, number)` is the row of a repository, `change(server, number)` renames it at the time `changed_at`, and
    `add(server, number)` adds a later one. A run without news takes at most `most` requests, one without an answer to
    the question at least one for each repository.
    """

    provider: Provider
    address: str
    origin: str
    question: str
    make: Callable[[], Any]
    change: Callable[[Any, int], None]
    add: Callable[[Any, int], None]
    row: Callable[[Any, int], dict[str, Any]]
    changed_at: str
    most: int

    @property
    def table(self) -> str:
        return self.provider.category.main_table

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


def _azure_pull(number: int, repository: int, **more: Any) -> azure_server.Row:
    return azure_server.pull(
        number,
        repository={"id": f"repo-shop-{repository}"},
        creationDate=azure_server.at(number % 9 + 1),
        **more,
    )


def _azure() -> azure_server.AzureDevOps:
    numbers = range(1, REPOSITORIES + 1)
    return azure_server.AzureDevOps(
        repositories=[azure_server.repository(f"shop-{number}") for number in numbers],
        pulls=[
            _azure_pull(
                number, number, **({} if number in (5, 17) else {"status": "completed", "closed": 10})
            )
            for number in numbers
        ],
        now=azure_server.at(15),
    )


def _change_azure(server: azure_server.AzureDevOps, number: int) -> None:
    server.now = azure_server.at(20)
    server.pulls[number - 1] |= {"title": "Renamed", "status": "completed", "closedDate": server.now}


def _add_azure(server: azure_server.AzureDevOps, number: int) -> None:
    server.now = azure_server.at(21)
    server.pulls.append(_azure_pull(100 + number, number) | {"creationDate": server.now})


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


def _pull(server: Any, number: int) -> dict[str, Any]:
    found: dict[str, Any] = server.pulls[number - 1]
    return found


MANY = (
    # The version, projects, repositories, three lists of the project, and threads of two open pull requests.
    Many(
        AzureDevOps(), "https://dev.azure.com/acme", "dev.azure.com/acme/Web Shop/_git/shop-{}", "status=active&%24top",
        _azure, _change_azure, _add_azure, _pull, azure_server.at(20), most=3 + 3 + 2,
    ),
    Many(
        Gitea(), gitea_server.ADDRESS, "git.example.com/acme/shop-{}", "/issues/search?",
        _gitea, _change_gitea, _add_gitea, _pull, gitea_server.at(20), most=2,
    ),
    Many(
        GitLab(), gitlab_server.ADDRESS, "git.example.com/tools/acme/shop-{}", "query Newest",
        _gitlab, _change_gitlab, _add_gitlab, lambda server, number: server.merge_requests[number - 1],
        gitlab_server.at(20), most=2,
    ),
    # Pages of the fake tracker have two projects.
    Many(
        GitLabIssues(), fake_gitlab.ADDRESS, "gitlab.example/tools/acme/shop-{}", "query Newest",
        _gitlab_issues, _change_gitlab_issues, _add_gitlab_issues, lambda server, number: server.issues[number - 1],
        fake_gitlab.spelled(october(20)), most=20 + 1 + 2,
    ),
)  # fmt: skip
NAMES = [one.provider.kind.lower() for one in MANY]
