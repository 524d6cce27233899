"""Finds and opens a repository by its id.

Add: rules about the location of a known repository. Keep out: cloning and opening (`ingest.git.repository_source`).
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import replace
from datetime import datetime

from api.control.repositories import sync_status
from api.control.repositories.sync_status import ReadableRepository
from api.control.store import ControlStore
from ingest.errors import NotARepository, Permanent, UnsupportedTarget
from ingest.git.remote import url
from ingest.git.repository_source import RepositorySource, local_path, on_branch, resolve
from ingest.git.supervision import Readers
from orchestration.deployment import Deployment
from orchestration.reading.extraction import Reading, read
from orchestration.reading.git_access import git_access
from orchestration.runtime.progress import Progress
from orchestration.runtime.run_state import RepositoryEntry
from orchestration.state import fingerprints

KnownRepository = ReadableRepository


class Repositories:
    """Repositories by id.

    `opened` holds repositories that the caller has opened, so they are fetched only once.
    """

    def __init__(self, opened: Mapping[str, RepositorySource] | None = None) -> None:
        self._opened = dict(opened or {})
        self._ahead: dict[str, Future[Reading]] = {}
        self._refused: dict[str, Exception] = {}

    def add(self, source: RepositorySource, reading: Future[Reading]) -> None:
        """Add a repository that the caller has opened, and whose reading it has begun."""
        self._opened[source.repository_id] = source
        self._ahead[source.repository_id] = reading

    def refuse(self, known: KnownRepository, error: Exception) -> None:
        """Let `open` raise the error that the caller met when it opened the repository."""
        self._refused[known.repository_id] = error

    def known(self, deployment: Deployment, repository_id: str) -> KnownRepository:
        """The repository of this id. Raises NotARepository if the control database has none."""
        with deployment.control() as control:
            for repository in sync_status.readable_repositories(control, repository_id):
                return repository
        raise NotARepository(
            f"No organization has a repository {repository_id}: it was removed or never added."
        )

    def open(self, deployment: Deployment, known: KnownRepository, progress: Progress) -> RepositorySource:
        """Open a repository at its address from the API, else at the target of its last run, else at its remote URL.

        An address from the API is checked each time and is never a path. Raises the errors of `resolve` and `refuse`,
        and NotARepository if the target holds another repository.
        """
        if known.repository_id in self._refused:
            raise self._refused[known.repository_id]
        if known.repository_id in self._opened:
            source = self._opened[known.repository_id]
            return on_branch(source, known.chosen_branch) if known.chosen_branch is not None else source
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

    def read(
        self,
        deployment: Deployment,
        source: RepositorySource,
        progress: Progress,
        *,
        workers: int,
        anew: bool = False,
        since: datetime | None = None,
    ) -> Reading:
        """The reading that the caller has begun, or a new one with so many `workers`.

        `anew` extracts the whole history again. A reading that began before `since` does not count.

        Raises the errors of `Readers.read`.
        """
        ahead = self._ahead.pop(source.repository_id, None)
        if ahead is not None and not anew:
            reading = ahead.result()
            if since is None or reading.began_at >= since:
                return reading
        readers = Readers(deployment.settings)
        return read(deployment, readers, source, progress, workers=workers, anew=anew)


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


def record_failure(
    deployment: Deployment,
    organization_id: str,
    entry: RepositoryEntry,
    reason: str,
    *,
    is_busy: bool = False,
) -> None:
    """Record why a run failed, in the run state (for `eas doctor`) and the control database (for the API).

    `is_busy` means that another process extracts the repository. The API does not report that as a failure.
    """
    at = fingerprints.now().isoformat(timespec="seconds")
    deployment.run_state.record(organization_id, replace(entry, failed_at=at, error=reason))
    if not is_busy:
        with deployment.control() as control:
            sync_status.note_failure(control, organization_id, entry.repository_id, reason)
