"""Connections with their secrets, for runs that read them.

Keep out: results of runs (sync_status.py). Nothing here is shown to users.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import select

from api.control.models import Connection, Organization, Repository
from api.control.records import copied
from api.control.sealed_rows import readable_secret
from api.control.store import ControlStore


@dataclass(frozen=True, slots=True)
class UsableConnection:
    """A connection for a run. `problem` says why the secret cannot be decrypted; it is empty then."""

    id: str
    organization_id: str
    organization_slug: str
    kind: str
    category: str
    name: str
    address: str
    user: str
    secret: str = field(repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)
    last_synced_at: datetime | None = None
    next_attempt_at: datetime | None = None
    problem: str | None = None
    capabilities: Mapping[str, Any] | None = None


def usable_connections(store: ControlStore, connection_id: str | None = None) -> list[UsableConnection]:
    """Every connection of every organization but removed ones, or the one of this id."""
    statement = (
        select(Connection, Organization.slug)
        .join(Organization, Organization.id == Connection.organization_id)
        .where(Connection.removed_at.is_(None))
        .order_by(Organization.created_at, Organization.id, Connection.id)
    )
    if connection_id is not None:
        statement = statement.where(Connection.id == connection_id)
    with store.session() as session:
        return [_usable(store, row, slug) for row, slug in session.execute(statement)]


def wanted_repositories(store: ControlStore, organization_id: str) -> list[tuple[str, str, str | None]]:
    """Id, origin and id at the provider of each repository that is analysed."""
    statement = (
        select(Repository.id, Repository.origin, Repository.provider_id)
        .where(
            Repository.organization_id == organization_id,
            Repository.removed_at.is_(None),
            Repository.is_disabled.is_(False),
        )
        .order_by(Repository.id)
    )
    with store.session() as session:
        return [(key, origin, provider_id) for key, origin, provider_id in session.execute(statement)]


def _usable(store: ControlStore, row: Connection, slug: str) -> UsableConnection:
    secret, problem = readable_secret(store, row)
    return copied(UsableConnection, row, organization_slug=slug, secret=secret, problem=problem)
