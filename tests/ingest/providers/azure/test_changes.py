"""Lists of whole projects of Azure DevOps: they spare those of repositories and lack no pull request of these."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from ingest.connections.model import WantedRepository
from ingest.http.pages import Offset
from ingest.lake import Source
from ingest.providers.azure import changes as azure_changes
from ingest.providers.azure.host import AzureDevOps
from tests.ingest.connections.running import Handler, Recorded, connection_to, read_pull_requests, rows
from tests.ingest.providers.azure import host_server as fake

PROVIDER = AzureDevOps()
CONNECTION = connection_to(PROVIDER, "https://dev.azure.com/acme")
PROJECTS = ("Web Shop", "Other")
COUNT = 12


def project_of(number: int) -> str:
    return PROJECTS[number % 2]


def read(source: Source, server: Handler) -> list[str]:
    """The addresses of the pull requests that a run over all repositories lists."""
    recorded = Recorded(server)
    wanted = [
        WantedRepository(f"r{number}", f"dev.azure.com/acme/{project_of(number)}/_git/shop-{number}")
        for number in range(COUNT)
    ]
    read_pull_requests(source, PROVIDER, CONNECTION, recorded, wanted)
    return [str(one.url) for one in recorded.requests if one.url.path.endswith("/_apis/git/pullrequests")]


def server(**more: Any) -> fake.AzureDevOps:
    """Two projects with six repositories each; each repository has an open pull request of the first days."""
    return fake.AzureDevOps(
        list(PROJECTS),
        [fake.repository(f"shop-{number}", project_of(number)) for number in range(COUNT)],
        pulls=[
            fake.pull(number + 1, repository={"id": f"repo-shop-{number}"}, creationDate=fake.at(1))
            for number in range(COUNT)
        ],
        now=fake.at(15),
        **more,
    )


def test_open_pull_requests_of_quiet_repositories_need_no_list_of_their_own(source: Source) -> None:
    """Their last change is long ago, but they were read lately."""
    made = server()
    assert len(read(source, made)) >= COUNT
    made.now = fake.at(16)
    made.threads[4] = [fake.vote(16, 10)]
    listed = read(source, made)
    assert len(listed) == 3 * len(PROJECTS)
    assert not any("repositoryId" in address for address in listed)
    assert [event["kind"] for event in rows(source, "pull_requests")["repo-shop-3/4"]["events"]] == [
        "approved"
    ]


def test_a_project_that_refuses_its_lists_is_asked_by_repository(source: Source) -> None:
    made = server()
    read(source, made)
    made.threads |= {3: [fake.vote(15, 10)], 4: [fake.vote(15, -10)]}

    def refusing(request: httpx.Request) -> httpx.Response:
        address = str(request.url)
        if "/Other/_apis/git/pullrequests" in address and "repositoryId" not in address:
            return httpx.Response(403, json={"message": "no"})
        return made(request)

    assert len([address for address in read(source, refusing) if "repositoryId" in address]) == 3 * COUNT / 2
    found = rows(source, "pull_requests")
    kinds = [found[key]["events"][0]["kind"] for key in ("repo-shop-2/3", "repo-shop-3/4")]
    assert kinds == ["approved", "changes_requested"]


def test_a_pull_request_that_closes_while_the_open_ones_are_listed_hides_no_other(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(azure_changes, "PAGE", 3)
    monkeypatch.setattr(azure_changes, "LIST", Offset(("value",), "$skip", 3, 1))
    made = server()
    read(source, made)
    made.now = fake.at(16)
    for number in range(1, COUNT + 1):
        made.threads[number] = [fake.vote(16, 10)]
    # The service lists the newest first, so that this one is on the first page of its project.
    newest = next(one for one in made.pulls if one["pullRequestId"] == COUNT)

    def closing(request: httpx.Request) -> httpx.Response:
        answer = made(request)
        if "/Other/" in str(request.url) and "status=active" in str(request.url):
            newest.update(status="completed", closedDate=fake.at(16))
        return answer

    read(source, closing)
    kinds = {key: row["events"][0]["kind"] for key, row in rows(source, "pull_requests").items()}
    assert kinds == {f"repo-shop-{number}/{number + 1}": "approved" for number in range(COUNT)}
