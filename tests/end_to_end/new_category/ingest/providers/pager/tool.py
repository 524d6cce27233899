"""Pager: incidents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ingest.connections.model import Checked, Connection, Provider, Slice, Stream, WantedRepository
from ingest.connections.parsing import slice_of
from ingest.connections.values import instant
from ingest.http.client import Client, Login
from ingest.http.pages import Links, Query, pages
from ingest.schemas import CATEGORY_OF


@dataclass(frozen=True, slots=True)
class Incident:
    provider_id: str
    title: str
    updated_at: datetime | None
    payload: Any


class Pager(Provider):
    kind, title, category = "PAGER", "Pager", CATEGORY_OF["incidents"]

    def login(self, connection: Connection) -> Login:
        return Login(f"{connection.address}/api", {"Authorization": connection.secret}, (connection.secret,))

    def check(self, client: Client, connection: Connection) -> Checked:
        return Checked(client.get("user").body["name"])

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        def read(_since: datetime | None, cursor: str | None) -> Iterator[Slice]:
            for page in pages(client, Query("incidents"), Links(), cursor):
                yield slice_of(page.rows, _incident, lambda one: one["id"], page.cursor)

        yield Stream("incidents", "incidents", read, is_incremental=False)


def _incident(one: dict[str, Any]) -> Incident:
    return Incident(one["id"], one["title"], instant(one["updated_at"]), one)
