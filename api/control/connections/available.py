"""Repositories that connections list, and those of them that can be added.

Keep out: adding (repositories/repositories.py).
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial

from sqlalchemy import ColumnElement, delete, exists, func, insert, select, update
from sqlalchemy.orm import Session

from api.control.connections.health import ConnectionHealth
from api.control.connections.rows import existing_connection
from api.control.list_pages import Key, ListPage, ListQuery, among, list_page, matching
from api.control.models import AvailableRepository as Row
from api.control.models import Connection, Repository
from api.control.records import copied
from api.control.repositories.sync_status import is_at
from api.control.store import ControlStore

KEYS = {
    "owner": Key(func.lower(Row.owner)),
    "name": Key(func.lower(Row.name)),
    "updatedAt": Key(Row.updated_at, nullable=True),
    "providerId": Key(Row.provider_id),
}
BATCH = 1000


@dataclass(frozen=True, slots=True)
class AvailableRepository:
    """A repository as a connection lists it. `repository_id` is the id that it gets, or has, when it is added."""

    provider_id: str
    repository_id: str
    owner: str
    name: str
    address: str
    url: str | None = None
    default_branch: str | None = None
    is_archived: bool = False
    is_empty: bool = False
    is_fork: bool = False
    is_private: bool = False
    updated_at: datetime | None = None


def replace_available(
    store: ControlStore, organization_id: str, connection_id: str, rows: Sequence[AvailableRepository]
) -> int:
    """Replace the list of a connection; an empty one replaces nothing. Added repositories that are on it are read
    with the token of the connection from then on, unless they have another one.

    Returns the number of rows that cannot be kept, because a name is too long or has a NUL. Raises NotFound.
    """
    listed = {row.provider_id: _fitting(row) for row in rows if _is_storable(row)}
    left_out = len({row.provider_id for row in rows}) - len(listed)
    if not listed:
        return left_out
    with store.write_transaction(organization_id) as session:
        existing_connection(session, organization_id, connection_id)
        mine = Row.connection_id == connection_id
        known = {
            row.provider_id: copied(AvailableRepository, row)
            for row in session.scalars(select(Row).where(mine))
        }
        outdated = [key for key, row in known.items() if listed.get(key) != row]
        if outdated:
            session.execute(delete(Row).where(mine, among(session, Row.provider_id, outdated)))
        fresh = [row for key, row in listed.items() if known.get(key) != row]
        for start in range(0, len(fresh), BATCH):
            part = fresh[start : start + BATCH]
            session.execute(insert(Row), [asdict(row) | {"connection_id": connection_id} for row in part])
        _link(session, organization_id, connection_id, list(listed.values()))
    return left_out


def list_available(
    store: ControlStore, organization_id: str, asked: ListQuery, connection_id: str, *, search: str = ""
) -> ListPage[AvailableRepository]:
    """A page of the repositories that can be added, by owner and name. Raises NotFound."""
    with store.session() as session:
        existing_connection(session, organization_id, connection_id)
        statement = select(Row).where(
            Row.connection_id == connection_id,
            ~_is_added(organization_id),
            matching(session, search, (Row.owner, Row.name)),
        )
        return list_page(
            session,
            statement,
            KEYS,
            asked,
            partial(copied, AvailableRepository),
            default="owner, name",
            unique="providerId",
        )


def next_step(store: ControlStore, organization_id: str, connection_id: str) -> str | None:
    """Why a connection to a Git host lists no repository that can be added, and what to do; None where it lists one.

    Raises NotFound.
    """
    with store.session() as session:
        connection = existing_connection(session, organization_id, connection_id)
        mine = Row.connection_id == connection_id
        if session.scalar(select(Row).where(mine, ~_is_added(organization_id)).limit(1)) is not None:
            return None
        if session.scalar(select(Row).where(mine).limit(1)) is not None:
            return (
                "The organization has every repository of this connection; …/repositories:managed lists them."
            )
        sync = f"POST …/connections/{connection_id}:sync"
        if connection.health == ConnectionHealth.FAILING:
            return f"This connection cannot be read: {connection.failure} Then ask for a sync: {sync}."
        if connection.last_synced_at is None:
            return f"The first sync of this connection has not ended; it lists the repositories. Ask for one: {sync}."
        return (
            "The token of this connection reaches no repository. Give its account access at the Git host, then ask for "
            f"a sync: {sync}."
        )


def named_repositories(
    store: ControlStore, organization_id: str, connection_id: str, provider_ids: Iterable[str]
) -> dict[str, AvailableRepository]:
    """Listed repositories by their ids at the provider; unknown ids are left out. Raises NotFound for a connection."""
    with store.session() as session:
        existing_connection(session, organization_id, connection_id)
        rows = session.scalars(
            select(Row).where(Row.connection_id == connection_id, Row.provider_id.in_(list(provider_ids)))
        )
        return {row.provider_id: copied(AvailableRepository, row) for row in rows}


def listing_connections(
    store: ControlStore, organization_id: str, repository_id: str
) -> list[tuple[str, str]]:
    """Ids of the connections that list a repository on their own host, the oldest first, each with its id there."""
    statement = (
        select(Connection.id, Row.provider_id, Connection.address, Row.address)
        .join(Row, Row.connection_id == Connection.id)
        .where(
            Connection.organization_id == organization_id,
            Connection.removed_at.is_(None),
            Row.repository_id == repository_id,
        )
        .order_by(Connection.created_at, Connection.id)
    )
    with store.session() as session:
        found = session.execute(statement)
        return [(key, there) for key, there, connected, address in found if is_at(address, connected)]


def _is_storable(row: AvailableRepository) -> bool:
    limits = ((row.provider_id, 255), (row.owner, 1024), (row.name, 1024), (row.address, 4096))
    return all(0 < len(text) <= most and "\0" not in text for text, most in limits)


def _fitting(row: AvailableRepository) -> AvailableRepository:
    """The row without values that nobody needs to add it, where they are too long."""
    url, branch = row.url or "", row.default_branch or ""
    return replace(
        row,
        url=row.url if len(url) <= 4096 and "\0" not in url else None,
        default_branch=row.default_branch if len(branch) <= 255 and "\0" not in branch else None,
    )


def _is_added(organization_id: str) -> ColumnElement[bool]:
    kept = (Repository.organization_id == organization_id) & Repository.removed_at.is_(None)
    # Two lookups by index; a renamed repository still has its id at the provider.
    by_id = exists().where(kept, Repository.id == Row.repository_id)
    by_provider = exists().where(
        kept, Repository.connection_id == Row.connection_id, Repository.provider_id == Row.provider_id
    )
    return by_id | by_provider


def _link(
    session: Session, organization_id: str, connection_id: str, listed: Sequence[AvailableRepository]
) -> None:
    unlinked = set(
        session.scalars(
            select(Repository.id).where(
                Repository.organization_id == organization_id,
                Repository.removed_at.is_(None),
                # Of the command line are read at their path.
                Repository.address.is_not(None),
                Repository.connection_id.is_(None),
            )
        )
    )
    for row in listed:
        if row.repository_id in unlinked:
            session.execute(
                update(Repository)
                .where(Repository.organization_id == organization_id, Repository.id == row.repository_id)
                .values(connection_id=connection_id, provider_id=row.provider_id)
            )
