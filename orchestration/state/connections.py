"""Finds a connection by its id, with what a run needs of its provider.

Keep out: reading it (reading/syncs.py), what people decide about it (`api.control.connections`). Providers are imported
where they are used, so that a command without connections does not load an HTTP client.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from api.control.connections.usable import UsableConnection, usable_connections
from ingest.errors import LakeCorrupt, Permanent
from ingest.schemas import SYNCED
from orchestration.deployment import Deployment

if TYPE_CHECKING:
    from ingest.connections.git_hosts.git_host import GitHost
    from ingest.connections.model import Connection

KnownConnection = UsableConnection


def all_known(deployment: Deployment) -> list[KnownConnection]:
    """Every connection of every organization that is read, without those that are being removed."""
    with deployment.control() as control:
        return [one for one in usable_connections(control) if one.category in SYNCED]


def of_organization(deployment: Deployment, organization_id: str) -> list[KnownConnection]:
    """Every connection of an organization, also those that are not read."""
    with deployment.control() as control:
        return [one for one in usable_connections(control) if one.organization_id == organization_id]


def known(deployment: Deployment, connection_id: str) -> KnownConnection:
    """The connection of this id. Raises Permanent if the control database has none."""
    with deployment.control() as control:
        for connection in usable_connections(control, connection_id):
            return connection
    raise Permanent(f"No organization has a connection {connection_id}: it was removed or never added.")


def usable(found: KnownConnection) -> Connection:
    """The connection with its secret. Raises Permanent if the secret cannot be decrypted."""
    if found.problem is not None:
        raise Permanent(f"The token of the connection {found.name!r} cannot be used: {found.problem}.")
    from ingest.connections.model import Connection

    return Connection(
        found.id, found.organization_id, found.kind, found.address, found.secret, found.user, found.options
    )


def git_host(found: KnownConnection) -> GitHost | None:
    """The provider of a connection to a Git host; None for a tracker. Raises Permanent for an unknown kind."""
    from ingest.connections.git_hosts.git_host import GitHost
    from ingest.providers.registry import provider

    of_kind = provider(found.kind)
    return of_kind if isinstance(of_kind, GitHost) else None


def older_than_recorded(deployment: Deployment, found: KnownConnection) -> str | None:
    """The difference of intact facts from those of the last run: somebody put an older copy back.

    A run that was killed before its record leaves newer ones.
    """
    entry = deployment.run_state.connection(found.organization_id, found.id)
    if entry is None or entry.facts is None:
        return None
    try:
        state = deployment.lake.source(found.category, found.organization_id, found.id).state()
    except LakeCorrupt:
        return None
    if state.batch > entry.batch or (state.batch == entry.batch and state.digest() == entry.facts):
        return None
    return f"the lake holds facts of an earlier run (batch {state.batch}, the last run wrote {entry.batch})"


def forget_facts(deployment: Deployment, found: KnownConnection) -> None:
    """Expect no facts of a connection any more, so that a run which is killed continues instead of starting again."""
    entry = deployment.run_state.connection(found.organization_id, found.id)
    if entry is not None:
        deployment.run_state.record(found.organization_id, replace(entry, facts=None))
