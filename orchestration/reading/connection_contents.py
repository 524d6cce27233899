"""Contents of a connection for the control database: repositories to choose from, kinds of items, teams.

Keep out: the run (syncs.py), the record (state/outcomes.py), what people decide about it (`api.control.connections`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from api.control.connections.available import AvailableRepository
from ingest.errors import LakeCorrupt, UnsupportedTarget
from ingest.git.identifiers import repository_id
from ingest.git.remote import url
from ingest.lake import Source
from ingest.providers.registry import provider
from ingest.schemas import CATEGORY_OF
from orchestration.state.connections import KnownConnection
from orchestration.state.outcomes import Contents

LISTED = (
    "owner", "name", "address", "url", "default_branch", "is_archived", "is_empty", "is_fork", "is_private",
    "updated_at",
)  # fmt: skip
"""Columns of `repositories` that people see when they add repositories."""


def contents_of(found: KnownConnection, source: Source, *, has_ended: bool) -> Contents:
    """What the rows in the lake say. Items are counted after a pass that `has_ended`; nothing is known of damage."""
    category = CATEGORY_OF[found.category]
    with suppress(LakeCorrupt):
        if category.lists_repositories:
            listed = [_available(found, row) for row in existing_rows(source, "repositories", list(LISTED))]
            return Contents(available=[one for one in listed if one])
        if category.has_levels and has_ended:
            return _items(found, source)
    return Contents()


def _available(found: KnownConnection, row: Mapping[str, Any]) -> AvailableRepository | None:
    try:
        origin = url.normalize(row["address"])
    except UnsupportedTarget:
        return None
    return AvailableRepository(
        provider_id=row["provider_id"],
        repository_id=repository_id(found.organization_id, origin),
        **{name: row[name] for name in LISTED},
    )


def _items(found: KnownConnection, source: Source) -> Contents:
    """The items by kind and the teams, for the level table."""
    counts: Counter[str] = Counter()
    teams: dict[str, str] = {}
    for row in existing_rows(source, "items", ["kind", "team_key", "team_name"]):
        counts[row["kind"]] += 1
        if row["team_key"] is not None:
            teams[row["team_key"]] = row["team_name"] or row["team_key"]
    return Contents(item_counts=counts, team_names=teams, default_levels=provider(found.kind).levels)


def existing_rows(source: Source, table: str, columns: list[str] | None = None) -> list[dict[str, Any]]:
    """The newest version of each entity of a table that still exists. Raises LakeCorrupt."""
    needed = None if columns is None else [*columns, "provider_id", "batch"]
    gone = {row["provider_id"] for row in source.read("deletions").to_pylist() if row["table_name"] == table}
    newest: dict[str, dict[str, Any]] = {}
    for row in source.read(table, needed).to_pylist():
        found = newest.get(row["provider_id"])
        if found is None or found["batch"] <= row["batch"]:
            newest[row["provider_id"]] = row
    return [row for key, row in newest.items() if key not in gone]
