"""Azure DevOps: every repository once, broken and refused runs, versions, addresses."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from ingest.connections.model import WantedRepository
from ingest.errors import ProviderRefused, RateLimited, Refusal
from ingest.http.pages import Offset
from ingest.lake import Source
from ingest.providers.azure import access as azure_access
from ingest.providers.azure import host as azure_devops
from ingest.providers.azure.host import AzureDevOps
from tests.ingest.connections.running import (
    Handler,
    Recorded,
    client_to,
    connection_to,
    read_pull_requests,
    refused_check,
    rows,
    run,
    run_broken,
    said,
    source_in,
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


def refused(server: Handler, address: str = CONNECTION.address) -> ProviderRefused:
    connection = connection_to(PROVIDER, address)
    return refused_check(PROVIDER, connection, server)


def test_repositories_of_every_project_are_listed(source: Source) -> None:
    server = fake.AzureDevOps(
        projects=["Web Shop", "Other"],
        repositories=[
            fake.repository(),
            fake.repository("old", isDisabled=True),
            fake.repository("empty", "Other", defaultBranch=None),
        ],
        page_size=1,
    )
    run(source, PROVIDER, CONNECTION, server)
    found = rows(source, "repositories")
    shop, old, empty = found["repo-shop"], found["repo-old"], found["repo-empty"]
    assert (shop["owner"], shop["name"], shop["default_branch"]) == ("acme/Web Shop", "shop", "main")
    assert shop["address"] == "https://dev.azure.com/acme/Web%20Shop/_git/shop"
    assert (old["is_archived"], shop["is_archived"]) == (True, False)
    assert (empty["default_branch"], empty["is_empty"], empty["owner"]) == (None, True, "acme/Other")


def test_names_with_blanks_are_encoded(source: Source) -> None:
    recorded = Recorded(fake.AzureDevOps(pulls=[fake.pull(1)]))
    assert list(read(source, recorded)) == ["1"]
    assert "/acme/Web%20Shop/_apis/git/pullrequests" in {said(request) for request in recorded.requests}


def test_a_disabled_repository_is_listed_and_not_asked(source: Source) -> None:
    server = Recorded(fake.AzureDevOps(repositories=[fake.repository(isDisabled=True)]))
    assert run(source, PROVIDER, CONNECTION, server, [SHOP]).failures == {}
    assert not [path for path in server.paths() if "pull" in path]


def test_runs_that_break_anywhere_continue_to_the_same_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first run reads one list, the second one three: a cursor names the list."""
    monkeypatch.setattr(azure_devops, "PAGE", 2)
    monkeypatch.setattr(azure_devops, "LIST", Offset(("value",), "$skip", 2))

    def before() -> fake.AzureDevOps:
        threads = {n: [fake.vote(9, 10)] for n in range(1, 6)}
        return fake.AzureDevOps(pulls=[fake.pull(n) for n in range(1, 6)], threads=threads)

    def after() -> fake.AzureDevOps:
        server = before()
        for one in server.pulls[:3]:
            one |= {"status": "completed", "closedDate": fake.at(20), "closedBy": fake.user("bob")}
        server.pulls += [fake.pull(n) for n in (21, 22, 23)]
        return server

    whole = source_in(tmp_path / "whole", PROVIDER)
    first, second = Recorded(before()), Recorded(after())
    run(whole, PROVIDER, CONNECTION, first, [SHOP])
    run(whole, PROVIDER, CONNECTION, second, [SHOP])
    expected = rows(whole, "pull_requests")
    assert len(expected) == 8
    for fails_at in range(1, len(second.requests) + 1, 3):
        source = source_in(tmp_path / str(fails_at), PROVIDER)
        run_broken(source, PROVIDER, CONNECTION, before(), [SHOP], fails_at)
        assert run_broken(source, PROVIDER, CONNECTION, after(), [SHOP], fails_at)
        assert rows(source, "pull_requests") == expected
        assert source.read("pull_requests").num_rows == whole.read("pull_requests").num_rows


def test_a_project_that_is_refused_stops_no_other_and_keeps_its_repositories(source: Source) -> None:
    server = fake.AzureDevOps(
        projects=["Secret", "Web Shop"], repositories=[fake.repository(), fake.repository("vault", "Secret")]
    )
    run(source, PROVIDER, CONNECTION, server)
    server.pulls = [fake.pull(1)]

    def secretive(request: httpx.Request) -> httpx.Response:
        if "/Secret/" in request.url.path:
            return httpx.Response(403, json={"message": "TF401027: You need the permission."})
        return server(request)

    report = run(source, PROVIDER, CONNECTION, secretive, [SHOP])
    assert report.unread == {"repositories": 1}
    assert "TF401027" in report.unread_reasons["repositories"]
    assert list(rows(source, "repositories")) == ["repo-shop", "repo-vault"]
    assert list(rows(source, "pull_requests")) == ["repo-shop/1"]


def test_a_malformed_pull_request_is_counted_and_stops_no_other(source: Source) -> None:
    server = fake.AzureDevOps(pulls=[fake.pull(1), fake.pull(2, labels=[1], reviewers=3), fake.pull(3)])
    report = run(source, PROVIDER, CONNECTION, server, [SHOP])
    assert (report.unread, report.rows["pull_requests"]) == ({"pull_requests/repo-shop": 1}, 2)


@pytest.mark.parametrize("version", ["7.1", "7.0", "6.0"])
def test_servers_answer_in_the_newest_version_that_they_know(source: Source, version: str) -> None:
    known = fake.AzureDevOps().versions
    server = Recorded(fake.AzureDevOps(pulls=[fake.pull(1)], versions=known[known.index(version) :]))
    assert list(read(source, server)) == ["1"]
    assert server.requests[-1].url.params["api-version"] == version


def test_a_token_that_ends_between_runs_stops_the_connection(source: Source) -> None:
    """A page to sign in is no empty list: nothing goes."""
    server = fake.AzureDevOps(pulls=[fake.pull(1)])
    read(source, server)
    server.login = "Basic other"
    with pytest.raises(ProviderRefused) as caught:
        run(source, PROVIDER, CONNECTION, server, [SHOP])
    assert (caught.value.refusal, "page to sign in" in caught.value.message) == (Refusal.UNAUTHORIZED, True)
    assert list(rows(source, "pull_requests")) == ["repo-shop/1"]


def test_a_redirect_to_the_login_of_another_host_stops_the_connection_and_gets_no_token(
    source: Source,
) -> None:
    moved = httpx.Response(302, headers={"Location": "https://app.vssps.visualstudio.com/_signin"})
    server = Recorded(lambda _: moved)
    with pytest.raises(ProviderRefused) as caught:
        run(source, PROVIDER, CONNECTION, server, [SHOP])
    assert (caught.value.refusal, "page to sign in" in caught.value.message) == (Refusal.UNAUTHORIZED, True)
    assert {request.url.host for request in server.requests} == {"dev.azure.com"}


def test_a_check_names_the_account_and_says_what_to_change() -> None:
    with client_to(PROVIDER, CONNECTION, fake.AzureDevOps()) as client:
        assert PROVIDER.check(client, CONNECTION).account == "ann@example.com"
    wrong = refused(fake.AzureDevOps(login="Basic other"))
    assert (wrong.refusal, "wrong or expired" in wrong.message) == (Refusal.UNAUTHORIZED, True)
    moved = refused(lambda _: httpx.Response(302, headers={"Location": "https://app.vssps.visualstudio.com"}))
    assert moved.refusal is Refusal.UNAUTHORIZED
    nobody = refused(lambda _: httpx.Response(200, json={"authenticatedUser": {"id": fake.NOBODY}}))
    assert nobody.refusal is Refusal.UNAUTHORIZED
    poor = refused(fake.AzureDevOps(scopes=()))
    assert (poor.refusal, "Code (Read)" in poor.message) == (Refusal.MISSING_SCOPE, True)
    other = refused(fake.AzureDevOps(), "https://dev.azure.com/acne")
    assert (other.refusal, "'acne'" in other.message) == (Refusal.NOT_FOUND, True)
    policy = refused(lambda _: httpx.Response(403, json={"message": "VS403463"}))
    assert (policy.refusal, "conditional access" in policy.message) == (Refusal.FORBIDDEN, True)


@pytest.mark.parametrize(
    ("given", "address", "name"),
    [
        ("https://dev.azure.com/acme/Web%20Shop/_git/shop", "https://dev.azure.com/acme", "acme"),
        ("https://acme.visualstudio.com/DefaultCollection", "https://acme.visualstudio.com", "acme"),
        ("https://tfs.example.com/tfs/Main", "https://tfs.example.com/tfs/Main", "tfs/Main"),
    ],
)
def test_addresses_of_projects_lead_to_their_organization(given: str, address: str, name: str) -> None:
    connection = connection_to(PROVIDER, given)
    assert PROVIDER.login(connection).address == address
    assert azure_access.organization(connection) == name


def test_an_address_without_an_organization_is_refused() -> None:
    message = refused(lambda _: httpx.Response(200, html="<html>"), "https://dev.azure.com").message
    assert "https://dev.azure.com/ORGANIZATION" in message


def test_a_limit_with_another_status_is_a_limit(source: Source) -> None:
    body = {"message": "TF400733: The request has been canceled: exceeding usage of resource."}
    limited = httpx.Response(503, json=body, headers={"Retry-After": "120"})
    with pytest.raises(RateLimited) as caught:
        run(source, PROVIDER, CONNECTION, lambda _: limited, [SHOP])
    assert caught.value.retry_after == 120


def test_tokens_of_entra_are_bearers() -> None:
    entra = connection_to(PROVIDER, CONNECTION.address, secret="eyJh.eyJb.c")
    assert PROVIDER.login(entra).headers["Authorization"] == "Bearer eyJh.eyJb.c"
    assert PROVIDER.git_login(entra) == "Bearer eyJh.eyJb.c"
    assert PROVIDER.login(CONNECTION).headers["Authorization"] == fake.LOGIN
    assert PROVIDER.git_login(CONNECTION) == "token:s3cret-token"
