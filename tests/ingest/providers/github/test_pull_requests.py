"""GitHub: the fields of a pull request, and the way of its merge."""

from typing import Any

import pytest
from graphql import parse, validate

from ingest.lake import Source
from ingest.providers.github.pull_request_documents import NUMBERS, PULL_REQUESTS, REST_OF
from tests.ingest.providers.github.host_runs import read_one
from tests.ingest.providers.github.host_server import (
    GitHubServer,
    at,
    commit,
    event,
    merge,
    review,
    user,
)
from tests.official_schemas.graphql_schemas import official


@pytest.fixture(params=["subset", "official"])
def server(request: pytest.FixtureRequest) -> GitHubServer:
    return GitHubServer(official("github") if request.param == "official" else None)


def kinds(row: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(one["kind"], one["actor"]) for one in row["events"]]


def test_lists_within_a_pull_request_are_read_to_their_end(source: Source, server: GitHubServer) -> None:
    row = read_one(
        source,
        server,
        commits=[commit(f"{n:040x}") for n in range(260)],
        reviews=[review("COMMENTED", 1 + n % 28, f"user{n}") for n in range(130)],
        timelineItems=[event("IssueComment", 1 + n % 28) for n in range(175)],
        labels=[{"name": f"label-{n}"} for n in range(25)],
        closingIssuesReferences=[
            {"number": n, "repository": {"nameWithOwner": "acme/plans"}} for n in range(1, 13)
        ],
    )
    assert [one["sha"] for one in row["commits"]] == [f"{n:040x}" for n in range(260)]
    assert row["commit_count"] == 260
    assert [kind for kind, _ in kinds(row)].count("reviewed") == 130
    assert [kind for kind, _ in kinds(row)].count("commented") == 175
    assert len(row["labels"]) == 25
    assert row["linked_issues"] == [f"acme/plans#{n}" for n in range(1, 13)]


def test_the_life_of_a_pull_request(source: Source, server: GitHubServer) -> None:
    row = read_one(
        source,
        server,
        state="MERGED",
        updated=12,
        mergedAt=at(11),
        closedAt=at(11),
        mergedBy=user("eve"),
        mergeCommit=merge("e" * 40, 11, 2),
        headRefOid="b" * 40,
        body="Closes #4",
        totalCommentsCount=6,
        commits=[commit("a" * 40, 1), commit("b" * 40, 2, login=None)],
        labels=[{"name": "bug"}],
        closingIssuesReferences=[{"number": 4, "repository": {"nameWithOwner": "acme/plans"}}, None],
        reviewRequests=[
            {"requestedReviewer": user("zoe")},
            {"requestedReviewer": {"__typename": "Team", "slug": "core"}},
        ],
        reviews=[
            review("PENDING", 5, "fay"),
            review("COMMENTED", 5, "ann"),
            review("CHANGES_REQUESTED", 6, "bob"),
            review("DISMISSED", 7, "bob"),
            review("APPROVED", 9, "bob"),
            review("APPROVED", 9, None),
        ],
        timelineItems=[
            event("ConvertToDraftEvent", 2),
            event("ReadyForReviewEvent", 3),
            event("ReviewRequestedEvent", 4, requestedReviewer=user("bob")),
            event("IssueComment", 4, "cat"),
            event("ReviewDismissedEvent", 8, "eve", previousReviewState="APPROVED", review={"id": "R7bob"}),
            event("ClosedEvent", 9, "eve"),
            event("ReopenedEvent", 10, "eve"),
            event("MergedEvent", 11, "eve", commit={"oid": "e" * 40}),
            event("ClosedEvent", 11, "eve"),
        ],
    )
    assert kinds(row) == [
        ("draft", "ann"),
        ("ready", "ann"),
        ("review_requested", "ann"),
        ("commented", "cat"),
        ("commented", "ann"),
        ("changes_requested", "bob"),
        ("approved", "bob"),
        ("unapproved", "bob"),
        ("approved", "bob"),
        ("approved", None),
        ("closed", "eve"),
        ("reopened", "eve"),
        ("merged", "eve"),
    ]
    assert (row["state"], row["merged_by"], row["merge_sha"], row["squash_sha"]) == (
        "merged",
        "eve",
        "e" * 40,
        None,
    )
    assert (row["head_sha"], row["source_branch"], row["target_branch"]) == ("b" * 40, "topic-1", "main")
    assert (row["reviewers"], row["labels"]) == (["zoe", "bob"], ["bug"])
    assert (row["linked_issues"], row["comment_count"], row["body"]) == (["acme/plans#4"], 6, "Closes #4")
    assert (row["author"], row["author_name"], row["author_kind"]) == ("ann", "Ann", "person")
    assert [(one["sha"][0], one["author_login"], one["author_email"]) for one in row["commits"]] == [
        ("a", "ann", "ann@example.com"),
        ("b", None, "ann@example.com"),
    ]


@pytest.mark.parametrize(
    ("author", "expected"),
    [
        (None, (None, "unknown")),
        (user("dependabot", "Bot"), ("dependabot", "bot")),
        (user("old-ann", "Mannequin"), ("old-ann", "person")),
    ],
)
def test_deleted_accounts_and_bots(
    source: Source, server: GitHubServer, author: Any, expected: tuple[str | None, str]
) -> None:
    row = read_one(source, server, author=author, reviews=[review("COMMENTED", 5, None)])
    assert (row["author"], row["author_kind"]) == expected
    assert kinds(row) == [("reviewed", None)]


HEAD, MERGE = "1" * 40, "9" * 40


@pytest.mark.parametrize(
    ("way", "by", "expected"),
    [
        ("merge commit", merge(MERGE, 9, 2), (MERGE, None)),
        ("squash", merge(MERGE, 9, 1), (MERGE, MERGE)),
        ("rebase", merge(MERGE, 2, 1), (MERGE, None)),
        ("fast-forward", merge(HEAD, 2, 1), (HEAD, None)),
        ("unknown", None, (None, None)),
    ],
)
def test_the_way_of_a_merge_follows_from_its_commit(
    source: Source, server: GitHubServer, way: str, by: Any, expected: tuple[str | None, str | None]
) -> None:
    commits = [commit("0" * 40, 1), commit(HEAD, 2)]
    row = read_one(
        source, server, state="MERGED", mergedAt=at(9), headRefOid=HEAD, mergeCommit=by, commits=commits
    )
    assert (row["merge_sha"], row["squash_sha"]) == expected


def test_a_test_merge_of_an_open_pull_request_is_no_merge(source: Source, server: GitHubServer) -> None:
    row = read_one(source, server, mergeCommit=merge(MERGE, 9, 1))
    assert (row["state"], row["merge_sha"], row["squash_sha"]) == ("open", None, None)


@pytest.mark.parametrize("document", [PULL_REQUESTS, NUMBERS, *REST_OF.values()])
def test_documents_fit_the_official_schema(document: str) -> None:
    assert validate(official("github"), parse(document)) == []
