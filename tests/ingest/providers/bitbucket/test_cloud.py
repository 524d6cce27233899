"""Bitbucket Cloud: what the service has becomes rows, once, whatever happens on the way."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from ingest.connections.model import WantedRepository
from ingest.errors import ProviderRefused, RateLimited, Refusal
from ingest.lake import Source
from ingest.providers.bitbucket.cloud import BitbucketCloud
from tests.ingest.connections.running import (
    Handler,
    Recorded,
    client_to,
    connection_to,
    events,
    read_pull_requests,
    refused_check,
    rows,
    run,
    run_broken,
    said,
    source_in,
)
from tests.ingest.providers.bitbucket import cloud_server as fake

PROVIDER = BitbucketCloud()
CONNECTION = connection_to(PROVIDER, "https://bitbucket.org", user=fake.EMAIL)
SHOP = WantedRepository("5b1f5f3e-0000-5000-8000-000000000001", "bitbucket.org/Acme/Shop")


def read(source: Source, server: Handler, **options: Any) -> dict[str, dict[str, Any]]:
    """The pull requests after a run, by number."""
    return read_pull_requests(source, PROVIDER, CONNECTION, server, [SHOP], **options)


def time(day: int, hour: int = 0) -> datetime:
    return datetime(2026, 3, day, hour, 0, 0, 123456, tzinfo=UTC)


def refused(server: Handler, connection: Any = CONNECTION) -> ProviderRefused:
    return refused_check(PROVIDER, connection, server)


def test_a_repository_has_an_address_without_the_user(source: Source) -> None:
    server = fake.BitbucketCloud(
        [
            fake.repository("shop"),
            fake.repository("empty", mainbranch=None, is_private=False),
            fake.repository("fork", parent={"uuid": "{other}", "full_name": "other/fork"}),
            fake.repository("public", of_others=True),
        ]
    )
    run(source, PROVIDER, CONNECTION, server)
    found = rows(source, "repositories")
    assert len(found) == 3
    shop, empty, fork = found["{repo-shop}"], found["{repo-empty}"], found["{repo-fork}"]
    assert (shop["owner"], shop["name"], shop["address"]) == (
        "acme",
        "shop",
        "https://bitbucket.org/acme/shop.git",
    )
    assert (shop["default_branch"], shop["is_empty"], shop["is_private"]) == ("main", False, True)
    assert (empty["default_branch"], empty["is_empty"], empty["is_private"]) == (None, True, False)
    assert (shop["is_fork"], fork["is_fork"]) == (False, True)


def test_pull_requests_of_every_state_are_read(source: Source) -> None:
    states = ["OPEN", "MERGED", "DECLINED", "SUPERSEDED"]
    server = fake.BitbucketCloud(pulls=[fake.pull(n + 1, state=state) for n, state in enumerate(states)])
    found = read(source, server)
    assert [found[str(n)]["state"] for n in range(1, 5)] == ["open", "merged", "closed", "closed"]
    assert found["1"]["closed_at"] is None
    assert all(found[n]["closed_at"] is not None for n in "234")


def test_times_of_reviews_come_from_the_activity(source: Source) -> None:
    """`participated_on` is the last participation: the first approval was five days before it."""
    bob, ann = fake.user("bob"), fake.user("ann")
    server = fake.BitbucketCloud(
        pulls=[
            fake.pull(
                1,
                updated=9,
                state="MERGED",
                closed_by=bob,
                merge_commit={"hash": fake.sha(7)[:12], "date": fake.at(8)},
                participants=[{"user": bob, "state": "approved", "participated_on": fake.at(9)}],
                reviewers=[bob],
                comment_count=1,
            )
        ],
        activities={
            1: [
                {"update": {"state": "MERGED", "date": fake.at(8, 6), "author": bob, "reviewers": [bob]}},
                {"approval": {"date": fake.at(4), "user": bob}},
                {"changes_requested": {"date": fake.at(3), "user": bob}},
                {"comment": {"created_on": fake.at(2, 5), "user": bob, "deleted": False}},
                {"comment": {"created_on": fake.at(2, 4), "user": bob, "deleted": True}},
                {"update": {"state": "OPEN", "date": fake.at(2), "author": ann, "reviewers": [bob], "draft": False}},
                {"update": {"state": "OPEN", "date": fake.at(1), "author": ann, "reviewers": [], "draft": True}},
            ]
        },
        known_commits=[fake.commit(7)],
    )  # fmt: skip
    one = read(source, server)["1"]
    assert events(one) == [
        ("ready", "5570:ann", None),
        ("review_requested", "5570:ann", "5570:bob"),
        ("commented", "5570:bob", None),
        ("changes_requested", "5570:bob", None),
        ("approved", "5570:bob", None),
        ("merged", "5570:bob", None),
    ]
    assert one["events"][4]["at"] == time(4)
    assert (one["merged_at"], one["closed_at"], one["merged_by"]) == (time(8, 6), time(8, 6), "5570:bob")
    assert (one["reviewers"], one["comment_count"], one["author_kind"]) == (["5570:bob"], 1, "person")


def test_shortened_hashes_become_full_ones(source: Source) -> None:
    server = fake.BitbucketCloud(
        pulls=[
            fake.pull(1, state="MERGED", merge_commit={"hash": fake.sha(7)[:12], "date": fake.at(8)}),
            fake.pull(2, state="MERGED", merge_commit={"hash": fake.sha(200)[:12], "date": fake.at(8)}),
            fake.pull(3, state="MERGED", merge_commit={"hash": "abcdefabcdef", "date": fake.at(8)}),
        ],
        commits={n: [fake.commit(n * 100), fake.commit(n * 100 - 1)] for n in (1, 2, 3)},
        known_commits=[fake.commit(7)],
    )
    recorded = Recorded(server)
    found = read(source, recorded)
    assert [found[n]["head_sha"] for n in "123"] == [fake.sha(100), fake.sha(200), fake.sha(300)]
    assert (found["1"]["merge_sha"], found["1"]["merged_at"]) == (fake.sha(7), time(8))
    assert found["2"]["merge_sha"] == fake.sha(200)  # a fast-forward: known without a request
    assert found["3"]["merge_sha"] == "abcdefabcdef"  # gone: better than none
    assert [path for path in recorded.paths() if "/commit/" in path and fake.sha(200)[:12] in path] == []


def test_commits_are_listed_oldest_first_with_authors(source: Source) -> None:
    server = fake.BitbucketCloud(
        pulls=[fake.pull(1)],
        commits={
            1: [
                fake.commit(100, "Second\n\nCo-authored-by: Bob <bob@example.com>"),
                fake.commit(99, "First"),
                {**fake.commit(98), "author": {"raw": "no address"}},
            ]
        },
    )
    one = read(source, server)["1"]
    assert [c["message"] for c in one["commits"][1:]] == [
        "First",
        "Second\n\nCo-authored-by: Bob <bob@example.com>",
    ]
    first, second = one["commits"][:2]
    assert (first["author_name"], first["author_email"], first["author_login"]) == ("no address", None, None)
    assert (second["author_name"], second["author_email"]) == ("Ann Ó", "ann@example.com")
    assert (second["author_login"], one["commit_count"]) == ("5570:ann", 3)


def test_deleted_people_and_forks_leave_the_pull_request(source: Source) -> None:
    gone = fake.pull(1, author=None)
    gone["source"] = {"branch": {"name": "topic"}, "commit": None, "repository": None}
    fork = fake.pull(2)
    fork["source"]["repository"] = {"uuid": "{repo-fork}", "full_name": "bob/shop"}
    found = read(source, fake.BitbucketCloud(pulls=[gone, fork, fake.pull(3)]))
    assert (found["1"]["author"], found["1"]["author_kind"]) == (None, "unknown")
    assert [found[n]["is_from_fork"] for n in "123"] == [True, True, False]
    assert (found["1"]["source_branch"], found["1"]["head_sha"], found["1"]["commits"]) == ("topic", None, [])


def test_apps_are_bots(source: Source) -> None:
    server = fake.BitbucketCloud(pulls=[fake.pull(1, author=fake.user("renovate", "app_user"))])
    assert read(source, server)["1"]["author_kind"] == "bot"


def test_a_malformed_pull_request_is_counted_and_stops_no_other(source: Source) -> None:
    server = fake.BitbucketCloud(pulls=[fake.pull(1), fake.pull(3)])
    broken = fake.pull(2, reviewers=7)
    server.pulls.insert(1, broken)
    report = run(source, PROVIDER, CONNECTION, server, [SHOP])
    assert report.unread == {"pull_requests/{repo-shop}": 1}
    assert report.rows["pull_requests"] == 2


def test_a_second_run_without_changes_takes_a_handful_of_requests_and_writes_nothing(source: Source) -> None:
    server = fake.BitbucketCloud(pulls=[fake.pull(n) for n in range(1, 21)])
    read(source, server)
    again = Recorded(server)
    report = run(source, PROVIDER, CONNECTION, again, [SHOP])
    assert (report.rows, report.deleted) == ({}, 0)
    assert len(again.requests) == 3


def test_a_changed_pull_request_alone_is_read_again(source: Source) -> None:
    server = fake.BitbucketCloud(pulls=[fake.pull(n) for n in range(1, 21)])
    read(source, server)
    server.pulls[4] |= {"title": "Renamed", "updated_on": fake.at(25)}
    again = Recorded(server)
    report = run(source, PROVIDER, CONNECTION, again, [SHOP])
    assert report.rows == {"pull_requests": 1}
    assert [p for p in again.paths() if p.endswith("/activity")] == [
        "/2.0/repositories/acme/{repo-shop}/pullrequests/5/activity"
    ]
    assert rows(source, "pull_requests")["{repo-shop}/5"]["title"] == "Renamed"


@pytest.mark.parametrize("repeats", [False, True])
def test_every_page_is_read_also_when_pages_overlap(source: Source, repeats: bool) -> None:
    server = fake.BitbucketCloud(
        pulls=[fake.pull(n) for n in range(1, 29)], page_size=5, repeats_rows=repeats
    )
    assert sorted(map(int, read(source, server))) == list(range(1, 29))
    assert source.read("pull_requests").num_rows == 28


def test_a_change_during_the_listing_hides_no_other_pull_request(source: Source) -> None:
    server = fake.BitbucketCloud(pulls=[fake.pull(n) for n in range(1, 21)], page_size=5)
    lists = 0

    def changing(request: httpx.Request) -> httpx.Response:
        nonlocal lists
        answer = server(request)
        if request.url.path.endswith("/pullrequests"):
            lists += 1
            server.pulls[lists] |= {"updated_on": fake.at(28, lists), "title": "Changed"}
        return answer

    read(source, changing)
    found = read(source, server)
    assert sorted(map(int, found)) == list(range(1, 21))
    assert [n for n in found if found[n]["title"] == "Changed"] == [str(n + 1) for n in range(1, lists + 1)]


def test_a_run_that_breaks_anywhere_continues_to_the_same_rows(tmp_path: Path) -> None:
    server = fake.BitbucketCloud(
        pulls=[fake.pull(n) for n in range(1, 8)],
        activities={n: [{"approval": {"date": fake.at(9), "user": fake.user("bob")}}] for n in range(1, 8)},
        commits={n: [fake.commit(n * 100)] for n in range(1, 8)},
        page_size=3,
    )
    whole = source_in(tmp_path / "whole", PROVIDER)
    undisturbed = Recorded(server)
    run(whole, PROVIDER, CONNECTION, undisturbed, [SHOP])
    expected = rows(whole, "pull_requests")
    assert len(expected) == 7
    for fails_at in range(1, len(undisturbed.requests) + 1, 2):
        source = source_in(tmp_path / str(fails_at), PROVIDER)
        assert run_broken(source, PROVIDER, CONNECTION, server, [SHOP], fails_at)
        assert rows(source, "pull_requests") == expected
        assert source.read("pull_requests").num_rows == 7


def test_a_renamed_repository_keeps_its_pull_requests(source: Source) -> None:
    """The id, with its braces encoded, names it: the slug changed."""
    server = fake.BitbucketCloud(
        [fake.repository("shop", slug="store", full_name="acme/store")], [fake.pull(1)]
    )
    recorded = Recorded(server)
    wanted = WantedRepository(SHOP.repository_id, SHOP.origin, "{repo-shop}")
    run(source, PROVIDER, CONNECTION, recorded, [wanted])
    assert list(rows(source, "pull_requests")) == ["{repo-shop}/1"]
    assert any("/%7Brepo-shop%7D/" in said(request) for request in recorded.requests)


def test_a_workspace_that_is_gone_stops_no_other_and_keeps_its_repositories(source: Source) -> None:
    server = fake.BitbucketCloud()
    run(source, PROVIDER, CONNECTION, server)
    server.workspaces, server.repositories = ["gone", "acme"], [fake.repository("new")]
    report = run(source, PROVIDER, CONNECTION, server)
    assert (report.unread, report.failures) == ({"repositories": 1}, {})
    assert list(rows(source, "repositories")) == ["{repo-new}", "{repo-shop}"]
    server.workspaces = ["gone"]
    assert "repositories" in run(source, PROVIDER, CONNECTION, server).failures


def test_an_empty_list_of_repositories_removes_none(source: Source) -> None:
    server = fake.BitbucketCloud([fake.repository(f"r{n}") for n in range(30)])
    run(source, PROVIDER, CONNECTION, server)
    server.repositories = []
    report = run(source, PROVIDER, CONNECTION, server)
    assert "Nothing was removed" in report.failures["repositories"]
    assert len(rows(source, "repositories")) == 30


def test_access_tokens_are_bearers_and_need_the_workspace(source: Source) -> None:
    without = connection_to(PROVIDER, "https://bitbucket.org")
    assert "enter the workspace" in refused(fake.BitbucketCloud(), without).message
    with_workspace = connection_to(PROVIDER, "https://bitbucket.org", workspace="acme")
    server = Recorded(fake.BitbucketCloud(authorization="Bearer s3cret-token"))
    with client_to(PROVIDER, with_workspace, server) as client:
        assert PROVIDER.check(client, with_workspace).account == "acme"
    run(source, PROVIDER, with_workspace, server, [SHOP])
    assert "/2.0/user/workspaces" not in server.paths()
    assert all("role" not in request.url.params for request in server.requests)
    assert list(rows(source, "repositories")) == ["{repo-shop}"]


def test_git_gets_the_user_that_belongs_to_the_kind_of_token() -> None:
    assert PROVIDER.git_login(CONNECTION) == "x-bitbucket-api-token-auth:s3cret-token"
    assert PROVIDER.git_login(connection_to(PROVIDER, "https://bitbucket.org")) == "x-token-auth:s3cret-token"


def test_a_check_names_the_account(source: Source) -> None:
    with client_to(PROVIDER, CONNECTION, fake.BitbucketCloud()) as client:
        assert PROVIDER.check(client, CONNECTION).account == "Ann"


def test_refusals_say_what_to_change() -> None:
    wrong = refused(fake.BitbucketCloud(authorization="other"))
    assert (wrong.refusal, "App passwords no longer work" in wrong.message) == (Refusal.UNAUTHORIZED, True)
    scopes = refused(fake.BitbucketCloud(lacks_scopes=["read:pullrequest:bitbucket", "read:user:bitbucket"]))
    assert scopes.refusal is Refusal.MISSING_SCOPE
    assert "read:pullrequest:bitbucket, read:user:bitbucket" in scopes.message
    reviews = refused(
        fake.BitbucketCloud(lacks_scopes=["read:pullrequest:bitbucket"], refuses="pullrequests")
    )
    assert "read:pullrequest:bitbucket" in reviews.message
    other = connection_to(PROVIDER, "https://bitbucket.org", user=fake.EMAIL, workspace="acne")
    unknown = refused(fake.BitbucketCloud(), other)
    assert (unknown.refusal, "'acne'" in unknown.message) == (Refusal.NOT_FOUND, True)
    gone = refused(lambda _: httpx.Response(410, json={"error": {"message": "CHANGE-2770"}}))
    assert (gone.refusal, "update the service" in gone.message) == (Refusal.GONE, True)
    basic = base64.b64encode(f"{fake.EMAIL}:{fake.TOKEN}".encode()).decode()
    for error in (wrong, scopes, unknown, gone):
        assert fake.TOKEN not in error.message
        assert basic not in error.message


def test_a_limit_without_an_end_is_waited_for_outside_the_run(source: Source) -> None:
    with pytest.raises(RateLimited) as caught:
        run(source, PROVIDER, CONNECTION, lambda _: httpx.Response(429, json={}), [SHOP])
    assert caught.value.retry_after == 300
