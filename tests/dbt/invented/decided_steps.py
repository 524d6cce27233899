"""Random decisions of administrators about a population, and their reversal, for comparison with a build."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from api.control.identities import identities
from api.control.identities.developer_attributes import DATES, Attribute, Value, attributes, change_attributes
from api.control.identities.known_developers import KnownDeveloper
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from tests.dbt.invented.invented_history import ORGANIZATION_ID
from tests.dbt.invented.invented_identities import Person
from tests.dbt.naive.naive_identities import World

Undo = Callable[[], object]
TEXTS = (Attribute.NAME, Attribute.ROLE, Attribute.SENIORITY)
DATED = {Attribute.JOINING_DATE: date(2025, 2, 3), Attribute.LEAVING_DATE: date(2026, 4, 5)}
TABLES = (
    "identity_merges", "identity_splits", "mailbox_splits", "suggestion_dismissals", "developer_attributes",
)  # fmt: skip


def population(number: int, *, with_late: bool = False) -> list[list[Person]]:
    """Three people with two, two and four addresses, which share nothing with other populations.

    One mailbox has two names. `with_late` adds names that appear after the decisions.
    """
    mark = chr(ord("a") + number // 26) + chr(ord("a") + number % 26)
    groups = [
        [(f"{first.capitalize()}{mark} Roe{mark}", f"{first}@{place}.{mark}.example") for place in places]
        for first, places in (("ann", "pq"), ("bo", "qr"), ("cy", "rst"))
    ]
    groups[2].insert(0, (f"Cyrus{mark} Roe{mark}", f"cy@s.{mark}.example"))
    if with_late:
        groups[0].append((f"Annika{mark} Poe{mark}", f"ann@q.{mark}.example"))
        groups[2].append((f"Cyril{mark} Poe{mark}", f"cy@s.{mark}.example"))
    return groups


class Administration:
    """A control store and the people of its decisions."""

    def __init__(self, store: ControlStore, groups: Sequence[Sequence[Person]]) -> None:
        self.store, self.groups = store, groups
        # The inverse of each step in force, oldest first.
        self.undoing: dict[str, Undo] = {}

    @property
    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """The rows of the control tables about identities."""
        snapshot = self.store.snapshot(ORGANIZATION_ID)
        return {table: snapshot[table] for table in TABLES}

    @property
    def world(self) -> World:
        """The identities that a build would show now."""
        return World(self.groups, self.rows)

    def take(self, step: tuple[Any, ...], world: World) -> None:
        """Take a step of (kind, number, number, text) based on a build. Raises the errors of the store."""
        kind, one, two, text = step
        shown = world.shown()
        first, second = shown[one % len(shown)], shown[two % len(shown)]
        match kind:
            case "merge":
                made = identities.merge_developers(self.store, OPERATOR, ORGANIZATION_ID, [first, second])
                self._undo_later(made.id)
            case "dismiss":
                made = identities.dismiss_suggestion(self.store, OPERATOR, ORGANIZATION_ID, [first, second])
                self._undo_later(made.id)
            case "split":
                # The bits of a number choose the addresses.
                chosen = [a.id for place, a in enumerate(first.addresses) if two >> place & 1]
                made = identities.split_developer(self.store, OPERATOR, ORGANIZATION_ID, first, chosen)
                self._undo_later(made.id)
            case "say":
                self._say(first, TEXTS[two % len(TEXTS)], text)
            case "tell":
                self._tell(world, first, (*TEXTS, *DATED)[two % 5], text)
            case "undo" if self.undoing:
                self.undo(list(self.undoing)[-1])
            case "undo any":
                decisions = [key for key in self.undoing if " " not in key]
                if decisions:
                    self.undo(decisions[one % len(decisions)])

    def undo(self, key: str) -> None:
        """Undo one step. Raises the errors of the store."""
        self.undoing[key]()
        del self.undoing[key]

    def _undo_later(self, decision_id: str) -> None:
        self.undoing[decision_id] = lambda: identities.undo_decision(
            self.store, OPERATOR, ORGANIZATION_ID, decision_id
        )

    def _tell(self, world: World, developer: KnownDeveloper, attribute: Attribute, text: str) -> None:
        """Set an attribute for good; the text z clears it."""
        shown = world.attributes.get(developer.id, {})
        dates = {name: date.fromisoformat(shown[name]) if name in shown else None for name in DATES}
        day = DATED.get(attribute)
        value: Value = None if text == "z" else day or text
        change_attributes(self.store, OPERATOR, ORGANIZATION_ID, developer, {attribute: value}, dates=dates)

    def _say(self, developer: KnownDeveloper, attribute: Attribute, text: str) -> None:
        before = attributes(self.store, ORGANIZATION_ID, developer.id)[attribute]
        if before is None and len(developer.known_ids) > 1:
            # Another id may hold a value, so the reversal sets an explicit null.
            return
        key = f"{developer.id} {attribute}"
        if key in self.undoing or not text:
            return
        self._change(developer, attribute, text)
        self.undoing[key] = lambda: self._change(self._now(developer.id), attribute, before)

    def _change(self, developer: KnownDeveloper, attribute: Attribute, value: Value) -> None:
        change_attributes(self.store, OPERATOR, ORGANIZATION_ID, developer, {attribute: value}, dates={})

    def _now(self, developer_id: str) -> KnownDeveloper:
        return next(one for one in self.world.shown() if one.id == developer_id)
