"""Runs over an invented host: the lake as models read it, and a server that fails where a test says."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx

from ingest.connections.model import Connection, GitHost, WantedRepository
from ingest.connections.sync import Sync, SyncReport
from ingest.errors import Transient
from ingest.http import Client
from ingest.lake import Lake, Source

ORGANIZATION = "00000000-0000-0000-0000-000000000001"
CONNECTION_ID = "018f0000-0000-7000-8000-000000000002"
Handler = Callable[[httpx.Request], httpx.Response]


def connection_to(provider: GitHost, address: str, secret: str = "s3cret-token") -> Connection:
    return Connection(CONNECTION_ID, ORGANIZATION, provider.kind, address, secret)


def client_to(provider: GitHost, connection: Connection, handler: Handler) -> Client:
    return Client(
        provider.login(connection),
        provider.rate_limits,
        transport=httpx.MockTransport(handler),
        sleep=lambda _: None,
    )


def source_in(folder: Path) -> Source:
    return Lake(folder / "raw").source("hosts", ORGANIZATION, CONNECTION_ID)


def run(
    source: Source,
    provider: GitHost,
    connection: Connection,
    handler: Handler,
    wanted: Sequence[WantedRepository],
    **options: Any,
) -> SyncReport:
    with client_to(provider, connection, handler) as client, source.extracting():
        return Sync(source, connection, provider, client, wanted, **options).run()


def run_with_failures(
    source: Source,
    provider: GitHost,
    connection: Connection,
    handler: Handler,
    wanted: Sequence[WantedRepository],
    fails_at: int,
) -> None:
    """A run whose connection breaks at a request and stays broken, and a run that continues it."""
    count = 0

    def breaking(request: httpx.Request) -> httpx.Response:
        nonlocal count
        count += 1
        if count >= fails_at:
            raise httpx.ReadError("connection reset")
        return handler(request)

    try:
        run(source, provider, connection, breaking, wanted)
    except Transient:
        run(source, provider, connection, handler, wanted)


def rows(source: Source, table: str) -> dict[str, dict[str, Any]]:
    """The newest version of each row that still exists, without columns of the run."""
    gone = {row["provider_id"] for row in source.read("deletions").to_pylist() if row["table_name"] == table}
    ordered = sorted(source.read(table).to_pylist(), key=lambda row: row["batch"])
    newest = {row["provider_id"]: {**row, "batch": 0} for row in ordered if row["provider_id"] not in gone}
    return dict(sorted(newest.items()))
