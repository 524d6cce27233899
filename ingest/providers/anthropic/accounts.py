"""Users of an organization of Anthropic: they tie the id of a person to an address.

Read in Anthropic's documentation: the list has pages by the id of the last row; it lacks people who left, so that rows
of the lake stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from ingest.connections.ai_tools.records import Account
from ingest.connections.model import Slice, Stream
from ingest.connections.parsing import slice_of
from ingest.connections.values import instant, text
from ingest.errors import ProviderRefused
from ingest.http.client import Client
from ingest.http.pages import BodyToken, Query, pages
from ingest.providers.anthropic.access import LACKING

USERS = "v1/organizations/users"
PAGE = 1000


def stream(client: Client) -> Stream:
    """The users of the organization; none where the key may not list them."""

    def slices(_since: datetime | None, _cursor: str | None) -> Iterator[Slice]:
        style = BodyToken(("data",), ("last_id",), "after_id", more=("has_more",))
        try:
            for page in pages(client, Query(USERS, {"limit": PAGE}), style):
                yield slice_of(page.rows, account, _key, None)
        except ProviderRefused as refused:
            if refused.refusal not in LACKING:
                raise
            yield Slice([], None)

    return Stream("accounts", "accounts", slices, is_incremental=False, forgets_old=True)


def _key(row: Any) -> str:
    return str(row.get("id") or row["email"])


def account(row: Any) -> Account:
    """A user. Raises LookupError for one without id and address."""
    return Account(
        provider_id=_key(row),
        actor_id=text(row.get("id")),
        actor_email=text(row.get("email")),
        actor_name=text(row.get("name")),
        role=text(row.get("role")),
        added_at=instant(row.get("added_at")),
        payload=row,
    )
