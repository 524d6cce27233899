"""`/organizations/{organization}/connections`: adding, listing, changing, removing and syncing connections."""

from functools import partial
from typing import Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.access import Access
from api.callers.dependencies import ConnectionManager, ConnectionReader
from api.control.changes import UNCHANGED
from api.control.connections import connections, health
from api.control.connections.connections import Account, CheckedTogether
from api.control.connections.usable import usable_connections
from api.control.errors import NotFound, SecretUnreadable
from api.http.parameters import Mask, NoQuery, PagedQuery, Queried
from api.http.responses import private
from api.services import services
from api.shapes import Empty
from api.v1.answers import answer_change, answer_record
from api.v1.connections.checks import check_options, checked_account, checked_address, known_kind
from api.v1.connections.shapes import (
    Connection,
    ConnectionChange,
    ConnectionKinds,
    ConnectionPage,
    ConnectionQuery,
    HealthChange,
    HealthHistory,
    NewConnection,
    shown_connection,
)
from api.v1.control_lists import answer_list
from api.v1.organizations.operations import Operation, sees_all, shown_operation
from api.v1.paths import ConnectionPath
from ingest.probe import CATEGORIES, CATEGORY_OF, ConnectionKind, connection_kinds, remembering

router = APIRouter(prefix="/organizations/{organization}/connections", tags=["connections"])
kinds = APIRouter(prefix="/organizations/{organization}/connectionKinds", tags=["connections"])


@kinds.get("", summary="Kinds of connections", response_model=ConnectionKinds)
async def list_connection_kinds(_reader: ConnectionReader, _: NoQuery) -> Response:
    """The kinds of Git hosts, issue trackers and model endpoints that can be connected."""
    found = await run_sync(connection_kinds)
    return private({"connectionKinds": [_shown_kind(one) for one in found]})


@router.get("", summary="Connections", response_model=ConnectionPage)
async def list_connections(
    reader: ConnectionReader, query: Queried[ConnectionQuery], request: Request
) -> Response:
    """Connections to Git hosts, issue trackers and model endpoints, by name.

    Sortable by name, kind, createdAt, lastSyncedAt, id.
    """
    category = next((one.noun for one in CATEGORIES if one.name == query.category), None)
    find = partial(connections.list_connections, category=category)
    return await answer_list(request, reader.organization_id, query, "connections", find, shown_connection)


@router.post("", summary="Add a connection", response_model=Connection)
async def create_connection(
    manager: ConnectionManager, body: NewConnection, _: NoQuery, request: Request
) -> Response:
    """Check the token at the provider and add the connection, which is synced next. A refusal of the provider names
    the field and the remedy. Of several model endpoints, the newest one writes summaries.

    While the provider limits requests, the answer is RESOURCE_EXHAUSTED with `Retry-After`, and nothing is stored.
    """
    app = services(request)
    kind = await run_sync(known_kind, body.kind)
    secret = body.secret.get_secret_value().strip()
    reach = remembering(app.reach)
    address = await run_sync(checked_address, kind, body.address, reach)
    account = await _account(request, manager.organization_id, kind, address, body.user, secret, body.options)
    wanted = connections.NewConnection(
        kind=kind.kind,
        category=kind.category,
        address=address,
        name=body.name,
        secret=secret,
        user=body.user,
        options=body.options,
        default_levels=kind.levels,
        account=account,
    )
    return await answer_change(request, manager, shown_connection, connections.add_connection, wanted)


@router.get("/{connection}", summary="One connection", response_model=Connection)
async def get_connection(
    reader: ConnectionReader, connection: ConnectionPath, _: NoQuery, request: Request
) -> Response:
    """A connection with its health and the time of the last sync."""
    return await answer_record(request, reader, shown_connection, connections.connection, connection)


@router.patch("/{connection}", summary="Change a connection", response_model=Connection)
async def update_connection(
    manager: ConnectionManager,
    connection: ConnectionPath,
    body: ConnectionChange,
    query: Queried[Mask[ConnectionChange]],
    request: Request,
) -> Response:
    """Rename a connection, replace its token, or change its options. History and synced data stay.

    Another token, user or option is first checked at the provider, as for a new connection.
    """
    store, organization = services(request).store, manager.organization_id
    chosen = query.chosen(body)
    secret = body.secret.get_secret_value().strip() if body.secret is not None else ""
    account: Account | None = None
    checked_with: CheckedTogether | None = None
    if chosen & {"user", "secret", "options"}:
        found = await run_sync(connections.connection, store, organization, connection)
        stored = None if "secret" in chosen else await run_sync(_stored_secret, request, connection)
        checked_with = CheckedTogether(found.user, found.options, stored)
        account = await _account(
            request,
            manager.organization_id,
            await run_sync(known_kind, found.kind),
            found.address,
            body.user if "user" in chosen else found.user,
            secret if stored is None else stored,
            body.options if "options" in chosen else found.options,
        )
    change = connections.ConnectionChange(
        name=body.name if "name" in chosen else UNCHANGED,
        options=body.options if "options" in chosen else UNCHANGED,
        user=body.user if "user" in chosen else UNCHANGED,
        secret=secret if "secret" in chosen else UNCHANGED,
        account=account,
        checked_with=checked_with,
    )
    return await answer_change(
        request, manager, shown_connection, connections.change_connection, connection, change
    )


@router.delete("/{connection}", summary="Remove a connection", response_model=Empty)
async def delete_connection(
    manager: ConnectionManager, connection: ConnectionPath, _: NoQuery, request: Request
) -> Response:
    """Delete a connection with its token. The next build leaves out its pull requests or issues, if it has any.

    Its repositories stay, and are read without a token.
    """
    return await answer_change(request, manager, Empty, connections.remove_connection, connection)


@router.post("/{connection}:sync", summary="Sync a connection now", response_model=Operation)
async def sync_connection(
    manager: ConnectionManager, connection: ConnectionPath, _: NoQuery, request: Request
) -> Response:
    """Read what changed since the last sync. The answer is an operation, which ends with the build that has the data.

    While the provider limits requests, the operation waits.
    """
    return await _synced(manager, connection, request, is_full=False)


@router.post("/{connection}:resync", summary="Read a connection anew", response_model=Operation)
async def resync_connection(
    manager: ConnectionManager, connection: ConnectionPath, _: NoQuery, request: Request
) -> Response:
    """Read everything again, which also finds deleted items. Until it ends, answers have the present data."""
    return await _synced(manager, connection, request, is_full=True)


@router.get("/{connection}/history", summary="Health history of a connection", response_model=HealthHistory)
async def list_connection_history(
    reader: ConnectionReader, connection: ConnectionPath, query: PagedQuery, request: Request
) -> Response:
    """The last 200 changes of health, newest first. Sortable by at, id."""
    organization = reader.organization_id
    find = partial(health.health_history, connection_id=connection)
    bound_to = f"{organization} {connection}"
    return await answer_list(request, organization, query, "history", find, HealthChange, bound_to=bound_to)


async def _synced(manager: Access, connection: str, request: Request, *, is_full: bool) -> Response:
    in_full = sees_all(manager)
    return await answer_change(
        request,
        manager,
        lambda asked: shown_operation(asked, in_full=in_full),
        connections.request_sync,
        connection,
        is_full=is_full,
    )


async def _account(
    request: Request,
    organization_id: str,
    kind: ConnectionKind,
    address: str,
    user: str,
    secret: str,
    options: Any,
) -> Account:
    app = services(request)
    check_options(kind, user, options)
    connections.checked_secret(secret, is_optional=not kind.needs_secret)
    return await checked_account(
        kind,
        address,
        user.strip(),
        secret,
        options,
        app.reach,
        app.store.now,
        app.checking.of(organization_id),
    )


def _stored_secret(request: Request, connection: str) -> str:
    for found in usable_connections(services(request).store, connection):
        if found.problem is not None:
            raise SecretUnreadable(found.problem)
        return found.secret
    raise NotFound(f"no connection {connection!r} in this organization; …/connections lists them")


def _shown_kind(one: ConnectionKind) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "title": one.title,
        "category": CATEGORY_OF[one.category].name,
        "defaultAddress": one.default_address,
        "needsUser": one.needs_user,
        "needsSecret": one.needs_secret,
        "options": [{"name": name, "description": told} for name, told in one.options.items()],
        "itemKinds": list(one.levels),
        "areLevelsEditable": one.levels_are_editable,
    }
