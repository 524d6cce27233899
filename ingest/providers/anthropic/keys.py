"""Keys of an organization of Anthropic: which of them Claude Code made when a person signed in, and for whom.

Read in Anthropic's documentation: a person who signs in to Claude Code with an account of the Console gets a key in the
workspace `Claude Code`, in which people cannot make keys themselves. Lists have pages by the id of the last row. The
name of such a key begins with `claude_code_key_`, which tells it where the workspace has another name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ingest.connections.values import text
from ingest.errors import ProviderRefused
from ingest.http.client import Client
from ingest.http.pages import BodyToken, Query, pages
from ingest.json_paths import at
from ingest.providers.anthropic.access import LACKING

WORKSPACES, KEYS = "v1/organizations/workspaces", "v1/organizations/api_keys"
WORKSPACE, PREFIX = "claude code", "claude_code_key_"
PAGE = 1000


@dataclass(frozen=True)
class Keys:
    """The keys of Claude Code's sign-in: by id of the key the id of its person, None where the list names nobody."""

    owners: Mapping[str, str | None] = field(default_factory=dict)
    workspaces: frozenset[str] = frozenset()

    def has(self, key: str | None, workspace: str | None) -> bool:
        """Whether a key belongs to Claude Code's sign-in."""
        return key in self.owners or workspace in self.workspaces

    def owner(self, key: str | None) -> str | None:
        """The id of the person who signed in."""
        return None if key is None else self.owners.get(key)


def signed_in(client: Client) -> Keys:
    """The keys of an organization, archived ones included; none where the key may not list them."""
    workspaces = frozenset(
        row["id"]
        for row in _listed(client, WORKSPACES, {"include_archived": "true"})
        if (text(row.get("name")) or "").strip().casefold() == WORKSPACE and text(row.get("id"))
    )
    owners = {
        str(row["id"]): _person(row)
        for row in _listed(client, KEYS, {})
        if text(row.get("id")) and (row.get("workspace_id") in workspaces or _is_made(row))
    }
    return Keys(owners, workspaces)


def _is_made(row: Mapping[str, Any]) -> bool:
    return (text(row.get("name")) or "").startswith(PREFIX)


def _person(row: Mapping[str, Any]) -> str | None:
    return text(at(row, ("created_by", "id"))) if at(row, ("created_by", "type")) == "user" else None


def _listed(client: Client, address: str, given: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    style = BodyToken(("data",), ("last_id",), "after_id", more=("has_more",))
    try:
        for page in pages(client, Query(address, {"limit": PAGE, **given}), style):
            yield from (row for row in page.rows if isinstance(row, dict))
    except ProviderRefused as refused:
        if refused.refusal not in LACKING:
            raise
