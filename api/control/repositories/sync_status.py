"""The sync status of repositories: results of reading them, and the operations that wait for a reading.

An operation with a repository waits until a run has read the repository again. Any run that begins later answers it; a
killed run leaves it waiting. Keep out: settings (repositories.py), starting runs (orchestration).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import ColumnElement, select, update
from sqlalchemy.orm import Session

from api.control.models import Connection, Operation, Organization, Repository
from api.control.operations.operations import MAX_ERROR_LENGTH
from api.control.records import copied
from api.control.store import ControlStore

REANALYZE = "commits.reanalyze"
MAX_BRANCHES = 5000
"""Branches of a repository that are kept. Of one with more, none are: a part could not say which are missing."""


@dataclass(frozen=True, slots=True)
class ReadableRepository:
    """A repository for a run. `connection_id` names the connection with the token for its host; the token of another
    host would be sent to a stranger.
    """

    organization_id: str
    organization_slug: str
    repository_id: str
    name: str
    origin: str
    is_disabled: bool
    is_stopped: bool = False
    address: str | None = None
    chosen_branch: str | None = None
    is_automatic: bool = True
    connection_id: str | None = None
    provider_id: str | None = None

    @property
    def is_scheduled(self) -> bool:
        """Whether schedules analyse it. Otherwise only requests do."""
        return self.is_automatic and not (self.is_disabled or self.is_stopped)


@dataclass(frozen=True, slots=True)
class Waiting:
    """An operation that waits since `at` for the analysis of a repository, and the commit to compare, if any."""

    operation_id: str
    organization_id: str
    repository_id: str
    commit_sha: str | None
    at: datetime


def readable_repositories(store: ControlStore, repository_id: str | None = None) -> list[ReadableRepository]:
    """Every repository of every organization but those that are being removed, or the ones of this id."""
    statement = (
        select(Repository, Organization.slug, Organization.analysis_mode, Connection.address)
        .join(Organization, Organization.id == Repository.organization_id)
        .outerjoin(Connection, (Connection.id == Repository.connection_id) & Connection.removed_at.is_(None))
        .where(Repository.removed_at.is_(None))
        .order_by(Organization.created_at, Organization.id, Repository.id)
    )
    if repository_id is not None:
        statement = statement.where(Repository.id == repository_id)
    with store.session() as session:
        return [
            copied(
                ReadableRepository,
                row,
                organization_slug=slug,
                repository_id=row.id,
                is_automatic=mode == "automatic",
                connection_id=row.connection_id if is_at(row.address, connected) else None,
            )
            for row, slug, mode, connected in session.execute(statement)
        ]


def chosen_branch(store: ControlStore, organization_id: str, repository_id: str) -> str | None:
    """The manually chosen default branch; None without one, or for an unknown repository."""
    with store.session() as session:
        row = session.get(Repository, (organization_id, repository_id))
        return row.chosen_branch if row is not None else None


def origin_of(store: ControlStore, organization_id: str, repository_id: str) -> str | None:
    """The natural key of a repository, which is a path or says where its clone comes from; None without one."""
    with store.session() as session:
        row = session.get(Repository, (organization_id, repository_id))
        return None if row is None or row.removed_at is not None else row.origin


def note_success(
    store: ControlStore,
    organization_id: str,
    repository_id: str,
    commit_total: int,
    branches: Mapping[str, str] | None = None,
) -> None:
    """Record that a run has read the repository completely, and the heads of its branches by name."""
    is_few = branches is not None and len(branches) <= MAX_BRANCHES
    _note(store, organization_id, repository_id, read_at=store.now(), failed_at=None, failure=None,
          commit_total=commit_total, branches=dict(branches or {}) if is_few else None)  # fmt: skip


def note_failure(store: ControlStore, organization_id: str, repository_id: str, failure: str) -> None:
    """Record that a run could not read the repository. Users see `failure`."""
    _note(store, organization_id, repository_id, failed_at=store.now(), failure=failure[:MAX_ERROR_LENGTH])


def read_repositories(store: ControlStore, organization_id: str) -> set[str]:
    """Ids of the repositories that a run has read completely, without those that are being removed."""
    statement = select(Repository.id).where(
        Repository.organization_id == organization_id,
        Repository.commit_total.is_not(None),
        Repository.removed_at.is_(None),
    )
    with store.session() as session:
        return set(session.scalars(statement))


def waiting(store: ControlStore, most: int) -> list[Waiting]:
    """The oldest operations that no run has answered or refused yet, of repositories that are read."""
    statement = (
        select(Operation)
        .join(
            Repository,
            (Repository.organization_id == Operation.organization_id)
            & (Repository.id == Operation.repository_id),
        )
        .where(
            _unanswered(),
            Operation.error.is_(None),
            Repository.removed_at.is_(None),
            Repository.is_disabled.is_(False),
            Repository.is_stopped.is_(False),
        )
        .order_by(Operation.at, Operation.id)
        .limit(most)
    )
    with store.session() as session:
        return [_waiting(row) for row in session.scalars(statement)]


def is_awaited(store: ControlStore, organization_id: str, repository_id: str) -> bool:
    """Whether an operation waits for the analysis of the repository."""
    statement = select(Operation.id).where(*_waiting_for(organization_id, repository_id))
    with store.session() as session:
        return session.scalar(statement.limit(1)) is not None


def begin(store: ControlStore, organization_id: str, repository_id: str) -> Sequence[Waiting]:
    """The operations that a run answers if it begins now, including operations of failed runs."""
    with store.session() as session:
        waiting_here = select(Operation).where(*_waiting_for(organization_id, repository_id))
        rows = session.scalars(waiting_here.order_by(Operation.position)).all()
        for row in rows:
            row.started_at, row.error = store.now(), None
        return [_waiting(row) for row in rows]


def answer(store: ControlStore, results: Mapping[str, dict[str, Any] | None]) -> None:
    """Record that the repository was read for these operations, with the result of each."""
    with store.session() as session:
        for operation_id, result in results.items():
            session.execute(
                update(Operation)
                .where(Operation.id == operation_id, _unanswered())
                .values(read_at=store.now(), result=result, error=None)
            )


def refuse(store: ControlStore, operations: Sequence[str], error: str) -> None:
    """Record a failed reading for these operations. A later run may still answer them."""
    with store.session() as session:
        session.execute(
            update(Operation)
            .where(Operation.id.in_(operations), _unanswered())
            .values(error=error[:MAX_ERROR_LENGTH])
        )


def give_up(session: Session, now: datetime, organization_id: str, repository_id: str, why: str) -> None:
    """End the operations that wait for a repository, in the transaction of the decision not to read it."""
    ended = update(Operation).where(*_waiting_for(organization_id, repository_id))
    session.execute(ended.values(ended_at=now, error=why))


def is_at(address: str | None, connected: str | None) -> bool:
    """Whether a repository is on the host of a connection. A host could list an address on any other."""
    if address is None or connected is None:
        return False
    host, at = (urlsplit(one).hostname or "" for one in (address, connected))
    return host != "" and at in (host, f"api.{host}")


def _unanswered() -> ColumnElement[bool]:
    return Operation.repository_id.is_not(None) & Operation.read_at.is_(None) & Operation.ended_at.is_(None)


def _waiting_for(organization_id: str, repository_id: str) -> tuple[ColumnElement[bool], ...]:
    of_it = Operation.organization_id == organization_id, Operation.repository_id == repository_id
    return *of_it, _unanswered()


def _note(store: ControlStore, organization_id: str, repository_id: str, **values: Any) -> None:
    with store.session() as session:
        session.execute(
            update(Repository)
            .where(Repository.organization_id == organization_id, Repository.id == repository_id)
            .values(**values)
        )


def _waiting(row: Operation) -> Waiting:
    assert row.repository_id is not None
    sha = row.target_name if row.action == REANALYZE else None
    return Waiting(row.id, row.organization_id, row.repository_id, sha, row.at)
