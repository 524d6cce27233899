"""Dependencies between identity decisions: which decision builds on which, and which developers a decision joins.

Keep out: making and undoing decisions (identities.py), the decisions in force (snapshot/identities.py).
"""

from collections.abc import Iterable

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from api.control.errors import NotFound, NotPossible
from api.control.identities.known_developers import KnownDeveloper
from api.control.models import IdentityDecision, IdentityPart
from api.control.snapshot.identities import DecisionKind, active_pairs, holding


def refuse_vanished(session: Session, organization_id: str, developer_ids: Iterable[str]) -> None:
    """Raises NotFound for a developer of an undone split, which figures show until the next build."""
    gone = session.scalar(
        select(IdentityDecision.new_developer_id).where(
            IdentityDecision.organization_id == organization_id,
            IdentityDecision.undone_at.is_not(None),
            IdentityDecision.new_developer_id.in_(list(developer_ids)),
        )
    )
    if gone is not None:
        raise NotFound(
            f"developer {gone!r} no longer exists, because the split that created it was undone; "
            "list the developers again after the next build"
        )


def refuse_built_upon(session: Session, organization_id: str, row: IdentityDecision) -> None:
    """Raises NotPossible when a later decision names the developer that this one created."""
    if row.kind == DecisionKind.MERGE:
        _refuse_merged_since(session, organization_id, row)
    if row.new_developer_id is None:
        return
    later = session.scalar(
        select(IdentityDecision.id)
        .join(IdentityPart, IdentityPart.decision_id == IdentityDecision.id)
        .where(
            IdentityDecision.organization_id == organization_id,
            IdentityDecision.kind != DecisionKind.DISMISSAL,
            IdentityDecision.undone_at.is_(None),
            or_(
                IdentityDecision.developer_id == row.new_developer_id,
                IdentityPart.part_id == row.new_developer_id,
            ),
        )
        .order_by(IdentityDecision.at.desc(), IdentityDecision.id.desc())
    )
    if later is not None:
        raise NotPossible(
            f"this split cannot be undone, because decision {later} uses the developer that it created; undo decision "
            f"{later} first"
        )


def _refuse_merged_since(session: Session, organization_id: str, row: IdentityDecision) -> None:
    """Raises NotPossible when a later merge would keep only one half of the developer that it merged with."""
    merges = session.scalars(
        select(IdentityDecision)
        .where(*holding(organization_id, DecisionKind.MERGE))
        .order_by(IdentityDecision.at.desc(), IdentityDecision.id.desc())
    )
    for later in merges:
        if row.id in (later.builds_on or ()):
            raise NotPossible(
                f"this merge cannot be undone, because decision {later.id} later merged its result with another "
                f"developer; undo decision {later.id} first, then merge that developer with the right one of these"
            )


def merges_shown_in(
    session: Session, organization_id: str, developers: Iterable[KnownDeveloper]
) -> list[str]:
    """The merges of which all developers are the same one of these developers in the figures."""
    merges: dict[str, set[str]] = {}
    for decision, developer in active_pairs(session, organization_id, DecisionKind.MERGE):
        merges.setdefault(decision, set()).add(developer)
    known = [set(developer.known_ids) for developer in developers]
    return sorted(decision for decision, named in merges.items() if any(named <= ids for ids in known))


def merged_with(session: Session, organization_id: str, developer_id: str) -> set[str]:
    """All developers that merges join with a developer."""
    members: dict[str, set[str]] = {}
    for decision, developer in active_pairs(session, organization_id, DecisionKind.MERGE):
        members.setdefault(decision, set()).add(developer)
    found, before = {developer_id}, 0
    while len(found) > before:
        before = len(found)
        found.update(*(group for group in members.values() if not found.isdisjoint(group)))
    return found


def dismissed_pairs(session: Session, organization_id: str) -> set[frozenset[str]]:
    """The pairs of developers that are not one person."""
    pairs: dict[str, set[str]] = {}
    for decision, developer in active_pairs(session, organization_id, DecisionKind.DISMISSAL):
        pairs.setdefault(decision, set()).add(developer)
    return {frozenset(pair) for pair in pairs.values()}
