"""`eas remove` without its terminal: which repository is meant, and a run that removes it.

Keep out: the mark in the control database (`api.control.repositories.removals`), deleting derived data
(operations/removal.py, publishing/removed_repositories.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from api.control.errors import NotFound
from api.control.repositories import removals
from api.control.repositories.removals import RepositoryRecord
from ingest.errors import UnsupportedTarget
from ingest.git.remote import url
from ingest.git.repository_source import local_path
from orchestration.deployment import Deployment
from orchestration.runtime.progress import Progress

MAX_NAMED = 20


@dataclass(frozen=True)
class Named:
    """The repository that a user means."""

    organization_id: str
    organization_slug: str
    repository: RepositoryRecord


def named(deployment: Deployment, organization: str, given: str) -> Named:
    """The repository of an organization (id or slug) by its name, address, path or id.

    Raises NotFound, with the names that there are, where none or more than one is meant.
    """
    with deployment.control() as control:
        owner = control.organization(organization)
        known = removals.repositories(control, owner.id)
    found = [one for one in known if given in (one.repository_id, one.origin)]
    found = found or [one for one in known if _place(deployment, owner.id, one) & _spellings(given)]
    found = found or [one for one in known if one.name == given]
    if len(found) == 1:
        return Named(owner.id, owner.slug, found[0])
    if found:
        places = ", ".join(one.origin for one in found)
        raise NotFound(f"{len(found)} repositories are called {given!r}: give the address of one ({places})")
    names = ", ".join(one.name for one in known[:MAX_NAMED]) + (", …" if len(known) > MAX_NAMED else "")
    raise NotFound(f"no repository {given!r} in {owner.slug}; there are: {names or 'none'}")


def run(deployment: Deployment, target: Named, progress: Progress) -> list[str]:
    """Remove a repository and publish without it; the reasons why that failed, which a later run can mend."""
    with deployment.control() as control:
        removals.remove(control, target.organization_id, target.repository.repository_id)
    # Dagster takes seconds to load; a wrong name is told before.
    from orchestration import runs

    with runs.opened(deployment, {}, progress) as jobs:
        return jobs.build(target.organization_id, target.organization_slug).failures


def _place(deployment: Deployment, organization_id: str, one: RepositoryRecord) -> set[str]:
    """Where a repository is and was read."""
    entry = deployment.run_state.repository(organization_id, one.repository_id)
    return {one.origin} | (_spellings(entry.target) if entry else set())


def _spellings(given: str) -> set[str]:
    """What a path or address may stand for."""
    try:
        path = local_path(given)
        return {str(path), str(path.resolve())} if path is not None else {url.normalize(given)}
    except UnsupportedTarget:
        return set()
