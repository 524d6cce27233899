"""Identities after decisions in plain loops, from people in order of first use and rows of the control tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from api.control.identities.known_developers import Address, KnownDeveloper
from tests.dbt.invented.invented_identities import Person, address_id, developer_id, mailbox_id

Row = dict[str, Any]
Rows = Mapping[str, Sequence[Row]]
DATES = ("joining_date", "probation_end_date", "leaving_date")


class World:
    """The identities that a build would show. `people` come by group, each group in order of first use."""

    def __init__(self, groups: Sequence[Sequence[Person]], rows: Rows) -> None:
        order = {person: place for place, person in enumerate(person for group in groups for person in group)}
        own = {address_id(person) for person in order}
        splits = [row for row in rows["identity_splits"] if row["address_id"] in own]
        apart = {row["address_id"]: row["developer_id"] for row in splits if row["is_last"]}
        mailboxes = {row["mailbox_id"]: row["developer_id"] for row in rows["mailbox_splits"]}
        for person in order:
            apart.setdefault(address_id(person), mailboxes.get(mailbox_id(person[1])))
        taken = {(row["address_id"], row["developer_id"]) for row in splits} | set(apart.items())
        self.splits = {developer for _, developer in taken if developer is not None}
        # Unit → its people and its sort key; after splits a unit may have no people.
        self.units: dict[str, list[Person]] = {}
        self.places: dict[str, tuple[int, bool, str]] = {}
        self.known = {unit: unit for unit in self.splits}
        for group in groups:
            found = developer_id(group[0][1])
            self._place(found, order[group[0]])
            for person in group:
                self.known[developer_id(person[1])] = found
                self.units.setdefault(apart[address_id(person)] or found, []).append(person)
                for address, developer in taken:
                    if address == address_id(person) and developer is not None:
                        self._place(developer, order[person])
        self.developer = self._merged(rows)
        self.attributes = self._said(rows)

    def _place(self, unit: str, place: int) -> None:
        wanted = (place, unit in self.splits, unit)
        self.places[unit] = min(self.places.get(unit, wanted), wanted)

    def _merged(self, rows: Rows) -> dict[str, str]:
        """The developer of each unit."""
        number = dict(self.places)
        merges: dict[str, set[str]] = {}
        for row in rows["identity_merges"]:
            if row["developer_id"] in self.known:
                merges.setdefault(row["merge_id"], set()).add(self.known[row["developer_id"]])
        before: dict[str, tuple[int, bool, str]] = {}
        while before != number:
            before = dict(number)
            for units in merges.values():
                least = min(number[unit] for unit in units)
                number |= dict.fromkeys(units, least)
        return {unit: place[2] for unit, place in number.items()}

    def _said(self, rows: Rows) -> dict[str, dict[str, str]]:
        """Attributes by developer: those set under its own id, else under the smallest id."""
        attributes_by_id: dict[str, dict[str, dict[str, str | None]]] = {}
        for row in rows["developer_attributes"]:
            if row["developer_id"] in self.known_ids:
                developer = self.known_ids[row["developer_id"]]
                by_id = attributes_by_id.setdefault(developer, {}).setdefault(row["developer_id"], {})
                by_id[row["attribute"]] = row["value"]
        attributes: dict[str, dict[str, str]] = {}
        for developer, by_known_id in attributes_by_id.items():
            own_attributes: dict[str, str | None] = {}
            for known in sorted(by_known_id, key=lambda known: (known != developer, known)):
                has_dates = not own_attributes.keys().isdisjoint(DATES)
                for attribute, value in by_known_id[known].items():
                    if attribute not in own_attributes and not (has_dates and attribute in DATES):
                        own_attributes[attribute] = value
            attributes[developer] = {
                attribute: value for attribute, value in own_attributes.items() if value is not None
            }
        return {
            developer: own_attributes for developer, own_attributes in attributes.items() if own_attributes
        }

    @property
    def people(self) -> dict[str, set[Person]]:
        """Addresses by developer."""
        found: dict[str, set[Person]] = {}
        for unit, people in self.units.items():
            found.setdefault(self.developer[unit], set()).update(people)
        return found

    @property
    def known_ids(self) -> dict[str, str]:
        """The developer of every id that ever existed."""
        present = self.people.keys()
        found = {known: self.developer[unit] for known, unit in self.known.items()}
        return {known: developer for known, developer in found.items() if developer in present}

    def shown(self) -> list[KnownDeveloper]:
        """The developers by id, as the API reads them from a build."""
        split = {person for unit in self.splits & self.units.keys() for person in self.units[unit]}
        return [
            KnownDeveloper(
                id=developer,
                name=min(people)[0],
                primary_email=min(people)[1],
                is_bot=False,
                known_ids=tuple(
                    sorted(key for key, attributes in self.known_ids.items() if attributes == developer)
                ),
                addresses=tuple(
                    Address(address_id(person), *person, is_split=person in split)
                    for person in sorted(people)
                ),
            )
            for developer, people in sorted(self.people.items())
        ]
