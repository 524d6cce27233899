"""Answers of GraphQL: errors beside status 200, and queries that take too long."""

import json
import pickle
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from ingest.errors import ProviderRefused, RateLimited, Refusal, Transient
from ingest.http.client import Client, Login
from ingest.http.pages import GraphQl, Query, pages
from ingest.http.rate_limits import RateLimits

Handler = Callable[[dict[str, Any]], httpx.Response]


def client_of(handler: Handler, limits: RateLimits | None = None) -> Client:
    transport = httpx.MockTransport(lambda request: handler(json.loads(request.content)))
    return Client(Login("https://h.example", {}), limits, transport=transport, sleep=lambda _: None)


def answer(body: Any, status: int = 200, **headers: str) -> Handler:
    return lambda _: httpx.Response(
        status, json=body, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


@pytest.mark.parametrize(
    ("error", "refusal"),
    [
        ({"type": "NOT_FOUND", "message": "no such repository"}, Refusal.NOT_FOUND),
        ({"type": "INSUFFICIENT_SCOPES", "message": "needs repo"}, Refusal.MISSING_SCOPE),
        ({"message": "forbidden", "extensions": {"code": "FORBIDDEN"}}, Refusal.FORBIDDEN),
        ({"message": "Field 'x' doesn't exist"}, Refusal.INVALID),
    ],
)
def test_errors_without_data_are_refusals_with_the_words_of_the_provider(
    error: dict[str, Any], refusal: Refusal
) -> None:
    with pytest.raises(ProviderRefused, match=error["message"]) as caught:
        client_of(answer({"data": None, "errors": [error]})).query("graphql", {})
    assert caught.value.refusal is refusal
    assert pickle.loads(pickle.dumps(caught.value)).body == {"data": None, "errors": [error]}


def test_errors_beside_data_leave_the_data() -> None:
    body = {
        "data": {"rows": [1, None]},
        "errors": [{"type": "NOT_FOUND", "path": ["rows", 1], "message": "gone"}],
    }
    assert client_of(answer(body)).query("graphql", {}).body == body


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("error", [{"type": "RATE_LIMITED"}, {"extensions": {"code": "RATELIMITED"}}])
def test_a_limit_among_the_errors_waits_until_the_reset(status: int, error: dict[str, Any]) -> None:
    limits = RateLimits("x-left", "x-reset")
    handler = answer(
        {"errors": [{"message": "slow down", **error}]},
        status,
        x_left="0",
        x_reset=str(int(time.time()) + 7200),
    )
    with pytest.raises(RateLimited) as caught:
        client_of(handler, limits).query("graphql", {})
    assert (caught.value.retry_after or 0) > 3600


def test_a_reset_does_not_count_while_requests_are_left() -> None:
    limits = RateLimits("x-left", "x-reset", wait_without_header=75.0)
    handler = answer({"message": "secondary limit"}, 429, x_left="4000", x_reset=str(int(time.time()) + 7200))
    with pytest.raises(RateLimited) as caught:
        client_of(handler, limits).query("graphql", {})
    assert caught.value.retry_after == 75.0


def test_a_query_that_takes_too_long_is_repeated_for_fewer_rows() -> None:
    numbers = list(range(20))
    asked: list[int] = []

    def handler(body: dict[str, Any]) -> httpx.Response:
        size, start = body["variables"]["n"], int(body["variables"].get("after") or 0)
        asked.append(size)
        if size > 5:
            return httpx.Response(502, text="<html>", headers={"content-type": "text/html"})
        more = {"hasNextPage": start + size < 20, "endCursor": str(start + size)}
        return httpx.Response(
            200, json={"data": {"all": {"nodes": numbers[start : start + size], "pageInfo": more}}}
        )

    first = Query("graphql", body={"query": "…", "variables": {"n": 20}})
    found = [
        row for page in pages(client_of(handler), first, GraphQl(("all",), sizes=("n",))) for row in page.rows
    ]
    assert found == numbers
    assert asked == [20, 20, 10, 10, 5, 5, 5, 5]


def test_a_query_for_one_row_that_takes_too_long_fails() -> None:
    first = Query("graphql", body={"query": "…", "variables": {"n": 2}})
    give_up = answer(
        {"data": None, "errors": [{"message": "Something went wrong while executing your query."}]}
    )
    with pytest.raises(Transient):
        list(pages(client_of(give_up), first, GraphQl(("all",), sizes=("n",))))


@pytest.mark.parametrize(
    ("errors", "refusal"), [([{"type": "NOT_FOUND"}], Refusal.NOT_FOUND), ([], Refusal.INVALID)]
)
def test_data_without_the_connection_is_no_empty_list(errors: list[Any], refusal: Refusal) -> None:
    first = Query("graphql", body={"query": "…", "variables": {}})
    nothing = answer({"data": {"repository": None}, "errors": errors})
    with pytest.raises(ProviderRefused) as caught:
        list(pages(client_of(nothing), first, GraphQl(("repository", "issues"))))
    assert caught.value.refusal is refusal
