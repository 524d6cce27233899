"""Anthropic's older report of tokens: by key, model and day, where a key may not read the analytics.

Read in Anthropic's documentation: a range has at most 31 days; days are buckets with results. It names no person, but a
key that Claude Code made at a sign-in belongs to one: its tokens are of the tool `claude_code`. The older report of
cost names no key, so that it would count beside the tokens of each key, and is not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from functools import cache, partial
from typing import Any

from ingest.connections.ai_tools.amounts import key_of
from ingest.connections.ai_tools.days import Days, Kept, by_days
from ingest.connections.ai_tools.records import Usage
from ingest.connections.model import Deferred, Stream
from ingest.connections.parsing import deferred
from ingest.connections.values import day, number, text
from ingest.http.client import Client
from ingest.http.pages import BodyToken, Query, pages
from ingest.json_paths import at
from ingest.providers.anthropic import access
from ingest.providers.anthropic.keys import Keys, signed_in

REPORT = "v1/organizations/usage_report/messages"
PRODUCT = "messages"
"""Staging leaves rows of this product out on days that the analytics have, too."""
GROUPS = ("api_key_id", "workspace_id", "model", "service_tier", "context_window")
KEPT = Kept(days=330, restated=3, at_once=31)


def stream(client: Client) -> Stream:
    """The tokens of each day."""

    # Asked for once a pass, and where no day is read never.
    @cache
    def made() -> tuple[Keys, str | None]:
        return signed_in(client), access.organization_id(client)

    def read(days: Days) -> Iterator[list[Deferred]]:
        return _read(client, *made(), days)

    return by_days(client, "messages", "usage", KEPT, read)


def params(days: Days) -> dict[str, Any]:
    """The parameters of the report of some days."""
    form = "%Y-%m-%dT%H:%M:%SZ"
    return {
        "starting_at": days.start.strftime(form),
        "ending_at": days.end.strftime(form),
        "bucket_width": "1d",
        "group_by[]": list(GROUPS),
        "limit": KEPT.at_once,
    }


def _read(client: Client, keys: Keys, organization: str | None, days: Days) -> Iterator[list[Deferred]]:
    style = BodyToken(("data",), ("next_page",), "page")
    for page in pages(client, Query(REPORT, params(days)), style):
        for bucket in page.rows:
            results = at(bucket, ("results",))
            on = day(at(bucket, ("starting_at",)))
            yield [
                deferred(row, partial(_key, on), partial(_tokens, keys, organization, on))
                for row in (results if isinstance(results, list) else [])
            ]


def _key(on: date | None, row: Any) -> str:
    if on is None:
        raise ValueError("no day")
    return key_of(PRODUCT, on, *(row.get(name) for name in GROUPS))


def _tokens(keys: Keys, organization: str | None, on: date | None, row: Any) -> Usage:
    if on is None:
        raise ValueError("no day")
    key, workspace = text(row.get("api_key_id")), text(row.get("workspace_id"))
    person = keys.owner(key)
    return Usage(
        provider_id=_key(on, row),
        tool="claude_code" if keys.has(key, workspace) else "anthropic_api",
        used_on=on,
        account_id=organization,
        actor_id=person,
        api_key_name=key if person is None else None,
        product=PRODUCT,
        model=text(row.get("model")),
        service_tier=text(row.get("service_tier")),
        input_tokens=number(row["uncached_input_tokens"]),
        cache_read_tokens=number(row.get("cache_read_input_tokens")),
        cache_write_5m_tokens=number(at(row, ("cache_creation", "ephemeral_5m_input_tokens"))),
        cache_write_1h_tokens=number(at(row, ("cache_creation", "ephemeral_1h_input_tokens"))),
        output_tokens=number(row["output_tokens"]),
        payload=row,
    )
