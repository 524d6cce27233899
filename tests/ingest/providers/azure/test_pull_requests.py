"""Azure DevOps: pull requests with their votes, drafts, people and states."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from ingest.connections.model import WantedRepository
from ingest.http.pages import Offset
from ingest.lake import Source
from ingest.providers.azure import host as azure_devops
from ingest.providers.azure.host import AzureDevOps
from tests.ingest.connections.running import (
    Handler,
    Recorded,
    connection_to,
    events,
    read_pull_requests,
    rows,
    run,
)
from tests.ingest.providers.azure import host_server as fake

PROVIDER = AzureDevOps()
CONNECTION = connection_to(PROVIDER, "https://dev.azure.com/acme")
SHOP = WantedRepository("5b1f5f3e-0000-5000-8000-000000000003", "dev.azure.com/acme/Web Shop/_git/shop")


def read(source: Source, server: Handler, **options: Any) -> dict[str, dict[str, Any]]:
    """The pull requests after a run, by number."""
    return read_pull_requests(source, PROVIDER, CONNECTION, server, [SHOP], **options)


def time(day: int) -> datetime:
    return datetime(2026, 3, day, tzinfo=UTC)


def test_votes_have_the_times_of_their_threads(source: Source) -> None:
    bob, team = fake.user("bob"), fake.group("Reviewers")
    server = fake.AzureDevOps(
        pulls=[
            fake.pull(1, status="completed", closed=9, reviewers=[{**bob, "vote": 10}, {**team, "vote": 10}]),
        ],
        threads={
            1: [
                fake.vote(8, 10),
                fake.vote(8, 10, team),
                fake.vote(7, 0),
                fake.vote(6, -10),
                fake.vote(5, 5),
                fake.vote(4, -5),
                fake.thread(3, text="Why so?"),
                fake.thread(3, text="Never mind", isDeleted=True),
                fake.thread(
                    2,
                    "ReviewersUpdate",
                    values={
                        "CodeReviewReviewersUpdatedAddedIdentity": "1",
                        "CodeReviewReviewersUpdatedByIdentity": "2",
                    },
                    identities={"1": bob, "2": fake.user("ann")},
                ),
                fake.thread(2, "RefUpdate", "The reference refs/heads/topic-1 was updated."),
            ]
        },
    )
    one = read(source, server)["1"]
    assert [(e["kind"], e["at"].day) for e in one["events"]] == [
        ("review_requested", 2),
        ("commented", 3),
        ("changes_requested", 4),
        ("approved", 5),
        ("changes_requested", 6),
        ("unapproved", 7),
        ("approved", 8),
        ("merged", 9),
    ]
    assert ("review_requested", "ann@example.com", "bob@example.com") in events(one)
    assert {actor for kind, actor, _ in events(one) if kind == "approved"} == {"bob@example.com"}
    assert (one["comment_count"], one["reviewers"]) == (1, ["bob@example.com"])
    assert (one["merged_at"], one["merged_by"], one["updated_at"]) == (time(9), "bob@example.com", time(9))


def test_older_servers_name_people_by_ids_without_hyphens(source: Source) -> None:
    bob = fake.user("bob")
    values = {"CodeReviewVoteResult": "10", "CodeReviewVotedByTfId": bob["id"].replace("-", "")}
    server = fake.AzureDevOps(
        pulls=[fake.pull(1, reviewers=[bob])],
        threads={1: [fake.thread(2, "VoteUpdate", values=values)]},
    )
    assert events(read(source, server)["1"]) == [("approved", "bob@example.com", None)]


def test_drafts_become_ready_and_closed_ones_active_again(source: Source) -> None:
    server = fake.AzureDevOps(
        pulls=[fake.pull(1)],
        threads={
            1: [
                fake.thread(2, "IsDraftUpdate", "Ann published the pull request"),
                fake.thread(3, "IsDraftUpdate", "Ann marked the pull request as a draft"),
                fake.thread(
                    4,
                    "StatusUpdate",
                    values={"CodeReviewStatus": "Active", "CodeReviewStatusUpdatedByIdentity": "1"},
                    identities={"1": fake.user("ann")},
                ),
            ]
        },
    )
    assert [kind for kind, _, _ in events(read(source, server)["1"])] == ["ready", "draft", "reopened"]


def test_states_squashes_and_work_items(source: Source) -> None:
    server = fake.AzureDevOps(
        pulls=[
            fake.pull(1),
            fake.pull(2, status="abandoned", closed=4),
            fake.pull(3, status="completed", closed=5, completionOptions={"mergeStrategy": "squash"}),
            fake.pull(4, status="completed", closed=6, completionOptions={"mergeStrategy": "rebase"}),
        ],
        commits={1: [fake.commit(12), fake.commit(11)]},
        work_items={1: [{"id": "77", "url": "u"}, {"id": "78", "url": "u"}]},
    )
    found = read(source, server)
    assert [found[n]["state"] for n in "1234"] == ["open", "closed", "merged", "merged"]
    assert [found[n]["merge_sha"] for n in "1234"] == [None, None, fake.sha(103), fake.sha(104)]
    assert [found[n]["squash_sha"] for n in "1234"] == [None, None, fake.sha(103), None]
    assert (found["2"]["closed_at"], found["2"]["merged_at"]) == (time(4), None)
    assert found["1"]["linked_issues"] == ["AB#77", "AB#78"]
    assert [commit["sha"] for commit in found["1"]["commits"]] == [fake.sha(11), fake.sha(12)]
    assert found["1"]["url"] == "https://dev.azure.com/acme/Web%20Shop/_git/shop/pullrequest/1"
    assert (found["1"]["source_branch"], found["1"]["target_branch"]) == ("topic-1", "main")


def test_deleted_people_service_accounts_and_lost_forks(source: Source) -> None:
    server = fake.AzureDevOps(
        pulls=[
            fake.pull(1, createdBy=None),
            fake.pull(2, createdBy=fake.user("build", descriptor="svc.build")),
            fake.pull(3, forkSource={"name": "refs/heads/topic", "repository": None}),
        ]
    )
    found = read(source, server)
    assert [found[n]["author_kind"] for n in "123"] == ["unknown", "bot", "person"]
    assert found["1"]["author"] is None
    assert [found[n]["is_from_fork"] for n in "123"] == [False, False, True]


def test_a_thread_says_who_completed_a_pull_request_that_does_not(source: Source) -> None:
    end = fake.thread(
        4,
        "StatusUpdate",
        values={"CodeReviewStatus": "Completed", "CodeReviewStatusUpdatedByIdentity": "1"},
        identities={"1": fake.user("bob")},
    )
    server = fake.AzureDevOps(
        pulls=[fake.pull(1, status="completed")], threads={1: [end, fake.thread(6, text="Nice")]}
    )
    one = read(source, server)["1"]
    assert (one["merged_at"], one["merged_by"]) == (time(4), "bob@example.com")


def test_an_incremental_run_sees_comments_closes_and_new_pull_requests(source: Source) -> None:
    """No list tells of a comment: threads of open ones do. Closed ones cost nothing."""
    server = fake.AzureDevOps(
        pulls=[fake.pull(1), fake.pull(2), fake.pull(3, status="completed", closed=10), fake.pull(15)]
    )
    read(source, server)
    server.threads[1] = [fake.thread(20, text="Still open?")]
    server.pulls[1] |= {"status": "completed", "closedDate": fake.at(21), "closedBy": fake.user("bob")}
    server.pulls += [fake.pull(22), fake.pull(23, status="abandoned", closed=23)]
    again = Recorded(server)
    assert run(source, PROVIDER, CONNECTION, again, [SHOP]).rows == {"pull_requests": 4}
    found = rows(source, "pull_requests")
    assert found["repo-shop/1"]["comment_count"] == 1
    assert found["repo-shop/2"]["state"] == "merged"
    assert {"repo-shop/22", "repo-shop/23"} <= found.keys()
    assert not [path for path in again.paths() if "/pullRequests/3/" in path]
    assert not [path for path in again.paths() if path.endswith("/pullRequests/15/commits")]


def test_a_second_run_without_changes_writes_nothing_and_asks_for_threads_of_open_ones(
    source: Source,
) -> None:
    closed = [fake.pull(n, status="completed", closed=n + 1) for n in range(1, 21)]
    server = fake.AzureDevOps(pulls=[*closed, fake.pull(25)])
    read(source, server)
    again = Recorded(server)
    assert run(source, PROVIDER, CONNECTION, again, [SHOP]).rows == {}
    # A version, projects, repositories, three lists, and the open pull request.
    assert len(again.requests) == 7


@pytest.mark.parametrize("repeats", [False, True])
def test_every_page_is_read_also_when_pages_overlap(
    source: Source, repeats: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(azure_devops, "PAGE", 4)
    monkeypatch.setattr(azure_devops, "LIST", Offset(("value",), "$skip", 4))
    server = fake.AzureDevOps(pulls=[fake.pull(n) for n in range(1, 29)], repeats_rows=repeats)
    assert sorted(map(int, read(source, server))) == list(range(1, 29))
    assert source.read("pull_requests").num_rows == 28


def test_all_commits_of_a_pull_request_are_read(source: Source) -> None:
    server = fake.AzureDevOps(pulls=[fake.pull(1)], commits={1: [fake.commit(n) for n in range(250, 0, -1)]})
    one = read(source, server)["1"]
    assert (one["commit_count"], one["commits"][0]["sha"]) == (250, fake.sha(1))
