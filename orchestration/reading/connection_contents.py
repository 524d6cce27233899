"""Contents of a connection for the control database: repositories to choose from, kinds of items, teams.

Keep out: the run and its result (syncs.py), what people decide about it (`api.control.connections`).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from api.control.connections import sync_status
from api.control.connections.available import AvailableRepository, replace_available
from api.control.errors import NotFound
from ingest.errors import LakeCorrupt, UnsupportedTarget
from ingest.git.identifiers import repository_id
from ingest.git.remote import url
from ingest.lake import Source
from ingest.providers.registry import provider
from ingest.schemas import CATEGORY_OF
from orchestration.deployment import Deployment
from orchestration.state.connections import KnownConnection

LISTED = (
    "owner", "name", "address", "url", "default_branch", "is_archived", "is_empty", "is_fork", "is_private",
    "updated_at",
)  # fmt: skip
"""Columns of `repositories` that people see when they add repositories."""


def list_repositories(deployment: Deployment, found: KnownConnection, source: Source) -> None:
    """Copy the repositories of a connection, as the lake has them, to the list from which people add some."""
    if not CATEGORY_OF[found.category].lists_repositories:
        return
    with suppress(LakeCorrupt, NotFound):  # the connection may have been removed meanwhile
        listed = [_available(found, row) for row in existing_rows(source, "repositories", list(LISTED))]
        with deployment.control() as control:
            replace_available(control, found.organization_id, found.id, [one for one in listed if one])


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


def note_contents(deployment: Deployment, found: KnownConnection, source: Source) -> None:
    """Count the kinds of items of a connection and name its teams, for its level table."""
    if not CATEGORY_OF[found.category].has_levels:
        return
    counts: dict[str, int] = {}
    teams: dict[str, str] = {}
    for row in existing_rows(source, "items", ["kind", "team_key", "team_name"]):
        counts[row["kind"]] = counts.get(row["kind"], 0) + 1
        if row["team_key"] is not None:
            teams[row["team_key"]] = row["team_name"] or row["team_key"]
    with deployment.control() as control:
        sync_status.note_contents(
            control,
            found.organization_id,
            found.id,
            item_counts=counts,
            team_names=teams,
            default_levels=provider(found.kind).levels,
        )


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
