"""Repositories: adding many, changing one, and the lists of the Manage view.

Keep out: removing (removals.py), sync status (sync_status.py), syntax and reach of addresses (checked by the caller).
"""

from dataclasses import dataclass, fields, replace
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from api.control.audit import Target, record
from api.control.errors import AlreadyExists, NotFound, NotPossible
from api.control.list_pages import Key, ListPage, ListQuery, counted, list_page, matching
from api.control.models import Connection, Operation, Organization, Repository
from api.control.operations.operations import SYNC, OperationRecord, operation
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.records import copied
from api.control.repositories.settings import (
    Settings,
    SettingsChange,
    as_json,
    changed,
    checked,
    is_read,
    reads_anew,
    restates,
)
from api.control.repositories.sync_status import give_up
from api.control.repository_names import free_name
from api.control.store import ControlStore, Write

KEYS = {
    "name": Key(func.lower(Repository.name)),
    "createdAt": Key(Repository.created_at),
    "analyzedAt": Key(Repository.read_at, nullable=True),
    "commitTotal": Key(Repository.commit_total, nullable=True),
    "id": Key(Repository.id),
}

FAILING = "FAILING"
"""The health of a connection that cannot be read at all (connections/health.py)."""


class RepositoryState(StrEnum):
    """A list of the Manage view. Sandboxes are only on their own list."""

    ALL = "ALL"
    ACTIVE = "ACTIVE"
    DISABLED = "DISABLED"
    NEEDS_ATTENTION = "NEEDS_ATTENTION"
    SANDBOX = "SANDBOX"


class Health(StrEnum):
    """Whether the service could reach a repository when it last tried."""

    PENDING = "PENDING"
    HEALTHY = "HEALTHY"
    FAILING = "FAILING"


@dataclass(frozen=True, slots=True)
class NewRepository:
    """A repository to add: the ids and spellings of its address, its settings, and whether people chose its name."""

    id: str
    origin: str
    address: str
    settings: Settings
    connection_id: str | None = None
    provider_id: str | None = None
    is_named: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagedRepository(Settings):
    """A repository with its settings and sync status. `failure` is None after a success.

    `connection_id` names the connection with the token that reads it, `connection_failure` why that one cannot be read.
    `default_start_at` is the organization's start of the analysis, for a repository without its own.
    """

    id: str
    origin: str
    address: str | None
    created_at: datetime
    analyzed_at: datetime | None
    failed_at: datetime | None
    failure: str | None
    commit_total: int | None
    connection_id: str | None = None
    provider_id: str | None = None
    connection_failure: str | None = None
    default_start_at: datetime | None = None

    @property
    def health(self) -> Health:
        """The result of the last try to read the repository."""
        if self.failed_at is not None or self.connection_failure is not None:
            return Health.FAILING
        return Health.PENDING if self.analyzed_at is None else Health.HEALTHY


def add_repository(
    store: ControlStore, actor: Principal, organization_id: str, wanted: NewRepository
) -> ManagedRepository:
    """Add a repository for the next run. Raises InvalidSetting, AlreadyExists with the name of the repository that
    has this remote URL, NotPossible while that one is being removed, NotFound without its connection.
    """
    settings = checked(wanted.settings)
    with store.allowed_write(actor, organization_id, Permission.MANAGE_REPOSITORIES) as session:
        row = session.get(Repository, (organization_id, wanted.id))
        if row is not None and row.removed_at is not None:
            raise NotPossible(
                f"{row.name} is being removed; add it again after the next build, in a few minutes"
            )
        if row is not None:
            raise AlreadyExists(
                f"{wanted.origin} is already in this organization, with the name {row.name!r}"
            )
        if wanted.connection_id is not None:
            _refuse_without_connection(session, organization_id, wanted.connection_id)
        row = Repository(
            organization_id=organization_id,
            id=wanted.id,
            origin=wanted.origin,
            address=wanted.address,
            created_at=store.now(),
            connection_id=wanted.connection_id,
            provider_id=wanted.provider_id,
        )
        if not wanted.is_named:
            name = free_name(session, organization_id, wanted.id, settings.name, wanted.origin)
            settings = replace(settings, name=name)
        _write(row, settings)
        session.add(row)
        after = {"address": wanted.address, **as_json(settings)}
        read_again = row.id if is_read(settings) else None
        record(session, "repositories.create", target_of(row), after=after, read_again=read_again)
        _read_at_host(session, row)
        return _one(session, row)


def change_repository(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    repository_id: str,
    change: SettingsChange,
) -> ManagedRepository:
    """Change settings; of several changes either all are made or none.

    Any edit lets a stopped repository be read again, unless the edit stops it. Raises NotFound, InvalidSetting.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_REPOSITORIES) as session:
        row = existing_repository(session, organization_id, repository_id)
        before = _settings(row)
        branches = row.branches if row.failed_at is None else None  # The known ones are older than a failure.
        after = checked(changed(before, change), before, branches)
        if after != before:
            _write(row, after)
            if after.is_disabled:
                give_up(session, store.now(), organization_id, repository_id, "the repository was disabled")
            read_again = row.id if is_read(after) and reads_anew(before, after) else None
            told, is_restated = (as_json(before), as_json(after)), restates(before, after)
            record(
                session,
                "repositories.update",
                target_of(row),
                *told,
                restates=is_restated,
                read_again=read_again,
            )
        return _one(session, row)


def analyze_repository(
    store: ControlStore, actor: Principal, organization_id: str, repository_id: str
) -> OperationRecord:
    """Ask for a reading now, also of what its host has about it. Returns the operation that waits for it.

    Raises NotFound, and NotPossible while the repository is disabled or stopped.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_REPOSITORIES) as session:
        row = existing_repository(session, organization_id, repository_id)
        if not is_read(_settings(row)):
            state = "disabled" if row.is_disabled else "stopped"
            raise NotPossible(f"{row.name} is {state}, so it is not analysed; enable it first")
        made = record(session, "repositories.analyze", target_of(row), read_again=row.id)
        _read_at_host(session, row)
        return operation(store.joined(session), organization_id, made or "")


def managed_repository(store: ControlStore, organization_id: str, repository_id: str) -> ManagedRepository:
    """A repository. Raises NotFound."""
    with store.session() as session:
        row = existing_repository(session, organization_id, repository_id)
        return _one(session, row)


def list_repositories(
    store: ControlStore,
    organization_id: str,
    asked: ListQuery,
    *,
    state: RepositoryState = RepositoryState.ALL,
    search: str = "",
) -> ListPage[ManagedRepository]:
    """A page of one list of the Manage view, by name."""
    in_state = _kept(organization_id).where(_in_state(state))
    with store.session() as session:
        statement = in_state.where(matching(session, search, (Repository.name, Repository.origin)))
        return list_page(session, statement, KEYS, asked, _record, default="name", unique="id")


def state_counts(store: ControlStore, organization_id: str) -> dict[RepositoryState, int]:
    """The number of repositories on each list."""
    counting = (func.count().filter(_in_state(state)) for state in RepositoryState)
    kept = _kept(organization_id).with_only_columns(*counting)
    with store.session() as session:
        return dict(zip(RepositoryState, counted(session, kept), strict=True))


def existing_repository(session: Session, organization_id: str, repository_id: str) -> Repository:
    """The row of a repository. Raises NotFound, also for a repository that is being removed."""
    row = session.get(Repository, (organization_id, repository_id))
    if row is None or row.removed_at is not None:
        raise NotFound(f"no repository {repository_id!r} in this organization; …/repositories lists them")
    return row


def _kept(organization_id: str) -> Select[Repository, Connection | None, Organization]:
    """Repositories, each with its connection where that one cannot be read, and the organization."""
    return (
        select(Repository, Connection, Organization)
        .join(Organization, Organization.id == Repository.organization_id)
        .outerjoin(Connection, (Connection.id == Repository.connection_id) & _is_failing())
        .where(Repository.organization_id == organization_id, Repository.removed_at.is_(None))
    )


def _read_at_host(session: Write, row: Repository) -> None:
    """Ask for the pull requests and issues of a repository, unless a sync that has not begun will read them anyway."""
    connection = session.get(Connection, row.connection_id) if row.connection_id is not None else None
    if connection is None or connection.removed_at is not None:
        return
    waits = select(Operation.id).where(
        Operation.connection_id == connection.id, Operation.started_at.is_(None), Operation.ended_at.is_(None)
    )
    if session.scalar(waits.limit(1)) is None:
        target = Target("connection", connection.id, connection.name)
        record(session, SYNC, target, syncs=connection.id)


def _refuse_without_connection(session: Session, organization_id: str, connection_id: str) -> None:
    found = session.get(Connection, connection_id)
    if found is None or found.organization_id != organization_id or found.removed_at is not None:
        raise NotFound(f"no connection {connection_id!r} in this organization; …/connections lists them")


def _failing_connection(session: Session, row: Repository) -> Connection | None:
    if row.connection_id is None:
        return None
    return session.scalar(select(Connection).where(Connection.id == row.connection_id, _is_failing()))


def _is_failing() -> ColumnElement[bool]:
    return (Connection.health == FAILING) & Connection.removed_at.is_(None)


def _in_state(state: RepositoryState) -> ColumnElement[bool]:
    of_its_own = Repository.is_sandbox.is_(state is RepositoryState.SANDBOX)
    match state:
        case RepositoryState.ACTIVE:
            return of_its_own & Repository.is_disabled.is_(False)
        case RepositoryState.DISABLED:
            return of_its_own & Repository.is_disabled.is_(True)
        case RepositoryState.NEEDS_ATTENTION:
            return of_its_own & Repository.is_disabled.is_(False) & _is_stuck()
        case _:
            return of_its_own


def _is_stuck() -> ColumnElement[bool]:
    has_failed = Repository.failed_at.is_not(None) | Connection.id.is_not(None)
    return has_failed | Repository.is_stopped.is_(True)


def _write(row: Repository, settings: Settings) -> None:
    for each in fields(settings):
        setattr(row, each.name, getattr(settings, each.name))
    row.tags = list(settings.tags)


def _settings(row: Repository) -> Settings:
    return copied(Settings, row)


def target_of(row: Repository) -> Target:
    return Target("repository", row.id, row.name)


def _one(session: Session, row: Repository) -> ManagedRepository:
    organization = session.get_one(Organization, row.organization_id)
    return _record(row, _failing_connection(session, row), organization)


def _record(row: Repository, failing: Connection | None, organization: Organization) -> ManagedRepository:
    failure = f"The connection {failing.name!r} fails: {failing.failure}" if failing else None
    start = organization.analysis_start_at
    return copied(
        ManagedRepository,
        row,
        analyzed_at=row.read_at,
        connection_failure=failure,
        default_start_at=start,
    )
