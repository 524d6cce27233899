"""From a repository's id to a repository that can be read.

Add: rules about where a known repository is found. Keep out: opening and mirroring (`ingest.git.mirror`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from api.control.store import ControlStore
from ingest.errors import NotARepository, UnsupportedTarget
from ingest.git import origin
from ingest.git.mirror import RepositorySource, local_path, resolve
from orchestration.deployment import Deployment
from orchestration.progress import Progress


@dataclass(frozen=True)
class KnownRepository:
    """A repository of the control database."""

    organization_id: str
    organization_slug: str
    repository_id: str
    name: str
    origin: str
    is_disabled: bool


class Repositories:
    """Repositories by id. `opened` holds those that the caller has at hand, so they are not fetched twice."""

    def __init__(self, opened: Mapping[str, RepositorySource] | None = None) -> None:
        self._opened = dict(opened or {})

    def known(self, deployment: Deployment, repository_id: str) -> KnownRepository:
        """The repository of this id. Raises NotARepository when the control database has none."""
        with deployment.control() as control:
            for repository in all_known(control):
                if repository.repository_id == repository_id:
                    return repository
        raise NotARepository(
            f"no organization has a repository {repository_id}: it was removed, or never added."
        )

    def open(self, deployment: Deployment, known: KnownRepository, progress: Progress) -> RepositorySource:
        """A repository at the place where it was last read, else at its origin. Raises as `resolve`."""
        if known.repository_id in self._opened:
            return self._opened[known.repository_id]
        entry = deployment.journal.repository(known.organization_id, known.repository_id)
        target = entry.target if entry else address(known)

        def fetching(stage: str, done: int, total: int) -> None:
            progress.stage(known.name, stage, done, total)

        source = resolve(target, deployment.settings, known.organization_id, on_progress=fetching)
        if source.repository_id != known.repository_id:
            raise NotARepository(
                f"{target} holds another repository now ({source.origin}) than {known.name}:"
                " run `eas analyze` with its new place."
            )
        return source


def all_known(control: ControlStore) -> list[KnownRepository]:
    """Every repository of every organization."""
    return [
        KnownRepository(
            organization.id,
            organization.slug,
            row["repository_id"],
            row["name"],
            row["origin"],
            row["is_disabled"],
        )
        for organization in control.organizations()
        for row in control.snapshot(organization.id)["repositories"]
    ]


def address(known: KnownRepository) -> str:
    """Where a repository is found that was never read on this machine: https on the host of its origin."""
    if known.origin.startswith("/"):
        return known.origin
    return f"https://{known.origin}"


def named_by(target: str) -> str:
    """A target as it may be stored: a path made absolute, an address without its secret.

    Raises UnsupportedTarget.
    """
    path = local_path(target)
    return str(path) if path is not None else origin.parse(target).url


def shown(target: str) -> str:
    """A target as it may be printed, also when it is malformed."""
    try:
        return named_by(target)
    except UnsupportedTarget:
        return target.rpartition("@")[2]
