"""Page tokens: opaque, bound to their query and build, working over republishing."""

import base64
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.control.accounts.tokens import create_token
from api.errors import InvalidArgument
from api.http.paging import PageTokens
from api.query.pages import Position
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.published_facts import make_facts
from tests.api.published_rows import write

Serve = Callable[..., AbstractContextManager[str]]
LISTS = {
    "commits": "commits",
    "repositories": "repositories",
    "developers": "developers",
    "capex": "rows",
    "zeroReasons": "zeroReasons",
    "capex/uncertainCommits": "uncertainCommits",
}


def page(client: httpx.Client, resource: str, **params: Any) -> httpx.Response:
    return client.get(f"{ROOT}/{resource}", params=params)


def problem(response: httpx.Response) -> str:
    assert response.status_code == 400, response.text
    ((violation,),) = [detail["fieldViolations"] for detail in response.json()["details"]]
    assert violation["field"] == "pageToken"
    return str(violation["description"])


@pytest.mark.parametrize("resource", LISTS)
def test_every_list_is_paged_without_gaps_or_repeats(client: httpx.Client, resource: str) -> None:
    whole = page(client, resource, pageSize=1000).json()
    rows, token = [], ""
    while True:
        body = page(client, resource, pageSize=1, pageToken=token).json()
        assert body["totalSize"] == whole["totalSize"]
        rows += body[LISTS[resource]]
        token = body["nextPageToken"]
        if not token:
            break
    assert rows == whole[LISTS[resource]]
    assert len(rows) == whole["totalSize"] > 1


def test_groups_of_series_are_paged(client: httpx.Client) -> None:
    params = {"groupBy": "DEVELOPER", "metrics": "etv", "startDate": "2026-05-01", "endDate": "2026-11-20"}
    whole = page(client, "metrics", **params).json()
    first = page(client, "metrics", **params, pageSize=2).json()
    second = page(client, "metrics", **params, pageSize=2, pageToken=first["nextPageToken"]).json()
    assert first["series"] + second["series"] == whole["series"]
    assert second["nextPageToken"] == ""
    totals = [sum(point["etv"] for point in line["points"]) for line in whole["series"]]
    assert totals == sorted(totals, reverse=True)


@pytest.mark.parametrize(
    "change",
    [
        {"orderBy": "etv"},
        {"search": "feat"},
        {"category": "FIXES"},
        {"filter": "etv > 1"},
        {"counted": "true"},
        {"endDate": "2026-11-01"},
    ],
)
def test_a_token_with_other_parameters_is_refused(client: httpx.Client, change: dict[str, str]) -> None:
    token = page(client, "commits", pageSize=3).json()["nextPageToken"]
    assert "another query" in problem(page(client, "commits", pageSize=3, pageToken=token, **change))


def test_the_page_size_may_change_between_pages(client: httpx.Client) -> None:
    whole = page(client, "commits", pageSize=10).json()["commits"]
    token = page(client, "commits", pageSize=3).json()["nextPageToken"]
    assert page(client, "commits", pageSize=7, pageToken=token).json()["commits"] == whole[3:]


def test_a_token_of_another_list_is_refused(client: httpx.Client) -> None:
    token = page(client, "repositories", pageSize=1).json()["nextPageToken"]
    problem(page(client, "developers", pageSize=1, pageToken=token))


@pytest.mark.parametrize("token", ["x", "not base64 !", "AAAA", "A" * 4096, "é", "=", "\x00"])
def test_an_invalid_token_is_refused(client: httpx.Client, token: str) -> None:
    problem(page(client, "commits", pageToken=token))


def test_a_token_longer_than_any_is_refused(client: httpx.Client) -> None:
    assert page(client, "commits", pageToken="A" * 4097).status_code == 400


def test_no_byte_of_a_token_can_be_changed(client: httpx.Client) -> None:
    token = page(client, "commits", pageSize=3).json()["nextPageToken"]
    raw = bytearray(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    for place in range(len(raw)):
        forged = bytes(raw[:place]) + bytes([raw[place] ^ 1]) + bytes(raw[place + 1 :])
        problem(page(client, "commits", pageSize=3, pageToken=base64.urlsafe_b64encode(forged).decode()))


def test_pages_go_on_in_the_build_that_they_began_in(deployment: Deployment, serve: Serve) -> None:
    first_build = deployment.publish()
    with serve(deployment.data_dir) as address, client_for(address, deployment.key()) as client:
        whole = page(client, "commits", pageSize=1000).json()["commits"]
        first = page(client, "commits", pageSize=50)
        write(make_facts(40, seed=1), deployment.data_dir / "other.duckdb")
        deployment.warehouse = deployment.data_dir / "other.duckdb"
        second_build = deployment.publish()
        token = first.json()["nextPageToken"]
        rows = first.json()["commits"]
        while token:
            answer = page(client, "commits", pageSize=50, pageToken=token)
            assert answer.headers["x-warehouse-build"] == first_build
            rows += answer.json()["commits"]
            token = answer.json()["nextPageToken"]
        assert rows == whole
        fresh = page(client, "commits")
        assert fresh.headers["x-warehouse-build"] == second_build
        assert fresh.json()["totalSize"] == 40


def test_a_token_survives_a_restart_of_the_server(deployment: Deployment, serve: Serve) -> None:
    deployment.publish()
    with serve(deployment.data_dir) as address, client_for(address, deployment.key()) as client:
        token = page(client, "commits", pageSize=5).json()["nextPageToken"]
    deployment.publish()
    with serve(deployment.data_dir) as address, client_for(address, deployment.key()) as client:
        assert page(client, "commits", pageSize=5, pageToken=token).status_code == 200


def test_a_token_of_a_removed_build_gives_an_error(deployment: Deployment, serve: Serve) -> None:
    deployment.publish()
    with serve(deployment.data_dir) as address, client_for(address, deployment.key()) as client:
        token = page(client, "commits", pageSize=5).json()["nextPageToken"]
    deployment.publish(keep_replaced=timedelta(0))
    with serve(deployment.data_dir) as address, client_for(address, deployment.key()) as client:
        assert "30 minutes" in problem(page(client, "commits", pageSize=5, pageToken=token))


def test_a_token_of_another_organization_is_refused(deployment: Deployment, serve: Serve) -> None:
    deployment.publish()
    other = deployment.store.ensure_organization("Other")

    theirs = create_token(deployment.store, other.id, "theirs").key
    with serve(deployment.data_dir) as address, client_for(address, deployment.key()) as client:
        token = page(client, "commits", pageSize=5).json()["nextPageToken"]
        with client_for(address, theirs) as stranger:
            answer = stranger.get(
                "/api/v1/organizations/other/commits", params={"pageSize": 5, "pageToken": token}
            )
    problem(answer)


VALUES = st.lists(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    max_size=5,
)


@given(values=VALUES, build=st.text(min_size=1), digest=st.binary(min_size=16, max_size=16))
def test_a_token_returns_the_values_that_it_was_made_from(
    values: list[Any], build: str, digest: bytes
) -> None:
    tokens = PageTokens(b"k" * 32)
    try:
        made = tokens.make(digest, Position(build, values))
    except TypeError:
        return  # text with lone surrogates is no JSON, and no column has it
    assert tokens.read(digest, made) == Position(build, values)
    with pytest.raises(InvalidArgument):
        PageTokens(b"l" * 32).read(digest, made)
