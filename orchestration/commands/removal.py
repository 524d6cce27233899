"""The work of `eas remove`: find the repository, mark it as removed, and start the build that deletes it.

Keep out: the mark in the control database (`api.control.repositories.removals`), and deletion (operations/deletion.py,
publishing/removed_repositories.py).
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
from orchestration.publishing import copies
from orchestration.reading.readings import Readings
from orchestration.runtime.progress import Progress

MAX_NAMES_LISTED = 20


@dataclass(frozen=True)
class RemovalTarget:
    """The repository to remove, and its organization."""

    organization_id: str
    organization_slug: str
    repository: RepositoryRecord


def find_target(deployment: Deployment, organization: str, given: str) -> RemovalTarget:
    """Find a repository of an organization (id or slug) by its name, address, path or id.

    Raises NotFound, with the known names or addresses, if no repository or more than one matches.
    """
    with deployment.control() as control:
        owning_organization = control.organization(organization)
        known = removals.repositories(control, owning_organization.id)
    found = [one for one in known if given in (one.repository_id, one.origin)]
    found = found or [
        one
        for one in known
        if _known_locations(deployment, owning_organization.id, one) & _equivalent_targets(given)
    ]
    found = found or [one for one in known if one.name == given]
    if len(found) == 1:
        return RemovalTarget(owning_organization.id, owning_organization.slug, found[0])
    if found:
        addresses = ", ".join(one.origin for one in found)
        raise NotFound(
            f"{len(found)} repositories have the name {given!r}; use an address instead ({addresses})"
        )
    names = ", ".join(one.name for one in known[:MAX_NAMES_LISTED]) + (
        ", …" if len(known) > MAX_NAMES_LISTED else ""
    )
    raise NotFound(
        f"no repository {given!r} in {owning_organization.slug}; known repositories: {names or 'none'}"
    )


def run(deployment: Deployment, target: RemovalTarget, progress: Progress) -> list[str]:
    """Remove a repository and publish without it. Returns the reasons of a failure; a later run can finish the work."""
    with deployment.control() as control:
        removals.remove(control, target.organization_id, target.repository.repository_id)
    # Dagster takes seconds to load, so a wrong name is reported first.
    from orchestration.commands import runs

    organization_id, slug = target.organization_id, target.organization_slug
    with runs.open_runs(deployment, Readings(), progress) as jobs:
        failures = jobs.build(organization_id, slug).failures
        if not failures and copies.waiting(deployment.settings.published_dir, organization_id) is not None:
            failures = jobs.copy(organization_id, slug).failures
        return failures


def _known_locations(deployment: Deployment, organization_id: str, one: RepositoryRecord) -> set[str]:
    """The remote URL of a repository, and the path or address of its last run."""
    entry = deployment.run_state.repository(organization_id, one.repository_id)
    return {one.origin} | (_equivalent_targets(entry.target) if entry else set())


def _equivalent_targets(given: str) -> set[str]:
    """The normalized forms of a path or address; empty if it is neither."""
    try:
        path = local_path(given)
        return {str(path), str(path.resolve())} if path is not None else {url.normalize(given)}
    except UnsupportedTarget:
        return set()
