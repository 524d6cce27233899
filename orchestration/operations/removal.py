"""Deleting what was derived from removed repositories.

    marked in the control database ─► facts and mirror deleted ─► built and published ─► the rest deleted

The first build after the mark does all the rest, also after a run that was killed. Add: places that hold data of a
repository before a build. Keep out: the mark (`api.control.repositories.removals`), and the deletion of what remains
until a build without the repository is published (publishing/removed_repositories.py).
"""

from __future__ import annotations

from api.control.repositories import removals
from api.control.repositories.removals import RepositoryRecord
from ingest.git.remote import clone
from ingest.git.repository_source import mirror_of
from orchestration.deployment import Deployment
from orchestration.state.warehouse_files import discard

NOUN = "git"


def delete_facts(deployment: Deployment, organization_id: str) -> None:
    """Delete facts and mirrors of the repositories marked as removed, and the warehouse that was built from them.

    Raises SourceBusy while another process reads one of them.
    """
    due = removed(deployment, organization_id)
    for one in due:
        deployment.lake.source(NOUN, organization_id, one.repository_id).remove()
        clone.discard(mirror_of(deployment.settings, one.repository_id), one.name)
    if due:
        # A database keeps what was deleted from it until the space is used again; the build makes a new one.
        with deployment.lake.lock(f"build-{organization_id}", exclusive=True):
            discard(deployment.settings.warehouse_file(organization_id))


def is_waiting(deployment: Deployment, organization_id: str) -> bool:
    """Whether something is left of a removed repository, which the next build has to delete."""
    return bool(removed(deployment, organization_id))


def removed(deployment: Deployment, organization_id: str) -> list[RepositoryRecord]:
    """Repositories that are marked, and of which something may be left."""
    with deployment.control() as control:
        return [one for one in removals.repositories(control, organization_id) if one.is_removed]
