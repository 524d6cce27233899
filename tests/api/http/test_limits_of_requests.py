"""Limits that apply before anybody is signed in: the size of a body, and the network of a client."""

from __future__ import annotations

import asyncio

import pytest
from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope, Send

from api.http.client_networks import client_network
from api.http.middleware import MAX_BYTES, BodySize


def received(*sizes: int) -> int:
    """The bytes that reach the application of a body in these parts, which declares no size."""
    parts = [{"type": "http.request", "body": b"x" * size, "more_body": True} for size in sizes]
    read = 0

    async def application(_: Scope, receive: Receive, __: Send) -> None:
        nonlocal read
        for _part in sizes:
            read += len((await receive())["body"])

    async def receive() -> Message:
        return parts.pop(0)

    async def send(_: Message) -> None:
        raise AssertionError("nothing is answered")

    asyncio.run(
        BodySize(application)(
            {"type": "http", "method": "POST", "path": "/api/v1/organizations", "headers": []}, receive, send
        )
    )
    return read


def test_a_body_without_a_declared_size_has_the_limit_in_all_its_parts_together() -> None:
    half = MAX_BYTES // 2
    assert received(half, half) == MAX_BYTES
    with pytest.raises(HTTPException) as refused:
        received(half, half, 1)
    assert refused.value.status_code == 413


def network(host: str) -> str:
    return client_network(Request({"type": "http", "headers": [], "client": (host, 4711)}))


def test_the_addresses_of_one_ipv6_customer_are_one_network() -> None:
    first = network("2001:db8:1:2::1")
    assert network("2001:db8:1:2:ffff:ffff:ffff:ffff") == first
    assert network("2001:db8:1:3::1") != first
    assert network("192.0.2.1") != network("192.0.2.2")
