"""Requests within the process: the application receives what a client of HTTP would send it."""

import asyncio
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Message

from api.http.inner_requests import InnerAnswer, InnerClient, inner_transport

app = FastAPI()
STATE = {"services": "those of the server"}
CLIENT = ("192.0.2.7", 4711)
COMPARED = ("accept", "authorization", "content-type", "content-length", "host")


@app.api_route("/echo/{name:path}", methods=["GET", "POST", "DELETE"])
async def echo(request: Request, name: str) -> Response:
    answer = JSONResponse(
        {
            "method": request.method,
            "name": name,
            "raw": request.scope["raw_path"].decode(),
            "query": request.query_params.multi_items(),
            "headers": {key: request.headers.get(key) for key in COMPARED},
            "body": (await request.body()).decode(),
            "state": request.state.services,
            "client": list(request.client or ()),
        },
        201,
    )
    answer.set_cookie("one", "1")
    answer.set_cookie("two", "2")
    return answer


@app.get("/stream")
async def stream() -> Response:
    return StreamingResponse(iter((b"first ", b"second")))


@app.get("/broken")
async def broken() -> Response:
    raise ZeroDivisionError


def inner(method: str, path: str, **options: Any) -> InnerAnswer:
    client = InnerClient(app, STATE, CLIENT, "Bearer session_x")
    return asyncio.run(client.request(method, path, **options))


def over_http(method: str, path: str, **options: Any) -> httpx.Response:
    async def answer() -> httpx.Response:
        headers = {"Authorization": "Bearer session_x", "Accept": "application/json"}
        transport = inner_transport(app, STATE, CLIENT)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://localhost", headers=headers
        ) as client:
            return await client.request(method, path, **options)

    return asyncio.run(answer())


@pytest.mark.parametrize(
    ("method", "path", "options"),
    [
        ("GET", "/echo/commits", {"params": {"filter": "etv > 2 & name = 'ä+b'", "pageSize": 5}}),
        ("GET", "/echo/commits", {"params": [("metrics", "a"), ("metrics", "b"), ("empty", "")]}),
        ("GET", "/echo/owner%2Fname/%2E%2E/h%C3%A9", {}),
        ("GET", "/echo/commits", {"headers": {"Accept": "image/svg+xml"}}),
        ("POST", "/echo/teams", {"json": {"name": "Ünï", "parentId": None}}),
        ("DELETE", "/echo/teams/1", {}),
    ],
)
def test_an_inner_request_arrives_as_one_over_http(method: str, path: str, options: dict[str, Any]) -> None:
    found, expected = inner(method, path, **options), over_http(method, path, **options)
    assert found.json() == expected.json()
    assert found.status_code == expected.status_code == 201
    assert found.headers.getlist("set-cookie") == expected.headers.get_list("set-cookie")


def test_the_parts_of_a_stream_are_joined() -> None:
    assert inner("GET", "/stream").text == "first second"


def test_a_path_with_a_query_is_refused() -> None:
    with pytest.raises(ValueError, match="params"):
        inner("GET", "/echo/a?pageSize=1")
    assert inner("GET", "/echo/a%3FpageSize=1").json()["name"] == "a?pageSize=1"


def test_a_failure_is_the_answer_of_the_application() -> None:
    answer = inner("GET", "/broken")
    assert answer.is_error
    assert answer.status_code == 500


def test_half_a_character_is_refused() -> None:
    with pytest.raises(UnicodeEncodeError):
        inner("GET", "/echo/\ud800")


def test_an_application_that_waits_for_the_end_of_the_connection_is_answered() -> None:
    async def waits(scope: Any, receive: Any, send: Any) -> None:
        async def listen() -> Message:
            await receive()
            return dict(await receive())

        listening = asyncio.create_task(listen())
        await asyncio.sleep(0)
        assert not listening.done()
        listening.cancel()
        await send({"type": "http.response.start", "status": 204, "headers": []})

    client = InnerClient(waits, {}, None, "")
    assert asyncio.run(client.get("/")).status_code == 204
