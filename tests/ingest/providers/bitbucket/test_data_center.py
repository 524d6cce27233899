"""Bitbucket Data Center: what a server has becomes rows, once, and nobody's answers remove nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from ingest.connections.model import WantedRepository
from ingest.errors import ProviderRefused, Refusal
from ingest.lake import Source
from ingest.providers.bitbucket.data_center import BitbucketDataCenter
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
    source_in,
)
from tests.ingest.providers.bitbucket import data_center_server as fake

PROVIDER = BitbucketDataCenter()
ADDRESS = "https://git.example.com/bitbucket"
CONNECTION = connection_to(PROVIDER, ADDRESS)
WEB = WantedRepository("5b1f5f3e-0000-5000-8000-000000000002", "git.example.com/bitbucket/scm/shop/web")


def read(source: Source, server: Handler, **options: Any) -> dict[str, dict[str, Any]]:
    """The pull requests after a run, by number."""
    return read_pull_requests(source, PROVIDER, CONNECTION, server, [WEB], **options)


def time(day: int, hour: int = 0) -> datetime:
    return datetime(2026, 3, day, hour, 0, 0, 7000, tzinfo=UTC)


def refused(server: Handler, address: str = ADDRESS) -> ProviderRefused:
    connection = connection_to(PROVIDER, address)
    return refused_check(PROVIDER, connection, server)


def test_repositories_of_projects_and_people_are_listed(source: Source) -> None:
    server = fake.BitbucketServer(
        [
            fake.repository(1, "web"),
            fake.repository(2, "dots", "~ann", public=True, archived=True, origin={"id": 1}),
        ]
    )
    run(source, PROVIDER, CONNECTION, server, [WEB])
    web, dots = rows(source, "repositories").values()
    assert (web["owner"], web["name"], web["default_branch"]) == ("SHOP", "web", "main")
    assert web["address"] == "https://git.example.com/bitbucket/scm/shop/web.git"
    assert (web["is_private"], web["is_archived"], web["is_fork"], web["is_empty"]) == (
        True,
        False,
        False,
        False,
    )
    assert (dots["owner"], dots["is_private"], dots["is_archived"], dots["is_fork"]) == (
        "~ann",
        False,
        True,
        True,
    )


@pytest.mark.parametrize("is_old", [False, True])
def test_only_wanted_repositories_cost_a_request_for_their_branch(source: Source, is_old: bool) -> None:
    server = Recorded(
        fake.BitbucketServer(
            [fake.repository(n, f"r{n}") for n in range(2, 9)] + [fake.repository(1, "web")], is_old=is_old
        )
    )
    run(source, PROVIDER, CONNECTION, server, [WEB])
    assert rows(source, "repositories")["1"]["default_branch"] == "main"
    assert {path.split("/")[8] for path in server.paths() if "default" in path} == {"web"}


def test_an_empty_repository_has_no_branch(source: Source) -> None:
    run(source, PROVIDER, CONNECTION, fake.BitbucketServer(branches={}), [WEB])
    web = rows(source, "repositories")["1"]
    assert (web["default_branch"], web["is_empty"]) == (None, True)


@pytest.mark.parametrize(
    "origin",
    [
        "git.example.com/bitbucket/scm/SHOP/Web",
        "git.example.com:7999/shop/web",
        "git.example.com:7999/SHOP/web",
    ],
)
def test_a_repository_is_known_by_either_address_in_any_case(source: Source, origin: str) -> None:
    server = fake.BitbucketServer(pulls=[fake.pull(1)])
    run(source, PROVIDER, CONNECTION, server, [WantedRepository(WEB.repository_id, origin)])
    assert rows(source, "pull_requests")["1/1"]["repository_id"] == WEB.repository_id


def test_the_story_of_a_pull_request_comes_from_its_activities(source: Source) -> None:
    server = fake.BitbucketServer(
        pulls=[
            fake.pull(
                1, state="MERGED", updated=9, reviewers=[{"user": fake.user("bob"), "status": "APPROVED"}]
            )
        ],
        activities={
            1: [
                fake.activity("MERGED", 8, commit={"id": fake.sha(50), "parents": []}),
                fake.activity("APPROVED", 7),
                fake.activity("UNAPPROVED", 6),
                fake.activity("REVIEWED", 5),
                fake.activity("COMMENTED", 4, commentAction="DELETED"),
                fake.activity("COMMENTED", 4, commentAction="ADDED"),
                fake.activity("RESCOPED", 3, "ann", fromHash=fake.sha(1)),
                fake.activity("UPDATED", 3, "ann", draft=False),
                fake.activity("UPDATED", 2, "ann", addedReviewers=[fake.user("bob")]),
                fake.activity("OPENED", 1, "ann"),
            ]
        },
        commits={1: [fake.commit(2, fake.user("ann")), fake.commit(1)]},
    )
    one = read(source, server)["1"]
    assert events(one) == [
        ("review_requested", "ann", "bob"),
        ("ready", "ann", None),
        ("commented", "bob", None),
        ("changes_requested", "bob", None),
        ("unapproved", "bob", None),
        ("approved", "bob", None),
        ("merged", "bob", None),
    ]
    assert (one["created_at"], one["merged_at"]) == (time(1), time(8))
    assert (one["merge_sha"], one["merged_by"], one["head_sha"]) == (fake.sha(50), "bob", fake.sha(1))
    assert (one["reviewers"], one["comment_count"], one["source_branch"]) == (["bob"], 2, "topic-1")
    first, second = one["commits"]
    assert (first["sha"], first["author_name"], first["author_login"]) == (fake.sha(1), "Bob in Git", None)
    assert (second["author_name"], second["author_login"]) == ("Ann", "ann")


def test_states_forks_and_accounts(source: Source) -> None:
    declined = fake.pull(1, state="DECLINED", updated=4)
    orphan = fake.pull(2, author=None)
    orphan["fromRef"].pop("repository")
    service = fake.pull(3, author={"user": fake.user("ci", "SERVICE")}, draft=True)
    found = read(source, fake.BitbucketServer(pulls=[declined, orphan, service]))
    assert [found[n]["state"] for n in "123"] == ["closed", "open", "open"]
    assert (found["1"]["closed_at"], found["1"]["merged_at"], found["1"]["merge_sha"]) == (
        time(4),
        None,
        None,
    )
    assert [found[n]["is_from_fork"] for n in "123"] == [False, True, False]
    assert (found["2"]["author"], found["3"]["author_kind"], found["3"]["is_draft"]) == (None, "bot", True)
    assert found["1"]["commits"] == []  # the branch is gone


def test_an_incremental_run_stops_at_the_first_page_that_is_older(source: Source) -> None:
    server = fake.BitbucketServer(pulls=[fake.pull(n) for n in range(1, 29)], page_size=5)
    assert len(read(source, server)) == 28
    server.pulls[3] |= {"title": "Changed", "updatedDate": fake.at(29), "version": 2}
    again = Recorded(server)
    assert run(source, PROVIDER, CONNECTION, again, [WEB]).rows == {"pull_requests": 1}
    assert rows(source, "pull_requests")["1/4"]["title"] == "Changed"
    lists = [r.url.params.get("start") for r in again.requests if r.url.path.endswith("/pull-requests")]
    assert lists == [None, "5"]


def test_a_second_run_without_changes_takes_a_handful_of_requests_and_writes_nothing(source: Source) -> None:
    server = fake.BitbucketServer(pulls=[fake.pull(n) for n in range(1, 21)])
    read(source, server)
    again = Recorded(server)
    assert run(source, PROVIDER, CONNECTION, again, [WEB]).rows == {}
    assert len(again.requests) == 3


@pytest.mark.parametrize("repeats", [False, True])
def test_every_page_is_read_also_when_pages_overlap(source: Source, repeats: bool) -> None:
    server = fake.BitbucketServer(
        pulls=[fake.pull(n) for n in range(1, 29)], page_size=4, repeats_rows=repeats
    )
    assert sorted(map(int, read(source, server))) == list(range(1, 29))
    assert source.read("pull_requests").num_rows == 28


def test_a_run_that_breaks_anywhere_continues_to_the_same_rows(tmp_path: Path) -> None:
    server = fake.BitbucketServer(
        pulls=[fake.pull(n) for n in range(1, 8)],
        activities={n: [fake.activity("APPROVED", 9)] for n in range(1, 8)},
        commits={n: [fake.commit(n)] for n in range(1, 8)},
        page_size=3,
    )
    whole = source_in(tmp_path / "whole", PROVIDER)
    undisturbed = Recorded(server)
    run(whole, PROVIDER, CONNECTION, undisturbed, [WEB])
    for fails_at in range(1, len(undisturbed.requests) + 1, 2):
        source = source_in(tmp_path / str(fails_at), PROVIDER)
        assert run_broken(source, PROVIDER, CONNECTION, server, [WEB], fails_at)
        assert rows(source, "pull_requests") == rows(whole, "pull_requests")
        assert source.read("pull_requests").num_rows == 7


def test_a_malformed_pull_request_is_counted_and_stops_no_other(source: Source) -> None:
    server = fake.BitbucketServer(pulls=[fake.pull(1), fake.pull(2, reviewers=5), fake.pull(3)])
    report = run(source, PROVIDER, CONNECTION, server, [WEB])
    assert (report.unread, report.rows["pull_requests"]) == ({"pull_requests/1": 1}, 2)


def test_a_deleted_pull_request_goes_with_the_next_sweep(source: Source) -> None:
    server = fake.BitbucketServer(pulls=[fake.pull(1), fake.pull(2)])
    read(source, server)
    del server.pulls[0]
    assert list(read(source, server)) == ["1", "2"]
    assert list(read(source, server, now=lambda: datetime(2050, 1, 1, tzinfo=UTC))) == ["2"]


def test_a_server_that_answers_as_to_nobody_stops_the_run(source: Source) -> None:
    """A public repository alone would look as if the others were gone."""
    server = fake.BitbucketServer(
        [fake.repository(1, "web"), fake.repository(2, "docs", public=True)], is_public=True
    )
    run(source, PROVIDER, CONNECTION, server, [WEB])
    server.accepts = "Bearer another"
    with pytest.raises(ProviderRefused) as caught:
        run(source, PROVIDER, CONNECTION, server, [WEB])
    assert caught.value.refusal is Refusal.UNAUTHORIZED
    assert list(rows(source, "repositories")) == ["1", "2"]


def test_a_check_names_the_account_and_says_what_to_change() -> None:
    with client_to(PROVIDER, CONNECTION, fake.BitbucketServer()) as client:
        assert PROVIDER.check(client, CONNECTION).account == "ann"
    nobody = refused(fake.BitbucketServer(accepts="x", is_public=True))
    assert (nobody.refusal, "as to nobody" in nobody.message) == (Refusal.UNAUTHORIZED, True)
    assert refused(fake.BitbucketServer(accepts="x")).refusal is Refusal.UNAUTHORIZED
    elsewhere = refused(fake.BitbucketServer(), "https://git.example.com")
    assert (elsewhere.refusal, "context path" in elsewhere.message) == (Refusal.BAD_ADDRESS, True)
    page = refused(lambda _: httpx.Response(200, html="<html>Log in</html>"))
    assert "context path" in page.message
    poor = refused(lambda r: httpx.Response(200 if "application" in r.url.path else 403, json={}))
    assert poor.refusal is Refusal.MISSING_SCOPE


def test_logins_of_tokens_and_of_users() -> None:
    assert PROVIDER.git_login(CONNECTION) == "Bearer s3cret-token"
    with_user = connection_to(PROVIDER, ADDRESS, user="ann")
    assert PROVIDER.git_login(with_user) == "ann:s3cret-token"
    assert PROVIDER.login(with_user).headers["Authorization"].startswith("Basic ")
    assert "s3cret" not in repr(PROVIDER.login(with_user))
