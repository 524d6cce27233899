"""Anthropic: a key that may not read analytics, and what is read instead where somebody asks for it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from ingest.errors import ProviderRefused, Refusal
from ingest.providers.anthropic.organization import Anthropic
from ingest.providers.registry import checked
from tests.ingest.connections import running
from tests.ingest.providers.ai_tools.reports import AnthropicServer, analytics

PROVIDER = Anthropic()
TODAY = datetime.now(UTC).date()
OLDER = "/v1/organizations/usage_report/messages"


class WithoutAnalytics(AnthropicServer):
    """An organization whose key reads the older report alone, unless it may read analytics."""

    may_read_analytics = False

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if "/analytics/" in request.url.path and not self.may_read_analytics:
            return httpx.Response(403, json={"error": {"type": "permission_error", "message": "no"}})
        return super().__call__(request)

    def answer(self, path: str, given: Any) -> Any:
        if path != OLDER:
            return super().answer(path, given)
        last = datetime.fromisoformat(given["ending_at"]).date()
        tokens = {"uncached_input_tokens": 9, "output_tokens": 5, "cache_read_input_tokens": 700}
        written = {"cache_creation": {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 2}}
        row = {"api_key_id": "key", "model": "claude-opus-5", "service_tier": "standard", **tokens, **written}
        days = [TODAY] if last > TODAY else []
        return {
            "data": [{"starting_at": f"{day}T00:00:00Z", "results": [row]} for day in days],
            "has_more": False,
        }


def connected(**options: str) -> Any:
    return running.connection_to(PROVIDER, "https://api.anthropic.com", **options)


def test_tokens_by_key_are_read_where_the_analytics_are_refused(tmp_path: Path) -> None:
    server, source = WithoutAnalytics(running.TOKEN), running.source_in(tmp_path, PROVIDER)
    connection = connected(products="claude_code,api")
    report = running.run(source, PROVIDER, connection, server)
    assert (report.rows, report.failures) == ({"usage": 1}, {})
    (row,) = running.rows(source, "usage").values()
    assert (row["tool"], row["product"], row["api_key_name"]) == ("anthropic_api", "messages", "key")
    counts = (
        "input_tokens",
        "cache_read_tokens",
        "cache_write_5m_tokens",
        "cache_write_1h_tokens",
        "output_tokens",
    )
    assert tuple(row[name] for name in counts) == (9, 700, 3, 2, 5)
    server.may_read_analytics = True
    server.days[TODAY] = [analytics("ann@example.com", product="api")]
    assert running.run(source, PROVIDER, connection, server).failures == {}
    assert {row["product"] for row in running.rows(source, "usage").values()} == {"api", "messages"}


def test_its_check_says_what_such_a_key_reads_and_how() -> None:
    server = WithoutAnalytics(running.TOKEN)
    with running.client_to(PROVIDER, connected(products="api"), server) as client:
        found = checked(client, connected(products="api"))
    assert found.account == "Acme"
    assert "no people" in found.warnings[0]
    with (
        running.client_to(PROVIDER, connected(), server) as client,
        pytest.raises(ProviderRefused, match="set the option products to api") as caught,
    ):
        checked(client, connected())
    assert caught.value.refusal is Refusal.FORBIDDEN
