"""Finds and opens a repository by its id.

Add: rules about the location of a known repository. Keep out: cloning and opening (`ingest.git.repository_source`).
"""

from __future__ import annotations

from api.control.repositories import sync_status
from api.control.repositories.sync_status import ReadableRepository
from api.control.store import ControlStore
from ingest.errors import NotARepository, Permanent, UnsupportedTarget
from ingest.git.remote import url
from ingest.git.repository_source import RepositorySource, local_path, resolve
from orchestration.deployment import Deployment
from orchestration.reading.git_access import git_access
from orchestration.runtime.progress import Progress

KnownRepository = ReadableRepository


def known(deployment: Deployment, repository_id: str) -> KnownRepository:
    """The repository of this id. Raises NotARepository if the control database has none."""
    with deployment.control() as control:
        for repository in sync_status.readable_repositories(control, repository_id):
            return repository
    raise NotARepository(f"No organization has a repository {repository_id}: it was removed or never added.")


def open_known(deployment: Deployment, known: KnownRepository, progress: Progress) -> RepositorySource:
    """Open a repository at its address from the API, else at the target of its last run, else at its remote URL.

    An address from the API is checked each time and is never a path. Raises the errors of `resolve`,
    and NotARepository if the target holds another repository.
    """
    entry = deployment.run_state.repository(known.organization_id, known.repository_id)
    target = known.address or (entry.target if entry else address(known))

    def fetching(stage: str, done: int, total: int) -> None:
        progress.stage(known.name, stage, done, total)

    access = git_access(deployment, known, target)
    source = resolve(
        target,
        deployment.settings,
        known.organization_id,
        token=access.login,
        reviews=access.reviews,
        parent=access.parent,
        branch=known.chosen_branch,
        reach=deployment.settings.reach if known.address is not None else None,
        on_progress=fetching,
    )
    if source.repository_id != known.repository_id:
        raise NotARepository(
            f"{target} now contains another repository ({source.origin}) instead of {known.name}:"
            f" run `eas analyze` with the new path or address of {known.name}."
        )
    return source


def all_known(control: ControlStore) -> list[KnownRepository]:
    """Every repository of every organization."""
    return sync_status.readable_repositories(control)


def require_enabled(known: KnownRepository) -> None:
    """Raise Permanent if a repository is disabled or stopped."""
    if known.is_disabled or known.is_stopped:
        state = "disabled" if known.is_disabled else "stopped"
        raise Permanent(f"{known.name} is {state}, so it is not analysed: enable it first.")


def address(known: KnownRepository) -> str:
    """The address of a repository that was never read on this machine; by default https on the host of its remote."""
    if known.address is not None:
        return known.address
    if known.origin.startswith("/"):
        return known.origin
    return f"https://{known.origin}"


def storable_target(target: str) -> str:
    """A target in the form to store: an absolute path, or an address without its secret.

    Raises UnsupportedTarget.
    """
    path = local_path(target)
    return str(path) if path is not None else url.parse(target).url


def printable_target(target: str) -> str:
    """A target in the form to print, without its secret. Accepts a malformed target."""
    try:
        return storable_target(target)
    except UnsupportedTarget:
        return target.rpartition("@")[2]
