"""GitLab: projects and merge requests become rows, once, in every edition and below any path."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from ingest.connections.model import WantedRepository
from ingest.errors import ProviderRefused, RateLimited, Transient
from ingest.hosts import gitlab_merge_requests
from ingest.hosts.gitlab import GitLab
from ingest.lake import Source
from tests.ingest.connections.running import (
    Handler,
    Recorded,
    connection_to,
    events,
    rows,
    run,
    source_in,
)
from tests.ingest.hosts.gitlab_server import (
    ADDRESS,
    GitLabServer,
    at,
    change,
    commit,
    merge_request,
    note,
    project,
    sha,
    user,
)

PROVIDER = GitLab()
CONNECTION = connection_to(PROVIDER, ADDRESS)
SHOP = WantedRepository("repository-of-shop", "git.example.com/tools/acme/shop")


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return source_in(tmp_path, PROVIDER)


def read(source: Source, server: Handler, **options: Any) -> dict[str, dict[str, Any]]:
    """The merge requests after a run, by number."""
    report = run(source, PROVIDER, CONNECTION, server, [SHOP], **options)
    assert (report.failures, report.unread) == ({}, {})
    return {key.rpartition("/")[2]: row for key, row in rows(source, "pull_requests").items()}


def time(day: int, hour: int = 0) -> datetime:
    return datetime(2026, 3, day, hour, tzinfo=UTC)


def test_projects_of_nested_groups_are_listed_page_by_page(source: Source) -> None:
    server = GitLabServer(
        projects=[
            project(3, "acme/platform/web/shop", archived=True),
            project(7, "acme/shop", visibility="public", forked_from_project={"id": 1}),
            project(12, "ann/empty", empty_repo=True),
            project(50_001, "acme/leaving", marked_for_deletion_on="2026-04-01"),
            project(50_002, "acme/last"),
        ],
        page_size=2,
    )
    asked = Recorded(server)
    run(source, PROVIDER, CONNECTION, asked)
    found = rows(source, "repositories")
    assert sorted(map(int, found)) == [3, 7, 12, 50_001, 50_002]
    nested, shop, empty = found["3"], found["7"], found["12"]
    assert (nested["owner"], nested["name"], nested["is_archived"]) == ("acme/platform/web", "shop", True)
    assert (shop["address"], shop["default_branch"]) == (f"{ADDRESS}/acme/shop.git", "main")
    assert [shop[name] for name in ("is_private", "is_fork", "is_archived")] == [False, True, False]
    assert (empty["is_empty"], empty["default_branch"], empty["is_private"]) == (True, None, True)
    assert found["50001"]["is_archived"] is True
    assert asked.paths() == ["/tools/api/v4/projects"] * 3


def test_links_that_name_another_address_keep_the_token_at_home(source: Source) -> None:
    """A server behind a proxy writes links with the address that its own setting names."""
    server = Recorded(
        GitLabServer(
            projects=[project(n, f"acme/p{n}") for n in range(1, 6)],
            page_size=2,
            names_itself="http://localhost:8080/tools",
        )
    )
    assert run(source, PROVIDER, CONNECTION, server).rows == {"repositories": 5}
    assert {request.url.host for request in server.requests} == {"git.example.com"}


def test_the_life_of_a_merge_request(source: Source) -> None:
    server = GitLabServer(
        merge_requests=[
            merge_request(
                1,
                updated=at(10),
                created_at=at(1),
                state="merged",
                merged_at=at(9),
                merge_user=user("eve"),
                merge_commit_sha=sha(100),
                user_notes_count=2,
                labels=["bug", "web"],
                reviewers=[user("bob")],
                description="Closes #4",
            )
        ],
        notes={
            1: [
                note(at(1, 1), "marked this merge request as **draft**", "ann"),
                note(at(2), "added 1 commit\n\n* 0123abcd - Change 2", "ann"),
                note(at(2, 1), "marked this merge request as **ready**", "ann"),
                note(
                    at(3),
                    "requested review from @bob, @cat.x and @dan and removed review request for @old",
                    "ann",
                ),
                note(at(4), "Why so?", "bob", is_system=False),
                note(at(5), "left review comments without approving", "bob"),
                note(at(6), "requested changes", "cat.x"),
                note(at(7), "approved this merge request", "cat.x"),
                note(at(7, 1), "approved this merge request", "dan"),
                note(at(7, 2), "unapproved this merge request", "dan"),
                note(at(7, 3), "reset approvals from @cat.x and @dan by pushing to the branch", "ann"),
                note(at(8), "approved this merge request", "bob"),
                note(at(8, 1), "approved this merge request in spirit", "eve", is_system=False),
            ]
        },
        changes={
            1: [
                change(at(8, 5), "closed", "ann"),
                change(at(8, 6), "reopened", "ann"),
                change(at(9), "merged", "eve"),
            ]
        },
        commits={1: [commit(3), commit(2), commit(1)]},
        closes={
            1: [{"id": 9, "iid": 4, "references": {"full": "acme/plans#4"}}, {"id": "ABC-7", "title": "Pay"}]
        },
    )
    one = read(source, server)["1"]
    assert events(one) == [
        ("draft", "ann", None),
        ("ready", "ann", None),
        ("review_requested", "ann", "bob"),
        ("review_requested", "ann", "cat.x"),
        ("review_requested", "ann", "dan"),
        ("commented", "bob", None),
        ("reviewed", "bob", None),
        ("changes_requested", "cat.x", None),
        ("approved", "cat.x", None),
        ("approved", "dan", None),
        ("unapproved", "dan", None),
        ("unapproved", "cat.x", None),
        ("unapproved", "dan", None),
        ("approved", "bob", None),
        ("commented", "eve", None),
        ("closed", "ann", None),
        ("reopened", "ann", None),
        ("merged", "eve", None),
    ]
    assert [event["at"] for event in one["events"]][:2] == [time(1, 1), time(2, 1)]
    assert (one["state"], one["merged_at"], one["closed_at"], one["merged_by"]) == (
        "merged",
        time(9),
        time(9),
        "eve",
    )
    assert (one["source_branch"], one["target_branch"], one["head_sha"]) == ("topic-1", "main", sha(1))
    assert (one["author"], one["author_name"], one["author_kind"]) == ("ann", "Ann", "person")
    assert (one["reviewers"], one["labels"]) == (["bob", "cat.x", "dan"], ["bug", "web"])
    assert one["linked_issues"] == ["acme/plans#4", "ABC-7"]
    assert [made["sha"] for made in one["commits"]] == [sha(1), sha(2), sha(3)]
    assert "Co-authored-by: Cat" in one["commits"][0]["message"]
    assert (one["commit_count"], one["comment_count"]) == (3, 2)
    assert one["repository_id"] == "repository-of-shop"


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("marked this merge request as **draft**", "draft"),
        ("marked this merge request as **draft** from 0123abcd", "draft"),
        ("marked this merge request as **ready**", "ready"),
        ("marked as a **Work In Progress**", "draft"),
        ("marked as a **Work In Progress** from 0123abcd", "draft"),
        ("unmarked as a **Work In Progress**", "ready"),
        ("unmarked this merge request as a Work In Progress", "ready"),
        ("approved this merge request", "approved"),
        ("unapproved this merge request", "unapproved"),
        ("requested changes", "changes_requested"),
        ("left review comments without approving", "reviewed"),
        ("reviewed this merge request", "reviewed"),
        ("closed via merge request !12", "closed"),
        ("Status changed to reopened", "reopened"),
        ("merged", "merged"),
    ],
)
def test_notes_of_old_and_new_versions_are_understood(source: Source, words: str, kind: str) -> None:
    server = GitLabServer(merge_requests=[merge_request(1)], notes={1: [note(at(5), words)]})
    assert events(read(source, server)["1"]) == [(kind, "bob", None)]


@pytest.mark.parametrize(
    "words",
    [
        "changed title from **approved this merge request** to **Pay**",
        "mentioned in merge request !7",
        "enabled an automatic merge when the pipeline for 0123abcd succeeds",
        "removed review request for @bob",
        "resolved all threads",
        "added ~3 label",
        "assigned to @bob",
        "changed target branch from `main` to `merged`",
    ],
)
def test_other_notes_are_no_events(source: Source, words: str) -> None:
    server = GitLabServer(merge_requests=[merge_request(1)], notes={1: [note(at(5), words)]})
    assert events(read(source, server)["1"]) == []


def test_a_change_of_state_that_a_note_and_an_event_tell_counts_once(source: Source) -> None:
    """Old merge requests have notes alone, and those of the time between have both."""
    server = GitLabServer(
        merge_requests=[merge_request(1, state="closed", closed_at=at(9), closed_by=user("ann"))],
        notes={1: [note(at(3), "closed"), note(at(4), "reopened"), note(at(9), "closed", "ann")]},
        changes={1: [change(at(9), "closed", "ann")]},
    )
    assert events(read(source, server)["1"]) == [
        ("closed", "bob", None), ("reopened", "bob", None), ("closed", "ann", None)
    ]  # fmt: skip


def test_servers_without_approvals_and_state_events_still_tell_the_end(source: Source) -> None:
    server = GitLabServer(
        merge_requests=[
            merge_request(1, state="merged", merged_at=at(9), merged_by=user("eve")),
            merge_request(2, state="closed", closed_at=at(8), closed_by=user("ann")),
        ],
        has_state_events=False,
    )
    found = read(source, server)
    assert (events(found["1"]), events(found["2"])) == ([("merged", "eve", None)], [("closed", "ann", None)])
    assert (found["1"]["merged_by"], found["2"]["merged_at"]) == ("eve", None)


@pytest.mark.parametrize(
    ("merge", "squash", "merge_sha", "squash_sha"),
    [
        (sha(90), None, sha(90), None),
        (sha(90), sha(80), sha(90), sha(80)),
        (None, sha(80), sha(80), sha(80)),
        (None, None, sha(3), None),
    ],
    ids=["merge", "squash and merge commit", "squash alone", "fast-forward or rebase"],
)
def test_each_way_of_a_merge_names_its_commit(
    source: Source, merge: str | None, squash: str | None, merge_sha: str, squash_sha: str | None
) -> None:
    ended: dict[str, Any] = {"state": "merged", "merged_at": at(9)}
    server = GitLabServer(
        merge_requests=[
            merge_request(3, **ended, merge_commit_sha=merge, squash_commit_sha=squash),
            merge_request(4, merge_commit_sha=sha(91)),
        ]
    )
    found = read(source, server)
    assert (found["3"]["merge_sha"], found["3"]["squash_sha"]) == (merge_sha, squash_sha)
    assert (found["4"]["merge_sha"], found["4"]["state"]) == (None, "open")


def test_deleted_accounts_bots_forks_and_drafts_of_old_versions(source: Source) -> None:
    old = merge_request(2, source_project_id=None, work_in_progress=True)
    del old["draft"]
    server = GitLabServer(
        merge_requests=[
            merge_request(1, author=user("ghost1")),
            old,
            merge_request(3, author=user("project_7_bot_0a1b"), state="locked"),
        ]
    )
    found = read(source, server)
    assert [found[n]["author_kind"] for n in "123"] == ["unknown", "person", "bot"]
    assert (found["1"]["author"], found["1"]["author_name"]) == (None, None)
    assert [found[n]["is_from_fork"] for n in "123"] == [False, True, False]
    assert [found[n]["is_draft"] for n in "123"] == [False, True, False]
    assert found["3"]["state"] == "open"


def test_issues_are_asked_for_where_a_text_could_close_one(source: Source) -> None:
    server = Recorded(
        GitLabServer(
            merge_requests=[merge_request(1), merge_request(2, description="Closes ABC-1"), merge_request(3)],
            commits={3: [{**commit(1), "message": "Fix #7"}]},
        )
    )
    read(source, server)
    assert [path for path in server.paths() if path.endswith("closes_issues")] == [
        f"/tools/api/v4/projects/7/merge_requests/{n}/closes_issues" for n in (2, 3)
    ]


def test_every_page_of_every_list_is_read(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve of one moment are more than a page has: there the number of the page counts."""
    monkeypatch.setattr(gitlab_merge_requests, "PAGE", 5)
    server = GitLabServer(
        merge_requests=[merge_request(n, updated=at(5) if n < 13 else at(n)) for n in range(1, 28)],
        notes={1: [note(at(2, n), f"Comment {n}", is_system=False) for n in range(23)]},
        commits={1: [commit(n) for n in range(12, 0, -1)]},
    )
    found = read(source, server)
    assert sorted(map(int, found)) == list(range(1, 28))
    assert (len(found["1"]["events"]), found["1"]["commit_count"]) == (23, 12)
    assert source.read("pull_requests").num_rows == 27


def test_merge_requests_that_change_or_go_while_they_are_listed_hide_no_other(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gitlab_merge_requests, "PAGE", 4)
    server = GitLabServer(merge_requests=[merge_request(n, updated=at(n)) for n in range(1, 21)])

    def moving(request: httpx.Request) -> httpx.Response:
        answer = server(request)
        if request.url.path.endswith("/merge_requests") and len(server.merge_requests) == 20:
            server.merge_requests[0]["updated_at"] = at(28)
            del server.merge_requests[1]
        return answer

    run(source, PROVIDER, CONNECTION, moving, [SHOP])
    assert {row["number"] for row in rows(source, "pull_requests").values()} >= {1, *range(3, 21)}


def test_a_second_run_asks_for_changes_with_an_overlap_and_reads_those_alone(source: Source) -> None:
    server = GitLabServer(merge_requests=[merge_request(n, updated=at(n, 12)) for n in range(1, 21)])
    read(source, server)
    server.merge_requests[4] |= {"title": "Renamed", "updated_at": at(22)}
    server.merge_requests.append(merge_request(21, updated=at(23)))
    again = Recorded(server)
    report = run(source, PROVIDER, CONNECTION, again, [SHOP])
    assert report.rows == {"pull_requests": 2}
    listing = next(one for one in again.requests if one.url.path.endswith("/merge_requests"))
    since = datetime.fromisoformat(listing.url.params["updated_after"])
    assert since == time(20, 12) - timedelta(minutes=5)
    assert rows(source, "pull_requests")["7/5"]["title"] == "Renamed"
    # The list of projects, that of merge requests, and three details of each of two.
    assert len(again.requests) == 2 + 2 * 3


def test_a_run_without_changes_asks_twice_and_writes_nothing(source: Source) -> None:
    server = GitLabServer(merge_requests=[merge_request(n) for n in range(1, 6)])
    read(source, server)
    batch = source.state().batch
    again = Recorded(server)
    assert run(source, PROVIDER, CONNECTION, again, [SHOP]).rows == {}
    assert (len(again.requests), source.state().batch) == (2, batch)


def test_a_sweep_and_a_full_sync_remove_what_no_longer_exists(source: Source) -> None:
    server = GitLabServer(merge_requests=[merge_request(n) for n in range(1, 6)])
    read(source, server)
    del server.merge_requests[2]
    assert set(read(source, server)) == {"1", "2", "3", "4", "5"}
    assert set(read(source, server, now=lambda: datetime.now(UTC) + timedelta(days=8))) == {
        "1",
        "2",
        "4",
        "5",
    }
    del server.merge_requests[0]
    assert set(read(source, server, is_full=True)) == {"2", "4", "5"}


def test_a_moved_project_is_the_same_one(source: Source) -> None:
    server = GitLabServer(merge_requests=[merge_request(1)])
    read(source, server)
    server.projects = [project(7, "acme/new/store")]
    known = WantedRepository(SHOP.repository_id, SHOP.origin, "7")
    run(source, PROVIDER, CONNECTION, server, [known])
    found = rows(source, "repositories")
    assert [(row["owner"], row["name"]) for row in found.values()] == [("acme/new", "store")]
    assert list(rows(source, "pull_requests")) == ["7/1"]


def test_a_public_project_is_found_by_its_address(source: Source) -> None:
    server = GitLabServer(
        projects=[], public=[project(9, "other/sub/lib")], merge_requests=[merge_request(1, project_id=9)]
    )
    wanted = WantedRepository("r", "git.example.com/tools/other/sub/lib")
    run(source, PROVIDER, CONNECTION, server, [wanted])
    assert list(rows(source, "pull_requests")) == ["9/1"]


def test_a_project_below_a_domain_of_its_own_is_found(tmp_path: Path) -> None:
    """A GitLab without a path before its groups, such as the cloud."""
    at_root = connection_to(PROVIDER, "https://gitlab.com")
    shop = project(7, "acme/shop", http_url_to_repo="https://gitlab.com/acme/shop.git")
    server = GitLabServer(projects=[shop], merge_requests=[merge_request(1)], base="")
    source = source_in(tmp_path, PROVIDER)
    run(source, PROVIDER, at_root, server, [WantedRepository("r", "gitlab.com/acme/shop")])
    assert list(rows(source, "pull_requests")) == ["7/1"]
    assert PROVIDER.login(connection_to(PROVIDER, f"{ADDRESS}/api/v4")).address == f"{ADDRESS}/api/v4"
    assert PROVIDER.git_login(at_root) == "oauth2:s3cret-token"


def test_a_merge_request_whose_details_are_refused_is_counted_and_stays(source: Source) -> None:
    server = GitLabServer(merge_requests=[merge_request(n) for n in range(1, 4)])
    read(source, server)
    for one in server.merge_requests:
        one |= {"updated_at": at(20), "title": "New"}

    def secretive(request: httpx.Request) -> httpx.Response:
        if "/merge_requests/2/" in request.url.path:
            return httpx.Response(403, json={"message": "403 Forbidden"})
        return server(request)

    report = run(source, PROVIDER, CONNECTION, secretive, [SHOP])
    assert (report.failures, report.unread) == ({}, {"pull_requests/7": 1})
    titles = [row["title"] for row in rows(source, "pull_requests").values()]
    assert titles == ["New", "Merge request 2", "New"]


@pytest.mark.parametrize("junk", ["<html>", "null", '{"message": "odd"}', "7", '"text"', ""])
def test_an_answer_that_is_no_list_removes_nothing_and_ends_the_run(source: Source, junk: str) -> None:
    server = GitLabServer(merge_requests=[merge_request(n) for n in range(1, 4)])
    read(source, server)

    def odd(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/merge_requests"):
            kind = "text/html" if junk == "<html>" else "application/json"
            return httpx.Response(200, content=junk, headers={"content-type": kind})
        return server(request)

    with pytest.raises((Transient, ProviderRefused)):
        run(source, PROVIDER, CONNECTION, odd, [SHOP], is_full=True)
    assert len(rows(source, "pull_requests")) == 3


USED_UP = {
    "RateLimit-Reset": "1772323320",
    "RateLimit-Remaining": "0",
    "Date": "Sun, 01 Mar 2026 00:00:00 GMT",
}


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(429, text="Retry later\n", headers={"Retry-After": "120"}),
        httpx.Response(429, json={"message": "Too many"}, headers=USED_UP),
    ],
    ids=["plain text", "headers"],
)  # fmt: skip
def test_limits_park_the_run(source: Source, answer: httpx.Response) -> None:
    with pytest.raises(RateLimited) as caught:
        run(source, PROVIDER, CONNECTION, lambda _: answer, [SHOP])
    assert caught.value.retry_after == 120
