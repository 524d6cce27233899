"""The history of identity decisions: every merge, split and dismissal, with its author and the time it was in force.

Keep out: making and undoing decisions (identities.py).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from api.control.errors import NotFound
from api.control.list_pages import Key, ListPage, ListQuery, list_page
from api.control.models import IdentityDecision, IdentityPart
from api.control.records import copied, owned
from api.control.snapshot.identities import NAMED, DecisionKind, active_pairs
from api.control.store import ControlStore

KEYS = {"at": Key(IdentityDecision.at), "id": Key(IdentityDecision.id)}
NEWEST_FIRST = "at desc"


@dataclass(frozen=True, slots=True)
class Part:
    """A developer, or an address of a split, as it was called at that time."""

    id: str
    name: str
    email: str | None


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """A decision. For a split, `developer_id` is the former developer of the addresses and `new_developer_id` the new
    one.
    """

    id: str
    kind: DecisionKind
    at: datetime
    decided_by: str
    developer_id: str | None
    developer_name: str | None
    new_developer_id: str | None
    parts: tuple[Part, ...]
    undone_at: datetime | None
    undone_by: str | None


def list_decisions(
    store: ControlStore,
    organization_id: str,
    asked: ListQuery,
    *,
    kind: DecisionKind | None = None,
    developer_ids: Collection[str] = (),
    is_undone: bool | None = None,
) -> ListPage[DecisionRecord]:
    """A page of the decisions, newest first; optionally of one kind, in force or undone, or about a developer by all
    ids.
    """
    statement = owned(IdentityDecision, organization_id)
    if kind is not None:
        statement = statement.where(IdentityDecision.kind == kind)
    if developer_ids:
        statement = statement.where(_naming(developer_ids))
    if is_undone is not None:
        column = IdentityDecision.undone_at
        statement = statement.where(column.is_not(None) if is_undone else column.is_(None))
    with store.session() as session:
        found: ListPage[IdentityDecision] = list_page(
            session, statement, KEYS, asked, lambda row: row, default=NEWEST_FIRST, unique="id"
        )
        parts: dict[str, list[IdentityPart]] = {row.id: [] for row in found.items}
        for part in session.scalars(
            select(IdentityPart)
            .where(IdentityPart.decision_id.in_(parts), NAMED)
            .order_by(IdentityPart.decision_id, IdentityPart.part_id)
        ):
            parts[part.decision_id].append(part)
        return ListPage([shown(row, parts[row.id]) for row in found.items], found.next_values, found.total)


def is_named(store: ControlStore, organization_id: str, developer_ids: Collection[str]) -> bool:
    """Whether a decision, also one that was undone, names a developer of these ids."""
    with store.session() as session:
        found = session.scalar(
            select(IdentityDecision.id).where(
                IdentityDecision.organization_id == organization_id, _naming(developer_ids)
            )
        )
        return found is not None


def decision(store: ControlStore, organization_id: str, decision_id: str) -> DecisionRecord:
    """A decision. Raises NotFound."""
    with store.session() as session:
        row = existing_decision(session, organization_id, decision_id)
        parts = session.scalars(
            select(IdentityPart)
            .where(IdentityPart.decision_id == row.id, NAMED)
            .order_by(IdentityPart.part_id)
        ).all()
        return shown(row, parts)


def existing_decision(session: Session, organization_id: str, decision_id: str) -> IdentityDecision:
    """The row of a decision. Raises NotFound, also for a decision of another organization."""
    row = session.get(IdentityDecision, decision_id)
    if row is None or row.organization_id != organization_id:
        raise NotFound(
            f"no decision {decision_id!r} about identities in this organization; …/identityDecisions lists them"
        )
    return row


def shown(row: IdentityDecision, parts: Sequence[IdentityPart]) -> DecisionRecord:
    """The row and its parts as a record."""
    return copied(
        DecisionRecord, row, parts=tuple(Part(part.part_id, part.name, part.email) for part in parts)
    )


def _naming(developer_ids: Collection[str]) -> ColumnElement[bool]:
    parts = select(IdentityPart.decision_id).where(IdentityPart.part_id.in_(developer_ids))
    return (
        IdentityDecision.id.in_(parts)
        | IdentityDecision.developer_id.in_(developer_ids)
        | IdentityDecision.new_developer_id.in_(developer_ids)
    )


def decided_pairs(store: ControlStore, organization_id: str) -> set[tuple[str, str]]:
    """Every pair of developers in a merge or dismissal in force, the smaller id first."""
    with store.session() as session:
        named: dict[str, list[str]] = {}
        for kind in (DecisionKind.MERGE, DecisionKind.DISMISSAL):
            for decision_id, developer in active_pairs(session, organization_id, kind):
                named.setdefault(decision_id, []).append(developer)
    return {pair for developers in named.values() for pair in combinations(sorted(developers), 2)}
