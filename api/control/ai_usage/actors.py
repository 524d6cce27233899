"""The developers behind actors of AI tools: addresses, logins and names of keys that commits do not have.

Keep out: actors that the warehouse recognizes by itself (int_ai_usage__rows), addresses of commits (identities/).
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select

from api.control.audit import Target, record
from api.control.errors import AlreadyExists, NotFound, NotPossible
from api.control.identities.dependencies import refuse_vanished
from api.control.identities.known_developers import KnownDeveloper
from api.control.ids import new_id
from api.control.list_pages import Key, ListPage, ListQuery, list_page
from api.control.models import AiActor
from api.control.names import checked_name
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.records import copied, owned
from api.control.store import ControlStore

KEYS = {
    "actor": Key(AiActor.actor),
    "developerName": Key(func.lower(AiActor.developer_name), nullable=True),
    "decidedAt": Key(AiActor.decided_at),
    "id": Key(AiActor.id),
}
MAX_ACTORS = 20_000
MAX_ACTOR_LENGTH = 255


@dataclass(frozen=True, slots=True)
class AiActorRecord:
    """The developer behind an actor, by the name of the time of the decision; None for a key of several people."""

    id: str
    actor: str
    developer_id: str | None
    developer_name: str | None
    decided_by: str
    decided_at: datetime


def assign_actor(
    store: ControlStore, actor: Principal, organization_id: str, name: str, developer: KnownDeveloper | None
) -> AiActorRecord:
    """Decide that usage of the actor of this name is a developer's, or (None) that of several people, in all periods.

    Usage of several people counts where neither a proxy nor telemetry names them.

    Raises InvalidSetting, AlreadyExists for an actor that has a developer, NotPossible for a bot and for too many,
    NotFound for a developer that an undone split has taken away.
    """
    name = checked_name(name, "actor", max_length=MAX_ACTOR_LENGTH).lower()
    if developer is not None and developer.is_bot:
        raise NotPossible(f"{developer.name!r} is a bot; usage that belongs to no person stays unattributed")
    with store.allowed_write(actor, organization_id, Permission.MANAGE_AI_USAGE) as session:
        refuse_vanished(session, organization_id, [developer.id] if developer else [])
        held = session.get(AiActor, (organization_id, name))
        if held is not None:
            raise AlreadyExists(
                f"{name!r} is already {held.developer_name or 'of several people'}; delete {held.id} first"
            )
        count = session.scalar(
            select(func.count()).select_from(AiActor).where(AiActor.organization_id == organization_id)
        )
        if count is not None and count >= MAX_ACTORS:
            raise NotPossible(f"this organization has {count} actors, the most that is possible")
        row = AiActor(
            organization_id=organization_id,
            actor=name,
            id=new_id(),
            developer_id=developer and developer.id,
            developer_name=developer and developer.name[:MAX_ACTOR_LENGTH],
            decided_by=actor.actor[2],
            decided_at=store.now(),
        )
        session.add(row)
        record(session, "aiActors.create", _target(row), None, _state(row), restates=True)
        return copied(AiActorRecord, row)


def release_actor(
    store: ControlStore, actor: Principal, organization_id: str, actor_id: str
) -> AiActorRecord:
    """Take an actor from its developer: its own address or login decides again. Raises NotFound."""
    with store.allowed_write(actor, organization_id, Permission.MANAGE_AI_USAGE) as session:
        row = session.scalar(owned(AiActor, organization_id).where(AiActor.id == actor_id))
        if row is None:
            raise NotFound(f"this organization has no actor {actor_id!r}; …/aiActors lists them")
        session.delete(row)
        record(session, "aiActors.delete", _target(row), _state(row), restates=True)
        return copied(AiActorRecord, row)


def list_actors(store: ControlStore, organization_id: str, asked: ListQuery) -> ListPage[AiActorRecord]:
    """A page of the actors with a developer, by name."""
    with store.session() as session:
        return list_page(
            session, owned(AiActor, organization_id), KEYS, asked, lambda row: copied(AiActorRecord, row),
            default="actor", unique="id",
        )  # fmt: skip


def _target(row: AiActor) -> Target:
    return Target("aiActor", row.id, row.actor)


def _state(row: AiActor) -> dict[str, Any]:
    return {"actor": row.actor, "developerId": row.developer_id, "developerName": row.developer_name}
