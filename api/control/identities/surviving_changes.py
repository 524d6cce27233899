"""Changes to developers that were made while a merge or split was in force, and that survive its undoing.

Every change stays under the id that the developer had at that time. Undoing a merge moves none of them, because only a
person knows which of the former developers each was meant for. Keep out: undoing (identities.py), editing the
surviving changes (developer_attributes.py, teams/memberships.py).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from api.control.identities.dependencies import merged_with
from api.control.models import AuditEntry, IdentityDecision, IdentityPart, TeamMembership
from api.control.snapshot.identities import DecisionKind

OF_DEVELOPERS = "developers.update"
OF_MEMBERSHIPS = tuple(f"teamMemberships.{verb}" for verb in ("create", "end", "update", "delete"))


@dataclass(frozen=True, slots=True)
class SurvivingChange:
    """A change of a developer or membership (`target_kind`) since the decision, which survives its undoing.

    `before` and `after` are as in the audit log: for a developer the changed attributes; None for a membership that
    did not exist. `changed_at` and `changed_by` are of the last change.
    """

    target_kind: str
    target_id: str
    developer_id: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    changed_at: datetime
    changed_by: str


def surviving_changes(
    session: Session, row: IdentityDecision, parts: Sequence[IdentityPart], known_ids: Collection[str] = ()
) -> tuple[SurvivingChange, ...]:
    """The changes since the decision, by developer: for a merge all merged developers, for a split the new one.

    Call it while the decision is in force. `known_ids` are further ids of these developers. A dismissed suggestion
    has no surviving changes.
    """
    match row.kind:
        case DecisionKind.MERGE:
            ids = merged_with(session, row.organization_id, parts[0].part_id) | set(known_ids)
        case DecisionKind.SPLIT if row.new_developer_id is not None:
            ids = {row.new_developer_id}
        case _:
            return ()
    entries = _entries_since(session, row, ids)
    there = set(
        session.scalars(
            select(TeamMembership.id).where(
                TeamMembership.organization_id == row.organization_id, TeamMembership.developer_id.in_(ids)
            )
        )
    )
    by_target = groupby(
        sorted(entries, key=lambda one: (one.target_kind, one.target_id)),
        key=lambda one: (one.target_kind, one.target_id),
    )
    found = [_difference(list(changes), there) for _, changes in by_target]
    kept = (one for one in found if one is not None)
    return tuple(
        sorted(kept, key=lambda one: (one.developer_id, one.target_kind, one.changed_at, one.target_id))
    )


def _entries_since(session: Session, row: IdentityDecision, ids: Collection[str]) -> list[AuditEntry]:
    """The log entries of these developers and their memberships since the decision, oldest first."""
    since = (AuditEntry.organization_id == row.organization_id, AuditEntry.at >= row.at)
    told = select(AuditEntry).where(*since, AuditEntry.action == OF_DEVELOPERS, AuditEntry.target_id.in_(ids))
    joined = select(AuditEntry).where(
        *since,
        AuditEntry.action.in_(OF_MEMBERSHIPS),
        or_(
            *(column["developerId"].as_string().in_(ids) for column in (AuditEntry.before, AuditEntry.after))
        ),
    )
    entries = [*session.scalars(told), *session.scalars(joined)]
    return sorted(entries, key=lambda one: (one.at, one.id))


def _difference(changes: list[AuditEntry], there: Collection[str]) -> SurvivingChange | None:
    """The total of the changes of one target; None when they cancel out."""
    first, last = changes[0], changes[-1]
    before, after = first.before, last.after
    if first.target_kind == "developer":
        developer_id = first.target_id
        before, after = _told(changes)
    else:
        developer_id = str((first.before or first.after or {})["developerId"])
        # Deleting a team deletes its memberships without log entries of their own.
        after = after if first.target_id in there else None
    if before == after:
        return None
    return SurvivingChange(
        target_kind=first.target_kind,
        target_id=first.target_id,
        developer_id=developer_id,
        before=before,
        after=after,
        changed_at=last.at,
        changed_by=last.actor_name,
    )


def _told(changes: list[AuditEntry]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The changed attributes of a developer before and after; entries hold only the changed ones."""
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for one in changes:
        before = (one.before or {}) | before
        after |= one.after or {}
    differing = sorted(name for name in after if before.get(name) != after[name])
    return {name: before.get(name) for name in differing}, {name: after[name] for name in differing}
