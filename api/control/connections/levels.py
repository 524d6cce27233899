"""The level of each kind of item of a tracker: the provider's table, and what people edit.

Keep out: teams of a tracker (tracker_teams.py), applying levels (the warehouse).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from api.control.audit import record
from api.control.connections.rows import existing_connection, target_of
from api.control.errors import InvalidSetting, NotPossible
from api.control.models import Connection, ConnectionLevel
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.store import ControlStore


class Level(StrEnum):
    """The place of an item in the chain from objective to issue; an ignored item is in no figure."""

    OBJECTIVE = "objective"
    SUB_OBJECTIVE = "sub_objective"
    ISSUE = "issue"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class KindLevel:
    """The level of a kind of item. `items` is None before the first sync."""

    item_kind: str
    level: Level
    default_level: Level
    items: int | None


@dataclass(frozen=True, slots=True)
class Levels:
    """The levels of a tracker. `counted_at` is the time of the sync that counted the items."""

    kinds: tuple[KindLevel, ...]
    counted_at: datetime | None


@dataclass(frozen=True, slots=True)
class LevelChange:
    """The number of items of a level before and after, and of those that leave or reach it."""

    level: Level
    before: int
    after: int
    leaving: int
    joining: int


def levels(store: ControlStore, organization_id: str, connection_id: str) -> Levels:
    """The levels by kind of item. Raises NotFound, NotPossible for a Git host."""
    with store.session() as session:
        return _levels(session, existing_tracker(session, organization_id, connection_id))


def put_levels(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    connection_id: str,
    wanted: Mapping[str, Level],
) -> Levels:
    """Set levels by kind of item; kinds that are left out get the provider's again. The next build restates figures.

    Raises NotFound, NotPossible, InvalidSetting.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_CONNECTIONS) as session:
        row = existing_tracker(session, organization_id, connection_id)
        before = _levels(session, row)
        _check(wanted, before)
        session.execute(delete(ConnectionLevel).where(ConnectionLevel.connection_id == row.id))
        for kind, level in wanted.items():
            if level != _default(row, kind):
                session.add(ConnectionLevel(connection_id=row.id, item_kind=kind, level=level))
        session.flush()
        after = _levels(session, row)
        if after != before:
            told = _state(before), _state(after)
            record(session, "connections.updateLevels", target_of(row), *told, restates=True)
        return after


def preview_levels(
    store: ControlStore, organization_id: str, connection_id: str, wanted: Mapping[str, Level]
) -> tuple[list[LevelChange], datetime | None]:
    """The numbers of items per level that these levels would move, as the last sync counted them, and its time.

    Raises as `put_levels`.
    """
    found = levels(store, organization_id, connection_id)
    _check(wanted, found)
    moves = [(one.level, wanted.get(one.item_kind, one.default_level), one.items or 0) for one in found.kinds]
    changes = [
        LevelChange(
            level,
            before=sum(items for old, _, items in moves if old is level),
            after=sum(items for _, new, items in moves if new is level),
            leaving=sum(items for old, new, items in moves if old is level and new is not level),
            joining=sum(items for old, new, items in moves if old is not level and new is level),
        )
        for level in Level
    ]
    return changes, found.counted_at


def existing_tracker(session: Session, organization_id: str, connection_id: str) -> Connection:
    """The row of a connection whose items have levels. Raises NotFound, NotPossible."""
    row = existing_connection(session, organization_id, connection_id)
    if not row.default_levels:
        raise NotPossible(f"{row.name} is no issue tracker; only issue trackers have levels and teams")
    return row


def _levels(session: Session, row: Connection) -> Levels:
    edited = {
        one.item_kind: Level(one.level)
        for one in session.scalars(select(ConnectionLevel).where(ConnectionLevel.connection_id == row.id))
    }
    kinds = sorted({*row.default_levels, *row.item_counts, *edited})
    is_counted = row.counted_at is not None
    return Levels(
        tuple(
            KindLevel(
                kind,
                edited.get(kind, _default(row, kind)),
                _default(row, kind),
                row.item_counts.get(kind, 0) if is_counted else None,
            )
            for kind in kinds
        ),
        row.counted_at,
    )


def _default(row: Connection, kind: str) -> Level:
    return Level(row.default_levels.get(kind, Level.ISSUE))


def _check(wanted: Mapping[str, Level], known: Levels) -> None:
    names = {one.item_kind for one in known.kinds}
    if unknown := sorted(set(wanted) - names):
        raise InvalidSetting(
            "levels",
            f"this tracker has no kind of item {unknown[0][:64]!r}; it has {', '.join(sorted(names)) or 'none yet'}",
        )


def _state(found: Levels) -> dict[str, str]:
    return {one.item_kind: one.level for one in found.kinds}
