"""Finds a connection by its id, with what a run needs of its provider.

Keep out: reading it (syncs.py), what people decide about it (`api.control.connections`). Providers are imported where
they are used, so that a command without connections does not load an HTTP client.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from api.control.connections.usable import UsableConnection, usable_connections
from api.control.repositories.sync_status import ReadableRepository
from ingest.errors import LakeCorrupt, Permanent
from orchestration.deployment import Deployment

if TYPE_CHECKING:
    from ingest.connections.model import Connection, GitHost

KnownConnection = UsableConnection


def all_known(deployment: Deployment) -> list[KnownConnection]:
    """Every connection of every organization, without those that are being removed."""
    with deployment.control() as control:
        return usable_connections(control)


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
    from ingest.connections.model import GitHost
    from ingest.providers import provider

    of_kind = provider(found.kind)
    return of_kind if isinstance(of_kind, GitHost) else None


def older_than_recorded(deployment: Deployment, found: KnownConnection) -> str | None:
    """How facts that are intact differ from those of the last run: somebody put an older copy back.

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


@dataclass(frozen=True)
class GitAccess:
    """The login of a connection for Git, and the heads of merged pull requests by their number."""

    login: str | None = None
    reviews: Mapping[int, str] = field(default_factory=dict)


def git_access(deployment: Deployment, repository: ReadableRepository) -> GitAccess:
    """What the connection of a repository gives to its clone; nothing without a connection.

    Raises Permanent if the secret cannot be decrypted: the token of the machine may belong to somebody else.
    """
    if repository.connection_id is None:
        return GitAccess()
    found = known(deployment, repository.connection_id)
    host = git_host(found)
    if host is None or found.organization_id != repository.organization_id:
        return GitAccess()
    login = host.git_login(usable(found))
    if host.review_refs is None:
        return GitAccess(login)
    source = deployment.lake.source(found.category, found.organization_id, found.id)
    try:
        rows = source.read("pull_requests", ["repository_id", "number", "state"]).to_pylist()
    except LakeCorrupt:
        rows = []  # the next sync reads it again
    merged = {
        row["number"]
        for row in rows
        if row["repository_id"] == repository.repository_id and row["state"] == "merged"
    }
    return GitAccess(login, {number: host.review_refs.replace("*", str(number)) for number in merged})
