"""One open control database, with its organizations and repositories.

Keep out: other subjects (their packages), engine and migrations (database.py), the rows of the warehouse (snapshot/).
"""

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from api.control.database import CLOCK, connect, database_url, refuse_lost
from api.control.errors import AlreadyExists, InvalidSetting, NotFound
from api.control.ids import new_id
from api.control.list_pages import TOTALS, Cached, Key, ListPage, ListQuery, list_page, matching
from api.control.models import Organization, Repository
from api.control.names import check_time_zone, checked_literal, checked_name
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.records import copied
from api.control.repository_names import free_name
from api.control.rights import refuse_unless_allowed
from api.control.schema import migrate
from api.control.secrets import Keyring
from api.control.slugs import ID_SHAPED, SLUG, free_slug
from api.control.snapshot.tables import rows

Found = TypeVar("Found")
# An arbitrary constant that separates these PostgreSQL locks from others.
WRITE_LOCK = 0x0EA6
GROUPINGS = ("five", "three", "two")
ORGANIZATION_KEYS = {"name": Key(func.lower(Organization.name)), "id": Key(Organization.id)}


def utc_now() -> datetime:
    """The present instant."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class OrganizationRecord:
    """An organization in the control database."""

    id: str
    name: str
    slug: str
    time_zone: str
    work_category_grouping: str
    created_at: datetime


class Write(Session):
    """The transaction of a change: by this actor, who may make it, in this organization."""

    organization_id: str
    actor: Principal


class ControlStore:
    """One open control database. Safe to share between threads. `now` is the clock of every change."""

    def __init__(
        self, engine: Engine, now: Callable[[], datetime] = utc_now, keyring: Keyring | None = None
    ) -> None:
        self.engine = engine
        self.now = now
        self.keyring = keyring or Keyring(None)
        self._totals = Cached(engine)
        self._records = Cached(engine)

    def close(self) -> None:
        """Close pooled connections."""
        self._totals.close()
        self._records.close()
        self.engine.dispose()

    @contextmanager
    def session(self) -> Iterator[Session]:
        """One transaction: committed at the end of the block, rolled back when it raises."""
        known = {TOTALS: self._totals.at_present(), CLOCK: self.now}
        with Write(self.engine, expire_on_commit=False, info=known) as session, session.begin():
            yield session

    def unchanged(self, key: Hashable, read: Callable[[], Found]) -> Found:
        """The result of `read`, read again only after the next commit of any process.

        `read` depends on the database alone and not on the time, and nobody changes what it returns: every reader
        of the key gets the same object. A page reads the organization, its plan and decisions each time.
        """
        known = self._records.at_present()
        if key not in known:
            known[key] = read()
        found: Found = known[key]
        return found

    @contextmanager
    def write_transaction(self, organization_id: str | None = None) -> Iterator[Session]:
        """Like `session`, but one transaction at a time per organization: everything that it reads still holds when
        it writes.
        """
        with self.session() as session:
            # Forget the cached totals: this transaction may count rows that it wrote, and a rollback takes them back.
            session.info.pop(TOTALS, None)
            if self.engine.dialect.name == "sqlite":
                session.connection().exec_driver_sql("BEGIN IMMEDIATE")
            else:
                # The lock is on the id and not on a row: the organization may not exist yet.
                session.execute(
                    select(func.pg_advisory_xact_lock(WRITE_LOCK, func.hashtext(organization_id or "")))
                )
            yield session

    @contextmanager
    def allowed_write(
        self, actor: Principal, organization_id: str, permission: Permission
    ) -> Iterator[Write]:
        """A `write_transaction` of an actor who has the permission in the organization now, else NotAllowed."""
        with self.write_transaction(organization_id) as session:
            refuse_unless_allowed(session, actor, organization_id, permission)
            assert isinstance(session, Write)
            session.organization_id, session.actor = organization_id, actor
            yield session

    def joined(self, session: Session) -> "ControlStore":
        """This store within a write transaction: writes through it are committed or rolled back with that
        transaction.
        """
        return _Joined(self, session)

    def ensure_organization(
        self,
        name: str,
        *,
        organization_id: str | None = None,
        slug: str | None = None,
        time_zone: str | None = None,
        work_category_grouping: str | None = None,
    ) -> OrganizationRecord:
        """The organization with this id (or slug). It is created if it is missing.

        The settings apply only to a new organization; organizations.change_settings changes an existing one. The
        default slug is made from the name, with a number when the slug is taken.
        Raises InvalidSetting for a malformed value, AlreadyExists for a slug that another organization has.
        """
        name = checked_name(name, "name", max_length=255)
        if slug is not None and not SLUG.fullmatch(slug):
            raise InvalidSetting(
                "slug",
                "use 1 to 63 lower-case letters, digits and hyphens; begin and end with a letter or digit",
            )
        if time_zone is not None:
            check_time_zone(time_zone)
        if work_category_grouping is not None and work_category_grouping not in GROUPINGS:
            raise InvalidSetting("work_category_grouping", f"use one of {', '.join(GROUPINGS)}")
        with self.write_transaction(organization_id) as session:
            found = self._existing(session, organization_id, slug)
            if found is None:
                if slug is not None and ID_SHAPED.fullmatch(slug):
                    raise InvalidSetting(
                        "slug", f"{slug!r} has the form of an id; choose a slug that is not a UUID"
                    )
                found = Organization(
                    id=organization_id or new_id(),
                    name=name,
                    slug=slug or free_slug(session, name),
                    time_zone=time_zone or "UTC",
                    work_category_grouping=work_category_grouping or "five",
                    created_at=self.now(),
                )
                session.add(found)
            session.flush()
            return copied(OrganizationRecord, found)

    def organization(self, id_or_slug: str) -> OrganizationRecord:
        """The organization of this id, else of this slug. Raises NotFound."""
        return self.unchanged(("organization", id_or_slug), lambda: self._organization(id_or_slug))

    def _organization(self, id_or_slug: str) -> OrganizationRecord:
        with self.session() as session:
            by_slug = select(Organization).where(Organization.slug == id_or_slug)
            found = session.get(Organization, id_or_slug) or session.scalar(by_slug)
            if found is None:
                raise NotFound(f"no organization has the id or slug {id_or_slug!r}")
            return copied(OrganizationRecord, found)

    def organizations(self) -> list[OrganizationRecord]:
        """Every organization, by creation."""
        with self.session() as session:
            rows = session.scalars(select(Organization).order_by(Organization.created_at, Organization.id))
            return [copied(OrganizationRecord, row) for row in rows]

    def list_organizations(
        self, asked: ListQuery, *, only: Sequence[str] | None = None, search: str = ""
    ) -> ListPage[OrganizationRecord]:
        """A page of the organizations, of those with these ids where `only` is given, by name."""
        statement = select(Organization)
        if only is not None:
            statement = statement.where(Organization.id.in_(only))
        with self.session() as session:
            columns = (Organization.name, Organization.slug, Organization.id)
            statement = statement.where(matching(session, search, columns))
            record_of, keys = partial(copied, OrganizationRecord), ORGANIZATION_KEYS
            return list_page(session, statement, keys, asked, record_of, default="name", unique="id")

    def upsert_repository(
        self,
        organization_id: str,
        repository_id: str,
        *,
        name: str,
        origin: str,
        is_sandbox: bool | None = None,
        is_excluded: bool | None = None,
        is_disabled: bool | None = None,
        analysis_start_at: datetime | None = None,
    ) -> str:
        """Add a repository, or refresh its name and remote URL. Flags that are `None` keep their value. Returns the
        name, which is longer where another repository has the given one.

        Naming a repository whose removal is still pending cancels the removal. From then on the service reads it at
        the path of the caller, not at an address given over the API. `origin` must contain no credentials. Raises
        InvalidSetting, or NotFound for an unknown organization.
        """
        name = checked_name(name, "name", max_length=255)
        origin = checked_literal(origin.strip(), "origin", max_length=4096)
        if re.match(r"[a-z+]+://[^/@\s]*:[^/@\s]*@", origin):
            raise InvalidSetting("origin", "the URL contains credentials; use one without")
        with self.write_transaction(organization_id) as session:
            if session.get(Organization, organization_id) is None:
                raise NotFound(f"no organization has the id {organization_id!r}")
            name = free_name(session, organization_id, repository_id, name, origin)
            row = session.get(Repository, (organization_id, repository_id))
            if row is None:
                row = Repository(organization_id=organization_id, id=repository_id, created_at=self.now())
                row.is_sandbox = row.is_excluded = row.is_disabled = False
                session.add(row)
            row.name, row.origin, row.removed_at, row.address = name, origin, None, None
            given = {
                "is_sandbox": is_sandbox,
                "is_excluded": is_excluded,
                "is_disabled": is_disabled,
                "analysis_start_at": analysis_start_at,
            }
            for column, value in given.items():
                if value is not None:
                    setattr(row, column, value)
            return name

    def repositories_by_age(self, organization_id: str) -> list[str]:
        """Ids of the repositories in the order in which they were added."""
        with self.session() as session:
            own = select(Repository.id).where(Repository.organization_id == organization_id)
            return list(session.scalars(own.order_by(Repository.created_at, Repository.id)))

    def snapshot(self, organization_id: str) -> dict[str, list[dict[str, Any]]]:
        """Rows of the raw tables of `control`; see snapshot/tables.py. Raises NotFound."""
        # Excludes writers, because a team and its members are read one after the other.
        with self.write_transaction(organization_id) as session:
            return rows(session, organization_id, self.now())

    @staticmethod
    def _existing(session: Session, organization_id: str | None, slug: str | None) -> Organization | None:
        by_slug = (
            session.scalar(select(Organization).where(Organization.slug == slug))
            if slug is not None
            else None
        )
        if organization_id is None:
            return by_slug
        if by_slug is not None and by_slug.id != organization_id:
            raise AlreadyExists(f"the slug {slug!r} belongs to another organization; choose another")
        return session.get(Organization, organization_id)


class _Joined(ControlStore):
    """A store that runs everything in one given transaction."""

    def __init__(self, store: ControlStore, session: Session) -> None:
        super().__init__(store.engine, store.now, store.keyring)
        self._session = session

    @contextmanager
    def session(self) -> Iterator[Session]:
        yield self._session

    def unchanged(self, key: Hashable, read: Callable[[], Found]) -> Found:
        # The transaction may have changed what is known.
        return read()

    @contextmanager
    def write_transaction(self, organization_id: str | None = None) -> Iterator[Session]:
        yield self._session


def open_store(
    data_dir: Path | None = None, *, url: str | None = None, now: Callable[[], datetime] = utc_now
) -> ControlStore:
    """Open the control database of a data directory (or an explicit URL) and migrate it to this release. The data
    directory also has the key of secrets.

    Raises SchemaTooNew when a newer release has migrated it, DatabaseLost when the file of a data directory with
    published figures is gone.
    """
    if url is None:
        if data_dir is None:
            raise ValueError("give a data directory or a database URL")
        refuse_lost(data_dir)
        url = database_url(data_dir)
    engine = connect(url)
    migrate(engine)
    return ControlStore(engine, now, Keyring(data_dir))
