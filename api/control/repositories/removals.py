"""Repositories whose removal was requested, until nothing of them is left.

This module only marks the row; the next build finishes a removal that was interrupted. Keep out: deleting derived data
(`orchestration.commands.removal`).
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import delete

from api.control.audit import Target, record
from api.control.errors import NotFound
from api.control.models import (
    CategoryAnswer,
    CheckDecision,
    CommitCategory,
    CommitExclusion,
    Correction,
    Repository,
    Summary,
    SummarySubscription,
)
from api.control.permissions import Permission
from api.control.principals import OPERATOR, Principal
from api.control.records import owned
from api.control.repositories.sync_status import give_up
from api.control.store import ControlStore

Decided = CommitExclusion | CommitCategory | CategoryAnswer | Correction | CheckDecision
DECIDED: tuple[type[Decided], ...] = (
    CommitExclusion,
    CommitCategory,
    CategoryAnswer,
    Correction,
    CheckDecision,
)
"""Tables of decisions, answers and requests about commits and about occurrences of checks."""


@dataclass(frozen=True, slots=True)
class RepositoryRecord:
    """A repository by its names; `is_removed` where its removal has not ended yet."""

    repository_id: str
    name: str
    origin: str
    is_removed: bool


def repositories(store: ControlStore, organization_id: str) -> list[RepositoryRecord]:
    """Every repository of an organization, those that are being removed included, by name."""
    with store.session() as session:
        rows = session.scalars(owned(Repository, organization_id).order_by(Repository.name, Repository.id))
        return [RepositoryRecord(row.id, row.name, row.origin, row.removed_at is not None) for row in rows]


def remove(
    store: ControlStore, organization_id: str, repository_id: str, *, actor: Principal = OPERATOR
) -> None:
    """Request the removal of a repository. A second call changes nothing. Raises NotFound."""
    with store.allowed_write(actor, organization_id, Permission.MANAGE_REPOSITORIES) as session:
        row = session.get(Repository, (organization_id, repository_id))
        if row is None:
            raise NotFound(f"the organization has no repository {repository_id!r}")
        if row.removed_at is None:
            row.removed_at = store.now()
            target = Target("repository", repository_id, row.name)
            give_up(session, store.now(), organization_id, repository_id, "the repository was removed")
            record(session, "repositories.remove", target, restates=True)


def forget(
    store: ControlStore,
    organization_id: str,
    repository_id: str,
    homes: Callable[[Collection[str]], Mapping[str, str]] = lambda _: {},
) -> None:
    """Delete a removed repository, its summaries, the subscriptions to them and all decisions about its commits and
    occurrences of checks, unless it was added again meanwhile.

    `homes` maps commits to their present repositories: decisions about a commit that another repository has too, such
    as a fork, stay until that one is removed. Decisions about categories and occurrences from releases that did not
    record the repository stay.
    """
    with store.write_transaction(organization_id) as session:
        row = session.get(Repository, (organization_id, repository_id))
        if row is None or row.removed_at is None:
            return
        about: list[Decided] = []
        for table in DECIDED:
            about += session.scalars(owned(table, organization_id, table.repository_id == repository_id))
        at_home = homes({found.commit_id for found in about if found.commit_id is not None})
        for found in about:
            home = at_home.get(found.commit_id or "")
            if home is None:
                session.delete(found)
            else:
                found.repository_id = home
        for told in (Summary, SummarySubscription):
            own = (told.scope_kind == "repository", told.scope_id == repository_id)
            session.execute(delete(told).where(told.organization_id == organization_id, *own))
        session.delete(row)
