"""GitLab: projects and merge requests become rows, once, in every edition and below any path."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from ingest.connections.model import WantedRepository
from ingest.errors import ProviderRefused, RateLimited, Transient
from ingest.lake import Source
from ingest.providers.gitlab import merge_requests as gitlab_merge_requests
from tests.ingest.connections.running import (
    Recorded,
    connection_to,
    rows,
    run,
    source_in,
)
from tests.ingest.providers.gitlab.host_runs import CONNECTION, PROVIDER, SHOP, read, time
from tests.ingest.providers.gitlab.host_server import (
    ADDRESS,
    GitLabServer,
    at,
    commit,
    merge_request,
    note,
    project,
)


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
