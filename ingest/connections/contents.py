"""Contents of a connection for the control database: repositories to choose from, kinds of items, teams.

Keep out: reading the provider (sync.py), what people decide about it (`api.control.connections`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ingest.connections.model import Provider
from ingest.errors import LakeCorrupt, UnsupportedTarget
from ingest.git.identifiers import repository_id
from ingest.git.remote import url
from ingest.lake import Source

LISTED = (
    "owner", "name", "address", "url", "default_branch", "is_archived", "is_empty", "is_fork", "is_private",
    "updated_at",
)  # fmt: skip
"""Columns of `repositories` that people see when they add repositories."""


@dataclass(frozen=True)
class Contents:
    """`available` are the repositories with the ids that they get or have. Without a list, nothing is known of it."""

    available: Sequence[Mapping[str, Any]] | None = None
    item_counts: Mapping[str, int] | None = None
    team_names: Mapping[str, str] = field(default_factory=dict)
    default_levels: Mapping[str, str] = field(default_factory=dict)


def contents_of(source: Source, of_kind: Provider, *, has_ended: bool) -> Contents:
    """What the rows in the lake say. Items are counted after a pass that `has_ended`; nothing is known of damage."""
    with suppress(LakeCorrupt):
        if of_kind.category.lists_repositories:
            listed = existing_rows(source, "repositories", list(LISTED))
            return Contents(available=[row for row in map(_available, listed) if row is not None])
        if of_kind.category.has_levels and has_ended:
            return _items(source, of_kind)
    return Contents()


def _available(row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    try:
        origin = url.normalize(row["address"])
    except UnsupportedTarget:
        return None
    shown = {name: row[name] for name in ("provider_id", *LISTED)}
    return {"repository_id": repository_id(row["organization_id"], origin), **shown}


def _items(source: Source, of_kind: Provider) -> Contents:
    """The items by kind and the teams, for the level table."""
    counts: Counter[str] = Counter()
    teams: dict[str, str] = {}
    for row in existing_rows(source, "items", ["kind", "team_key", "team_name"]):
        counts[row["kind"]] += 1
        if row["team_key"] is not None:
            teams[row["team_key"]] = row["team_name"] or row["team_key"]
    return Contents(item_counts=counts, team_names=teams, default_levels=of_kind.levels)


def existing_rows(source: Source, table: str, columns: list[str] | None = None) -> list[dict[str, Any]]:
    """The newest version of each entity of a table that still exists. Raises LakeCorrupt."""
    needed = None if columns is None else [*columns, "organization_id", "provider_id", "batch"]
    gone = {row["provider_id"] for row in source.read("deletions").to_pylist() if row["table_name"] == table}
    newest: dict[str, dict[str, Any]] = {}
    for row in source.read(table, needed).to_pylist():
        found = newest.get(row["provider_id"])
        if found is None or found["batch"] <= row["batch"]:
            newest[row["provider_id"]] = row
    return [row for key, row in newest.items() if key not in gone]
