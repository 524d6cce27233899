"""Anthropic's older report: keys that Claude Code made at a sign-in are told apart from the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from ingest.providers.anthropic.organization import Anthropic
from tests.ingest.connections import running
from tests.ingest.providers.ai_tools.reports import AnthropicServer, analytics, listed
from tests.ingest.providers.ai_tools.test_anthropic import OLDER, TODAY, WithoutAnalytics, connected

PROVIDER = Anthropic()
MADE = "wrkspc_made"
WORKSPACES: list[dict[str, Any]] = [
    {"id": "wrkspc_web", "name": "Web", "archived_at": None},
    {"id": "wrkspc_app", "name": "Claude Code review", "archived_at": None},
    {"id": MADE, "name": "Claude Code", "archived_at": "2026-09-01T00:00:00Z"},
]
ANN, BO, BOT = {"type": "user", "id": "ann"}, {"type": "user", "id": "bo"}, {"type": "bot", "id": "b"}
KEYS: list[dict[str, Any]] = [
    {"id": "of_ann", "name": "claude_code_key_ann_abcd", "workspace_id": MADE, "created_by": ANN},
    {"id": "of_app", "name": "deploy", "workspace_id": "wrkspc_app", "created_by": ANN},
    {"id": "of_bot", "name": "claude_code_key_bot_abcd", "workspace_id": MADE, "created_by": BOT},
    {"id": "moved", "name": "claude_code_key_bo_abcd", "workspace_id": None, "created_by": BO},
    {"id": "odd", "name": None, "workspace_id": "wrkspc_web", "created_by": None},
]
USED = [("of_ann", MADE), ("of_app", "wrkspc_app"), ("of_bot", MADE), ("moved", None), ("odd", "wrkspc_web"),
        ("deleted", MADE), (None, None)]  # fmt: skip


class WithKeys(WithoutAnalytics):
    """An organization with keys. `refused` ends the address that the key may not read."""

    refused = "nothing"
    asked: list[str]

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request.url.path)
        if request.url.path.endswith(self.refused):
            return httpx.Response(403, json={"error": {"type": "permission_error", "message": "no"}})
        return super().__call__(request)

    def answer(self, path: str, given: Any) -> Any:
        if path == "/v1/organizations/workspaces":
            archived = given.get("include_archived") == "true"
            return listed([one for one in WORKSPACES if archived or one["archived_at"] is None], given)
        if path == "/v1/organizations/api_keys":
            return listed(KEYS, given)
        found = super().answer(path, given)
        if path == OLDER:
            for bucket in found["data"]:
                (row,) = bucket["results"]
                bucket["results"] = [row | {"api_key_id": key, "workspace_id": place} for key, place in USED]
        return found


def tools(folder: Path, server: WithKeys) -> dict[str | None, tuple[str, str | None, str | None]]:
    """Tool, person and organization of each key."""
    server.asked = []
    source, connection = running.source_in(folder, PROVIDER), connected(products="api")
    report = running.run(source, PROVIDER, connection, server)
    assert (report.failures, report.unread) == ({}, {})
    rows = running.rows(source, "usage").values()
    return {
        row["provider_id"].split("/")[2]: (
            row["tool"],
            row["actor_id"] or row["api_key_name"],
            row["account_id"],
        )
        for row in rows
    }


def test_keys_of_a_sign_in_are_of_claude_code_and_of_their_person(tmp_path: Path) -> None:
    server = WithKeys(running.TOKEN)
    assert tools(tmp_path, server) == {
        "of_ann": ("claude_code", "ann", "org"),
        "of_app": ("anthropic_api", "of_app", "org"),
        "of_bot": ("claude_code", "of_bot", "org"),
        "moved": ("claude_code", "bo", "org"),
        "odd": ("anthropic_api", "odd", "org"),
        "deleted": ("claude_code", "deleted", "org"),
        "-": ("anthropic_api", None, "org"),
    }
    assert server.asked.count("/v1/organizations/workspaces") == 2  # Its pages have two rows each.


@pytest.mark.parametrize("refused", ["/workspaces", "/api_keys", "/me"])
def test_tokens_are_read_where_a_list_is_refused(tmp_path: Path, refused: str) -> None:
    server = WithKeys(running.TOKEN)
    server.refused = refused
    found = tools(tmp_path, server)
    assert len(found) == len(USED)
    assert found["of_ann"][0] == "claude_code"
    assert (found["of_ann"][1] == "ann") == (refused != "/api_keys")
    assert (found["of_ann"][2] is None) == (refused == "/me")


def test_analytics_name_the_organization_of_the_key(tmp_path: Path) -> None:
    server, source = AnthropicServer(running.TOKEN), running.source_in(tmp_path, PROVIDER)
    server.days[TODAY] = [analytics("ann@example.com")]
    assert running.run(source, PROVIDER, connected(), server).failures == {}
    rows = [row for row in running.rows(source, "usage").values() if row["product"]]
    assert {row["account_id"] for row in rows} == {"org"}
