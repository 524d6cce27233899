"""Runs over an invented provider: the lake as models read it, and servers that fail where a test says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from ingest.connections.model import Connection, Provider, WantedRepository
from ingest.connections.sync import Sync, SyncReport
from ingest.errors import ProviderRefused, Transient
from ingest.http.client import Client
from ingest.lake import Lake, Source

ORGANIZATION = "00000000-0000-0000-0000-000000000001"
CONNECTION_ID = "018f0000-0000-7000-8000-000000000003"
TOKEN = "s3cret-token"
"""The secret of the connections of the cases."""
Handler = Callable[[httpx.Request], httpx.Response]


@dataclass
class Recorded:
    """A server with the requests that it got; from request `fails_at` on its network is gone."""

    handler: Handler
    fails_at: int | None = None
    requests: list[httpx.Request] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if self.fails_at is not None and len(self.requests) >= self.fails_at:
            raise httpx.ReadError("connection reset")
        return self.handler(request)

    def paths(self) -> list[str]:
        return [request.url.path for request in self.requests]


def connection_to(
    provider: Provider, address: str, *, secret: str = TOKEN, user: str = "", **options: Any
) -> Connection:
    return Connection(CONNECTION_ID, ORGANIZATION, provider.kind, address, secret, user, options)


def client_to(provider: Provider, connection: Connection, handler: Handler, **options: Any) -> Client:
    transport = httpx.MockTransport(handler)
    login, limits = provider.login(connection), provider.rate_limits
    return Client(login, limits, transport=transport, sleep=lambda _: None, **options)


def source_in(folder: Path, provider: Provider) -> Source:
    return Lake(folder / "raw").source(provider.category.noun, ORGANIZATION, CONNECTION_ID)


def run(
    source: Source,
    provider: Provider,
    connection: Connection,
    handler: Handler,
    wanted: Sequence[WantedRepository] = (),
    **options: Any,
) -> SyncReport:
    with client_to(provider, connection, handler) as client, source.extracting():
        return Sync(source, connection, provider, client, wanted, **options).run()


def read_pull_requests(
    source: Source,
    provider: Provider,
    connection: Connection,
    handler: Handler,
    wanted: Sequence[WantedRepository],
    **options: Any,
) -> dict[str, dict[str, Any]]:
    """The pull requests after a run that reads everything, by number."""
    report = run(source, provider, connection, handler, wanted, **options)
    assert (report.failures, report.unread) == ({}, {})
    return {key.rpartition("/")[2]: row for key, row in rows(source, "pull_requests").items()}


def refused_check(provider: Provider, connection: Connection, handler: Handler) -> ProviderRefused:
    """The refusal that ends the check of a connection."""
    with pytest.raises(ProviderRefused) as caught, client_to(provider, connection, handler) as client:
        provider.check(client, connection)
    return caught.value


def run_broken(
    source: Source,
    provider: Provider,
    connection: Connection,
    handler: Handler,
    wanted: Sequence[WantedRepository],
    fails_at: int,
) -> bool:
    """A run that breaks at a request, and one that continues it. Returns whether the first one broke."""
    try:
        run(source, provider, connection, Recorded(handler, fails_at), wanted)
    except Transient:
        run(source, provider, connection, handler, wanted)
        return True
    return False


def rows(source: Source, table: str) -> dict[str, dict[str, Any]]:
    """The newest version of each row that still exists, without the number of its batch."""
    return newest(source.read(table).to_pylist(), table, source.read("deletions").to_pylist())


def newest(
    versions: list[dict[str, Any]], table: str, deletions: list[dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    gone = {row["provider_id"] for row in deletions if row["table_name"] == table}
    ordered = sorted(versions, key=lambda row: row["batch"])
    found = {row["provider_id"]: {**row, "batch": 0} for row in ordered if row["provider_id"] not in gone}
    return dict(sorted(found.items()))


def said(request: httpx.Request) -> str:
    """The path of a request as it went over the wire, with its percent signs."""
    return urlsplit(str(request.url)).path


def events(row: dict[str, Any]) -> list[tuple[str, str | None, str | None]]:
    """Kind, actor and detail of the events of a pull request, by time."""
    return [(event["kind"], event["actor"], event["detail"]) for event in row["events"]]
