"""Gitea and Forgejo: repositories and pull requests become rows, once. The smallest connector is the worked example."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ingest.connections.model import WantedRepository
from ingest.errors import ProviderRefused, Refusal
from ingest.lake import Source
from ingest.providers.gitea.host import Gitea
from tests.ingest.connections.running import (
    Handler,
    Recorded,
    client_to,
    connection_to,
    events,
    rows,
    run,
)
from tests.ingest.providers.gitea.server import (
    ADDRESS,
    GiteaServer,
    at,
    commit,
    entry,
    pull,
    repository,
    review,
    sha,
    user,
)

PROVIDER = Gitea()
CONNECTION = connection_to(PROVIDER, ADDRESS)
SHOP = WantedRepository("repository-of-shop", "git.example.com/acme/shop")


def read(source: Source, server: Handler, **options: Any) -> dict[str, dict[str, Any]]:
    """The pull requests after a run, by number."""
    report = run(source, PROVIDER, CONNECTION, server, [SHOP], **options)
    assert (report.failures, report.unread) == ({}, {})
    return {key.rpartition("/")[2]: row for key, row in rows(source, "pull_requests").items()}


def time(day: int) -> datetime:
    return datetime(2026, 3, day, tzinfo=UTC)


def test_repositories_are_listed_whatever_address_the_server_gives_itself(source: Source) -> None:
    server = Recorded(
        GiteaServer(
            repositories=[
                repository(3, "old", archived=True),
                repository(5, "new", empty=True, default_branch="main"),
                repository(7, "shop", private=False, fork=True),
            ],
            page_size=2,
            names_itself="http://localhost:3000",
        )
    )
    run(source, PROVIDER, CONNECTION, server)
    found = rows(source, "repositories")
    assert [(row["owner"], row["name"]) for row in found.values()] == [
        ("acme", n) for n in ("old", "new", "shop")
    ]
    assert [row["is_archived"] for row in found.values()] == [True, False, False]
    assert [row["default_branch"] for row in found.values()] == ["main", None, "main"]
    assert [row["is_private"] for row in found.values()] == [True, True, False]
    assert found["7"]["address"] == f"{ADDRESS}/acme/shop.git"
    assert {request.url.host for request in server.requests} == {"git.example.com"}


def test_the_life_of_a_pull_request(source: Source) -> None:
    server = GiteaServer(
        pulls=[
            pull(
                1,
                updated=10,
                state="closed",
                merged=True,
                merged_at=at(9),
                closed_at=at(9),
                merged_by=user("eve"),
                merge_commit_sha=sha(90),
                requested_reviewers=[user("cat")],
                labels=[{"id": 1, "name": "bug"}],
                comments=1,
                review_comments=2,
                head={"label": "ann:topic", "ref": "refs/pull/1/head", "sha": sha(1), "repo_id": -1},
            )
        ],
        commits={1: [commit(3), commit(2), commit(1)]},
        reviews={
            1: [
                review("PENDING", 4),
                review("COMMENT", 4),
                review("REQUEST_CHANGES", 5),
                review("APPROVED", 6, dismissed=True),
                review("REQUEST_REVIEW", 6, "cat", id=60),
                review("APPROVED", 8, "cat"),
            ]
        },
        timelines={
            1: [
                entry("change_title", 2, old_title="Pay", new_title="WIP: Pay"),
                entry("change_title", 3, old_title="WIP: Pay", new_title="Pay"),
                entry("change_title", 3, old_title="Pay", new_title="Pay by card"),
                entry("review_request", 3, assignee=user("bob")),
                entry("review_request", 3, assignee=user("old"), removed_assignee=True),
                entry("comment", 4, "bob"),
                entry("dismiss_review", 7, "eve", pull_request_review_id=6),
                entry("merge_pull", 9, "eve"),
            ]
        },
    )
    one = read(source, server)["1"]
    assert events(one) == [
        ("draft", "ann", None),
        ("ready", "ann", None),
        ("review_requested", "ann", "bob"),
        ("reviewed", "bob", sha(4)),
        ("commented", "bob", None),
        ("changes_requested", "bob", sha(5)),
        ("approved", "bob", sha(6)),
        ("unapproved", "bob", None),
        ("approved", "cat", sha(8)),
        ("merged", "eve", None),
    ]
    assert (one["state"], one["merged_at"], one["merged_by"], one["merge_sha"]) == (
        "merged",
        time(9),
        "eve",
        sha(90),
    )
    assert (one["source_branch"], one["target_branch"], one["is_from_fork"]) == ("topic", "main", True)
    assert (one["author"], one["author_name"], one["author_kind"]) == ("ann", "Ann", "person")
    assert (one["reviewers"], one["labels"], one["comment_count"]) == (["cat", "bob"], ["bug"], 3)
    assert [made["sha"] for made in one["commits"]] == [sha(1), sha(2), sha(3)]
    assert (one["lines_added"], one["lines_deleted"], one["commit_count"]) == (5, 2, 3)


def test_ends_without_a_timeline_deleted_branches_and_drafts_of_old_versions(source: Source) -> None:
    old = pull(3, title="[WIP] Pay", user=user("gitea-actions", -2))
    del old["draft"]
    server = GiteaServer(
        pulls=[
            pull(
                1,
                state="closed",
                merged=True,
                merged_at=at(9),
                merged_by=user("eve"),
                merge_commit_sha=sha(8),
            ),
            pull(
                2, state="closed", closed_at=at(5), merge_commit_sha=sha(7), head={"ref": "refs/pull/2/head"}
            ),
            old,
        ]
    )
    found = read(source, server)
    assert events(found["1"]) == [("merged", "eve", None)]
    assert (found["2"]["state"], found["2"]["merge_sha"], found["2"]["source_branch"]) == (
        "closed",
        None,
        None,
    )
    assert (found["3"]["is_draft"], found["3"]["author_kind"]) == (True, "bot")


def test_every_page_is_read_and_a_second_run_reads_changes_alone(source: Source) -> None:
    server = GiteaServer(
        pulls=[pull(n) for n in range(1, 21)],
        timelines={1: [entry("comment", day) for day in range(1, 24)]},
        page_size=5,
    )
    found = read(source, server)
    assert (sorted(map(int, found)), len(found["1"]["events"])) == (list(range(1, 21)), 23)
    server.pulls[3] |= {"title": "Renamed", "updated_at": at(25)}
    again = Recorded(server)
    assert run(source, PROVIDER, CONNECTION, again, [SHOP]).rows == {"pull_requests": 1}
    assert rows(source, "pull_requests")["7/4"]["title"] == "Renamed"
    # The list of repositories, that of pull requests, and four details.
    assert len(again.requests) == 6
    assert again.requests[1].url.params["since"] == "2026-03-19T23:55:00Z"


def test_a_sweep_removes_what_no_longer_exists(source: Source) -> None:
    server = GiteaServer(pulls=[pull(n) for n in range(1, 6)])
    read(source, server)
    del server.pulls[2]
    assert set(read(source, server)) == {"1", "2", "3", "4", "5"}
    assert set(read(source, server, now=lambda: datetime.now(UTC) + timedelta(days=8))) == {
        "1",
        "2",
        "4",
        "5",
    }


def test_a_public_repository_is_found_by_its_address(source: Source) -> None:
    server = GiteaServer(repositories=[], public=[repository(7, "shop")], pulls=[pull(1)])
    assert set(read(source, server)) == {"1"}


def test_a_check_names_the_account_and_says_what_to_change() -> None:
    with client_to(PROVIDER, CONNECTION, GiteaServer()) as client:
        assert PROVIDER.check(client, CONNECTION).account == "ann"
    with (
        pytest.raises(ProviderRefused, match="read:repository") as caught,
        client_to(PROVIDER, CONNECTION, GiteaServer(token="other")) as client,
    ):
        PROVIDER.check(client, CONNECTION)
    assert caught.value.refusal is Refusal.UNAUTHORIZED
