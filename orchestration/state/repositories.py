"""From a repository's id to a repository that can be read.

Add: rules about where a known repository is found. Keep out: opening and mirroring (`ingest.git.repository_source`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from api.control.repositories import sync_status
from api.control.repositories.sync_status import ReadableRepository
from api.control.store import ControlStore
from ingest.errors import NotARepository, Permanent, UnsupportedTarget
from ingest.git.remote import url
from ingest.git.repository_source import RepositorySource, local_path, on_branch, resolve
from orchestration.deployment import Deployment
from orchestration.runtime.progress import Progress
from orchestration.runtime.run_state import RepositoryEntry
from orchestration.state import fingerprints

KnownRepository = ReadableRepository


class Repositories:
    """Repositories by id. `opened` holds those that the caller has at hand, so they are not fetched twice."""

    def __init__(self, opened: Mapping[str, RepositorySource] | None = None) -> None:
        self._opened = dict(opened or {})

    def known(self, deployment: Deployment, repository_id: str) -> KnownRepository:
        """The repository of this id. Raises NotARepository when the control database has none."""
        with deployment.control() as control:
            for repository in sync_status.readable_repositories(control, repository_id):
                return repository
        raise NotARepository(
            f"no organization has a repository {repository_id}: it was removed, or never added."
        )

    def open(self, deployment: Deployment, known: KnownRepository, progress: Progress) -> RepositorySource:
        """A repository at the address that was given over the API, else where it was last read, else at its origin.

        Raises as `resolve`. An address of the API is checked each time, and never a path.
        """
        if known.repository_id in self._opened:
            source = self._opened[known.repository_id]
            return on_branch(source, known.chosen_branch) if known.chosen_branch is not None else source
        entry = deployment.run_state.repository(known.organization_id, known.repository_id)
        target = known.address or (entry.target if entry else address(known))

        def fetching(stage: str, done: int, total: int) -> None:
            progress.stage(known.name, stage, done, total)

        source = resolve(
            target,
            deployment.settings,
            known.organization_id,
            branch=known.chosen_branch,
            reach=deployment.settings.reach if known.address is not None else None,
            on_progress=fetching,
        )
        if source.repository_id != known.repository_id:
            raise NotARepository(
                f"{target} holds another repository now ({source.origin}) than {known.name}:"
                " run `eas analyze` with its new place."
            )
        return source


def all_known(control: ControlStore) -> list[KnownRepository]:
    """Every repository of every organization."""
    return sync_status.readable_repositories(control)


def refuse_unread(known: KnownRepository) -> None:
    """Raises Permanent for a repository that is not to be read."""
    if known.is_disabled or known.is_stopped:
        state = "disabled" if known.is_disabled else "stopped"
        raise Permanent(f"{known.name} is {state}, so it is not read: enable it first.")


def address(known: KnownRepository) -> str:
    """Where a repository is found that was never read on this machine: https on the host of its origin."""
    if known.address is not None:
        return known.address
    if known.origin.startswith("/"):
        return known.origin
    return f"https://{known.origin}"


def named_by(target: str) -> str:
    """A target as it may be stored: a path made absolute, an address without its secret.

    Raises UnsupportedTarget.
    """
    path = local_path(target)
    return str(path) if path is not None else url.parse(target).url


def shown(target: str) -> str:
    """A target as it may be printed, also when it is malformed."""
    try:
        return named_by(target)
    except UnsupportedTarget:
        return target.rpartition("@")[2]


def note_failure(
    deployment: Deployment, organization_id: str, entry: RepositoryEntry, why: str, *, is_busy: bool = False
) -> None:
    """Note why a repository could not be read: in the run state for `eas doctor`, in the control database for the API.

    One that another process reads at the moment has not failed for the API.
    """
    at = fingerprints.now().isoformat(timespec="seconds")
    deployment.run_state.record(organization_id, replace(entry, failed_at=at, error=why))
    if not is_busy:
        with deployment.control() as control:
            sync_status.note_failure(control, organization_id, entry.repository_id, why)
