"""The audit log: the author, the time, and the values before and after every change of an organization.

Every administrative write calls `record` (or `record_for`, if a permission is not what allows it) in its own
transaction, so a change and its entry are committed together.
Keep out: secrets. Every administrator can read and export the entries.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Protocol

from pydantic.alias_generators import to_camel
from sqlalchemy import ColumnElement, false, select, union_all
from sqlalchemy.orm import Session

from api.control.database import CLOCK
from api.control.ids import new_id
from api.control.list_pages import Key, ListPage, ListQuery, given, list_page, whole
from api.control.models import Account, AuditEntry
from api.control.operations import operations
from api.control.principals import ActorKind
from api.control.records import owned
from api.control.store import ControlStore, Write

KEYS = {"at": Key(AuditEntry.at), "id": Key(AuditEntry.id)}
NEWEST_FIRST = "at desc"
BATCH = 1000


class Actor(Protocol):
    """The author of a change: a caller, or a system without permissions."""

    @property
    def actor(self) -> tuple[ActorKind, str | None, str]:
        """Kind, id and name under which changes are logged."""


@dataclass(frozen=True, slots=True)
class Target:
    """The changed object, with its name at that time."""

    kind: str
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Selection:
    """Selected entries; None means any. `since` is included, `until` is not."""

    actor: str | None = None
    action: str | None = None
    target_kind: str | None = None
    target: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def record(
    session: Write,
    action: str,
    target: Target,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    *,
    restates: bool = False,
    read_again: str | None = None,
    syncs: str | None = None,
) -> str | None:
    """Log a change by the actor of its transaction, as `record_for`."""
    return record_for(
        session, session.organization_id, session.actor, action, target, before, after,
        restates=restates, read_again=read_again, syncs=syncs,
    )  # fmt: skip


def record_for(
    session: Session,
    organization_id: str,
    actor: Actor,
    action: str,
    target: Target,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    *,
    restates: bool = False,
    read_again: str | None = None,
    syncs: str | None = None,
) -> str | None:
    """Log a change in the transaction that makes it. `action` is `<collection>.<verb>`; values are JSON, no secrets.

    With `restates` the change goes into the outbox too, because a later build applies it to the figures; the
    transaction must then be a `write_transaction`. `read_again` names the repository to extract again first,
    `syncs` the connection to sync first. Returns the id of the operation in the outbox.
    """
    clock: Callable[[], datetime] = session.info[CLOCK]
    now = clock()
    kind, actor_id, name = actor.actor
    session.add(
        AuditEntry(
            id=new_id(),
            organization_id=organization_id,
            at=now,
            actor_kind=kind,
            actor_id=actor_id,
            actor_name=name,
            action=action,
            target_kind=target.kind,
            target_id=target.id,
            target_name=target.name,
            before=before,
            after=after,
        )
    )
    if not restates and read_again is None and syncs is None:
        return None
    return operations.append(
        session,
        now,
        organization_id,
        action=action,
        target=(target.kind, target.id, target.name),
        repository_id=read_again,
        connection_id=syncs,
    )


def logged(values: Mapping[str, Any], called: Mapping[str, str]) -> dict[str, Any]:
    """Values of columns as entries store them: by their names over HTTP; `called` maps the differing ones."""
    return {
        called.get(name) or to_camel(name): value.isoformat() if isinstance(value, date) else value
        for name, value in values.items()
    }


def list_entries(
    store: ControlStore, organization_id: str, asked: ListQuery, selection: Selection
) -> ListPage[AuditEntry]:
    """A page of an organization's log, newest first unless the order says otherwise."""
    with store.session() as session:
        statement = owned(AuditEntry, organization_id, *_conditions(session, organization_id, selection))
        return list_page(session, statement, KEYS, asked, whole, default=NEWEST_FIRST, unique="id")


def every_entry(
    store: ControlStore, organization_id: str, selection: Selection
) -> Iterator[Sequence[AuditEntry]]:
    """The whole selection, newest first, a batch at a time: no transaction stays open while a client reads."""
    after: tuple[Any, ...] | None = None
    while True:
        page = list_entries(store, organization_id, ListQuery(BATCH, after=after), selection)
        yield page.items
        if page.next_values is None:
            return
        after = tuple(page.next_values)


def _conditions(session: Session, organization_id: str, selection: Selection) -> list[ColumnElement[bool]]:
    conditions = given(
        (AuditEntry.action, selection.action),
        (AuditEntry.target_kind, selection.target_kind),
        # Ids are in lower case, however they are spelled.
        (AuditEntry.target_id, selection.target and selection.target.lower()),
    )
    if selection.actor is not None:
        conditions.append(_acted(session, organization_id, selection.actor))
    if selection.since is not None:
        conditions.append(AuditEntry.at >= selection.since)
    if selection.until is not None:
        conditions.append(AuditEntry.at < selection.until)
    return conditions


def _acted(session: Session, organization_id: str, actor: str) -> ColumnElement[bool]:
    """Entries of the account with this address (case-insensitive), else of the actor with this id or name.

    Usually one condition matches, and its index avoids reading the rows.
    """
    account = session.scalar(select(Account.id).where(Account.email_key == actor.strip().lower()))
    if account is not None:
        return (AuditEntry.organization_id == organization_id) & (AuditEntry.actor_id == account)
    ways = [
        (AuditEntry.organization_id == organization_id) & (column == wanted)
        for column, wanted in ((AuditEntry.actor_id, actor.lower()), (AuditEntry.actor_name, actor))
    ]
    found = [way for way in ways if session.scalar(select(AuditEntry.id).where(way).limit(1)) is not None]
    if len(found) < 2:
        return found[0] if found else false()
    return AuditEntry.id.in_(union_all(*(select(AuditEntry.id).where(way) for way in found)))
