"""Deletes the facts of removed repositories and connections before a build.

    marked in the control database ─► facts and clone deleted ─► built and published ─► remaining data deleted

The next build after the mark does all later steps, even if an earlier attempt was killed. Add: data that must be
deleted before a build. Keep out: the mark (`api.control.repositories.removals`), and deletion after a publish
(publishing/removed_repositories.py).
"""

from __future__ import annotations

from api.control.connections.removals import removed_connections
from api.control.repositories import removals
from api.control.repositories.removals import RepositoryRecord
from ingest.git.remote import clone
from ingest.git.repository_source import mirror_of
from orchestration.deployment import Deployment
from orchestration.state import build_lock
from orchestration.state.warehouse_files import discard

NOUN = "git"


def delete_facts(deployment: Deployment, organization_id: str) -> None:
    """Delete facts and clones of what is marked as removed, and the warehouse and copies made of them.

    Raises SourceBusy while another process extracts one of them.
    """
    removed = removed_repositories(deployment, organization_id)
    for one in removed:
        deployment.lake.source(NOUN, organization_id, one.repository_id).remove()
        clone.discard(mirror_of(deployment.settings, one.repository_id), one.name)
    disconnected = connections_to_delete(deployment, organization_id)
    for connection_id, category in disconnected:
        deployment.lake.source(category, organization_id, connection_id).remove()
    if removed or disconnected:
        # A database file keeps deleted rows until it reuses their space, so the build starts a new file.
        with build_lock.held(deployment, organization_id):
            discard(deployment.settings.warehouse_file(organization_id))
            deployment.lake.discard_copies(organization_id)


def is_pending(deployment: Deployment, organization_id: str) -> bool:
    """Whether the next build must delete data of a removed repository or connection."""
    return bool(
        removed_repositories(deployment, organization_id)
        or connections_to_delete(deployment, organization_id)
    )


def removed_repositories(deployment: Deployment, organization_id: str) -> list[RepositoryRecord]:
    """Repositories that are marked as removed and may still have data."""
    with deployment.control() as control:
        return [one for one in removals.repositories(control, organization_id) if one.is_removed]


def connections_to_delete(deployment: Deployment, organization_id: str) -> list[tuple[str, str]]:
    """Id and category of the connections that are marked as removed and may still have data."""
    with deployment.control() as control:
        return removed_connections(control, organization_id)
