"""Identity decisions: merges of developers, splits of addresses, dismissed suggestions. All of them can be undone.

Only decisions are stored. Developers and their ids follow from the decisions in force (dbt,
int_identity__developers), so undoing a decision means leaving it out. Developers and addresses have the ids of the
analysis. Keep out: attributes (developer_attributes.py), changes that survive an undo (surviving_changes.py), the list
of decisions (decisions.py), dependencies between decisions (dependencies.py).
"""

import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.control.audit import Target, record
from api.control.errors import AlreadyExists, InvalidSetting, NotFound, NotPossible
from api.control.identities.decisions import DecisionRecord, existing_decision, shown
from api.control.identities.dependencies import (
    dismissed_pairs,
    merged_with,
    merges_shown_in,
    refuse_built_upon,
    refuse_vanished,
)
from api.control.identities.known_developers import KnownDeveloper
from api.control.identities.surviving_changes import SurvivingChange, surviving_changes
from api.control.ids import new_id
from api.control.models import IdentityDecision, IdentityPart
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.snapshot.identities import NAMED, DecisionKind, active_splits
from api.control.store import ControlStore, Write

MAX_MERGED = 50
MAX_NAME_LENGTH = 255
MAX_DECIDED_BY_LENGTH = 254


def merge_developers(
    store: ControlStore, actor: Principal, organization_id: str, developers: Sequence[KnownDeveloper]
) -> DecisionRecord:
    """Decide that these developers are one person (or one bot).

    Raises InvalidSetting for fewer than two different ones or too many, NotPossible for a bot and a person, NotFound
    for one that an undone split has taken away, AlreadyExists where decisions make them one already.
    """
    by_id = {developer.id: developer for developer in developers}
    if len(by_id) < 2:
        raise InvalidSetting("developerIds", "name at least two different developers")
    if len(by_id) > MAX_MERGED:
        raise InvalidSetting("developerIds", f"merge at most {MAX_MERGED} developers at once")
    _refuse_mixture(by_id.values())
    with store.allowed_write(actor, organization_id, Permission.MANAGE_IDENTITIES) as session:
        refuse_vanished(session, organization_id, by_id)
        held = merged_with(session, organization_id, next(iter(by_id)))
        if by_id.keys() <= held:
            raise AlreadyExists(
                "these developers are already merged; figures show one developer from the next build on"
            )
        row = _decision(store, actor, organization_id, DecisionKind.MERGE)
        row.builds_on = merges_shown_in(session, organization_id, by_id.values())
        parts = [_part(row, one.id, one.name, one.primary_email) for one in by_id.values()]
        return _add(session, row, parts, "developers.merge")


def split_developer(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    developer: KnownDeveloper,
    address_ids: Collection[str],
) -> DecisionRecord:
    """Split some addresses off a developer; together they become one new developer.

    The split covers names that these mailboxes use later; known names that are not selected stay. Raises
    InvalidSetting without addresses, NotFound for an address of another developer, NotPossible when no address would
    remain or the figures lack an earlier split of one.
    """
    if not address_ids:
        raise InvalidSetting("addressIds", "name at least one address to split off")
    own = {address.id: address for address in developer.addresses}
    for wanted in address_ids:
        if wanted not in own:
            raise NotFound(
                f"developer {developer.name!r} has no address with the id {wanted!r}; use ids from its `addresses`"
            )
    with store.allowed_write(actor, organization_id, Permission.MANAGE_IDENTITIES) as session:
        refuse_vanished(session, organization_id, [developer.id])
        decided = {address_id for address_id, _, _ in active_splits(session, organization_id)}
        going = {key for key, address in own.items() if key in decided and not address.is_split}
        for wanted in address_ids:
            if wanted in going:
                raise NotPossible(
                    f"{own[wanted].email} is already split off; figures show it from the next build on"
                )
        if own.keys() <= going | set(address_ids):
            raise NotPossible(
                f"{developer.name!r} must keep at least one address; leave one out of addressIds"
            )
        row = _decision(store, actor, organization_id, DecisionKind.SPLIT)
        row.developer_id, row.developer_name = developer.id, developer.name[:MAX_NAME_LENGTH]
        row.new_developer_id = split_developer_id(organization_id, row.id)
        taken = {own[wanted].email for wanted in address_ids}
        left = [one for one in own.values() if one.id not in address_ids and one.email in taken]
        parts = [_part(row, key, own[key].name, own[key].email) for key in dict.fromkeys(address_ids)]
        for part in parts:
            part.is_left = False
        session.add(row)
        session.flush()
        for one in left:
            part = _part(row, one.id, one.name, one.email)
            part.is_left = True
            session.add(part)
        return _add(session, row, parts, "developers.split")


def dismiss_suggestion(
    store: ControlStore, actor: Principal, organization_id: str, pair: Sequence[KnownDeveloper]
) -> DecisionRecord:
    """Decide that two developers are not one person: they are not suggested again, however they are found.

    Raises AlreadyExists where a dismissal or merge of the two is in force; NotFound as `merge_developers`.
    """
    one, other = pair
    with store.allowed_write(actor, organization_id, Permission.MANAGE_IDENTITIES) as session:
        refuse_vanished(session, organization_id, [one.id, other.id])
        if frozenset((one.id, other.id)) in dismissed_pairs(session, organization_id):
            raise AlreadyExists("this suggestion is already dismissed; undo that decision to get it back")
        if other.id in merged_with(session, organization_id, one.id):
            raise AlreadyExists("these developers are merged; undo the merge first")
        row = _decision(store, actor, organization_id, DecisionKind.DISMISSAL)
        parts = [_part(row, each.id, each.name, each.primary_email) for each in pair]
        return _add(session, row, parts, "mergeSuggestions.dismiss")


@dataclass(frozen=True, slots=True)
class Undone:
    """An undone decision, and the surviving changes."""

    decision: DecisionRecord
    surviving: tuple[SurvivingChange, ...]


def undo_decision(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    decision_id: str,
    known_ids: Collection[str] = (),
) -> Undone:
    """Undo a decision: figures are as if it had never been made.

    Changes that were made to its developers meanwhile stay with their ids; `known_ids` are further ids of these
    developers. Raises NotFound, and NotPossible for an undone decision or when later decisions build on its
    developer.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_IDENTITIES) as session:
        row = existing_decision(session, organization_id, decision_id)
        if row.undone_at is not None:
            raise NotPossible(f"{row.undone_by} already undid this decision on {row.undone_at:%Y-%m-%d}")
        refuse_built_upon(session, organization_id, row)
        parts = _parts(session, [row.id])
        before, surviving = _state(row, parts), surviving_changes(session, row, parts, known_ids)
        row.undone_at, row.undone_by = store.now(), actor.actor[2][:MAX_DECIDED_BY_LENGTH]
        target = Target("identityDecision", row.id, _called(row, parts))
        after = {"survivingChanges": [_logged(one) for one in surviving]} if surviving else None
        record(session, "identityDecisions.undo", target, before, after, restates=True)
        return Undone(shown(row, parts), surviving)


def split_developer_id(organization_id: str, decision_id: str) -> str:
    """The id of the developer that a split makes."""
    return str(uuid.uuid5(uuid.UUID(organization_id), f"developer:split:{decision_id}"))


def suggestion_id(organization_id: str, one: str, other: str) -> str:
    """The id of the suggestion that two developers are one person, the smaller of their ids first."""
    return str(uuid.uuid5(uuid.UUID(organization_id), f"suggestion:{one} {other}"))


def _refuse_mixture(developers: Iterable[KnownDeveloper]) -> None:
    kinds = {developer.is_bot: developer.name for developer in developers}
    if len(kinds) > 1:
        raise NotPossible(
            f"{kinds[True]!r} is a bot and {kinds[False]!r} is a human, so they cannot be merged. If one of them has "
            "the wrong `kind`, correct it first and merge them after the next build"
        )


def _decision(
    store: ControlStore, actor: Principal, organization_id: str, kind: DecisionKind
) -> IdentityDecision:
    return IdentityDecision(
        id=new_id(),
        organization_id=organization_id,
        kind=kind,
        at=store.now(),
        decided_by=actor.actor[2][:MAX_DECIDED_BY_LENGTH],
    )


def _part(row: IdentityDecision, part_id: str, name: str, email: str | None) -> IdentityPart:
    return IdentityPart(
        decision_id=row.id,
        part_id=part_id,
        name=name[:MAX_NAME_LENGTH],
        email=email[:MAX_NAME_LENGTH] if email else None,
    )


def _parts(session: Session, decision_ids: Collection[str]) -> Sequence[IdentityPart]:
    return session.scalars(
        select(IdentityPart)
        .where(IdentityPart.decision_id.in_(decision_ids), NAMED)
        .order_by(IdentityPart.decision_id, IdentityPart.part_id)
    ).all()


def _add(session: Write, row: IdentityDecision, parts: Sequence[IdentityPart], action: str) -> DecisionRecord:
    session.add(row)
    session.flush()
    session.add_all(parts)
    target = Target("identityDecision", row.id, _called(row, parts))
    record(session, action, target, after=_state(row, parts), restates=True)
    return shown(row, parts)


def _logged(kept: SurvivingChange) -> dict[str, Any]:
    return {
        "targetKind": kept.target_kind, "targetId": kept.target_id, "before": kept.before, "after": kept.after,
    }  # fmt: skip


def _called(row: IdentityDecision, parts: Sequence[IdentityPart]) -> str:
    names = ", ".join(part.name for part in parts)
    return (f"{names} of {row.developer_name}" if row.developer_name else names)[:MAX_NAME_LENGTH]


def _state(row: IdentityDecision, parts: Sequence[IdentityPart]) -> dict[str, Any]:
    held: dict[str, Any] = {"kind": row.kind.upper()}
    if row.kind == DecisionKind.SPLIT:
        held |= {"developerId": row.developer_id, "newDeveloperId": row.new_developer_id}
    return held | {
        "addresses" if row.kind == DecisionKind.SPLIT else "developers": [
            {"id": part.part_id, "name": part.name, "email": part.email} for part in parts
        ]
    }
