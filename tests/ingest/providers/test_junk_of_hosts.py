"""Answers with junk in any place: rows that cannot be read are counted, and the others are kept."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest.connections.model import Provider, WantedRepository
from ingest.providers.azure.host import AzureDevOps
from ingest.providers.azure.tracker import AzureBoards
from ingest.providers.bitbucket.cloud import BitbucketCloud
from ingest.providers.bitbucket.data_center import BitbucketDataCenter
from ingest.providers.gitea.host import Gitea
from ingest.providers.gitlab.host import GitLab
from tests.ingest.connections.running import Handler, connection_to, rows, run, source_in
from tests.ingest.providers.azure import host_server as azure_server
from tests.ingest.providers.azure import tracker_server as azure_boards_server
from tests.ingest.providers.bitbucket import cloud_server as bitbucket_cloud_server
from tests.ingest.providers.bitbucket import data_center_server as bitbucket_server
from tests.ingest.providers.gitea import server as gitea_server
from tests.ingest.providers.gitlab import host_server as gitlab_server

JUNK: tuple[Any, ...] = (None, 7, -(10**30), "\x00text", [], [None, 3], {}, {"id": []}, True)
Row = dict[str, Any]


def spoilt(row: Row, keep: tuple[str, ...]) -> Iterator[Row]:
    """Copies of a row, each with junk in the place of one value."""
    for key in row:
        for junk in () if key in keep else JUNK:
            yield {**copy.deepcopy(row), key: junk}


def numbered(make: Callable[[int], Row], key: str, *keep: str) -> list[Row]:
    """Two good rows around spoilt ones, which have numbers of their own or none."""
    bad = [{**row, key: number + 10} for number, row in enumerate(spoilt(make(5), (key, *keep)))]
    return [make(1), *bad, {**make(5), key: None}, {**make(5), key: []}, make(2)]


def cloud() -> Handler:
    review = {"approval": {"date": bitbucket_cloud_server.at(3), "user": bitbucket_cloud_server.user("bob")}}
    pulls = numbered(bitbucket_cloud_server.pull, "id", "state", "updated_on")
    activities = {1: [review], 10: [*spoilt(review, ()), {"update": {"date": "x", "state": 3}}]}
    return bitbucket_cloud_server.BitbucketCloud(pulls=pulls, activities=activities)


def data_center() -> Handler:
    approval = bitbucket_server.activity("APPROVED", 3)
    return bitbucket_server.BitbucketServer(
        pulls=numbered(bitbucket_server.pull, "id", "state", "updatedDate"),
        activities={1: [approval], 10: list(spoilt(approval, ()))},
    )


def azure() -> Handler:
    pulls = numbered(azure_server.pull, "pullRequestId", "repository", "status")
    return azure_server.AzureDevOps(
        # Only the service sorts by number.
        pulls=[one for one in pulls if isinstance(one["pullRequestId"], int)],
        threads={1: [azure_server.vote(3, 10)], 10: list(spoilt(azure_server.vote(4, 10), ()))},
    )


def gitlab() -> Handler:
    approval = gitlab_server.note(gitlab_server.at(3), "approved this merge request")
    state = gitlab_server.change(gitlab_server.at(4), "closed")
    commit = gitlab_server.commit(1)
    # The server sorts by these.
    keep = ("id", "project_id", "updated_at")
    rows = [
        {**row, "updated_at": gitlab_server.at(5)}
        for row in numbered(gitlab_server.merge_request, "iid", *keep)
    ]
    return gitlab_server.GitLabServer(
        merge_requests=rows,
        notes={1: [approval], 10: list(spoilt(approval, ()))},
        changes={1: [state], 11: list(spoilt(state, ()))},
        commits={n + 12: [spoilt_one] for n, spoilt_one in enumerate(spoilt(commit, ()))},
    )


def gitea() -> Handler:
    approval, closed = gitea_server.review("APPROVED", 3), gitea_server.entry("close", 4)
    return gitea_server.GiteaServer(
        pulls=numbered(gitea_server.pull, "number"),
        reviews={1: [approval], 10: list(spoilt(approval, ()))},
        timelines={1: [closed], 11: list(spoilt(closed, ()))},
        commits={n + 12: [spoilt_one] for n, spoilt_one in enumerate(spoilt(gitea_server.commit(1), ()))},
    )


@pytest.mark.parametrize(
    ("provider", "address", "origin", "server"),
    [
        (GitLab(), gitlab_server.ADDRESS, "git.example.com/tools/acme/shop", gitlab),
        (Gitea(), gitea_server.ADDRESS, "git.example.com/acme/shop", gitea),
        (BitbucketCloud(), "https://bitbucket.org", "bitbucket.org/acme/shop", cloud),
        (
            BitbucketDataCenter(),
            "https://git.example.com/bitbucket",
            "git.example.com:7999/shop/web",
            data_center,
        ),
        (AzureDevOps(), "https://dev.azure.com/acme", "dev.azure.com/acme/Web Shop/_git/shop", azure),
    ],
    ids=["gitlab", "gitea", "cloud", "data_center", "azure"],
)
def test_junk_stops_no_other_pull_request(
    tmp_path: Path, provider: Provider, address: str, origin: str, server: Callable[[], Handler]
) -> None:
    source = source_in(tmp_path, provider)
    user = bitbucket_cloud_server.EMAIL if isinstance(provider, BitbucketCloud) else ""
    connection = connection_to(provider, address, user=user)
    report = run(source, provider, connection, server(), [WantedRepository("r", origin)])
    # A listing with a row without an id says nothing about deletions. Azure DevOps sorts its rows by their numbers.
    assert all("deletions are not looked for" in said for said in report.failures.values())
    assert bool(report.failures) is not isinstance(provider, AzureDevOps)
    found = {row["number"]: row for row in rows(source, "pull_requests").values()}
    assert {1, 2} <= found.keys()
    assert "approved" in [event["kind"] for event in found[1]["events"]]
    assert sum(report.unread.values()) > 0


def test_junk_stops_no_other_item(tmp_path: Path) -> None:
    provider = AzureBoards()
    source, server = source_in(tmp_path, provider), azure_boards_server.AzureBoards()
    server.change(1, 1)
    fields = server.change(2, 2)["fields"]
    for number, junk in enumerate(spoilt(fields, ())):
        server.revisions.append({"id": number + 10, "rev": 1, "fields": junk})
    report = run(source, provider, connection_to(provider, "https://dev.azure.com/acme"), server)
    assert report.failures == {}
    assert {"1", "2"} <= rows(source, "items").keys()
    assert sum(report.unread.values()) > 0
