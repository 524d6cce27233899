"""Ids of developers and addresses in the invented organization, and decisions as rows of control tables."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from tests.dbt.invented.invented_history import ORGANIZATION_ID
from tests.dbt.naive.naive_people import compared_name

Row = dict[str, Any]
Person = tuple[str, str]
_NAMESPACE = uuid.UUID(ORGANIZATION_ID)


def developer_id(address: str) -> str:
    """The id of a developer with this oldest address."""
    return str(uuid.uuid5(_NAMESPACE, f"developer:{address}"))


def address_id(person: Person) -> str:
    """The id of a name with an address."""
    return str(uuid.uuid5(_NAMESPACE, f"address:{person[1].lower()} {compared_name(person[0])}"))


def mailbox_id(email: str) -> str:
    """The id of an address alone."""
    return str(uuid.uuid5(_NAMESPACE, f"mailbox:{email.lower()}"))


def split_id(name: str) -> str:
    """The id of the developer that a split of this name creates."""
    return str(uuid.uuid5(_NAMESPACE, f"developer:split:{name}"))


class Decided(Protocol):
    """Rows of the control tables about identities."""

    def rows(self) -> dict[str, list[Row]]:
        """The rows by table."""
        ...


@dataclass
class Decisions:
    """Developer ids by merge and by dismissal, people by split, attributes by developer id, addresses of members.

    `left` are people who keep an address after a split took out another name.
    """

    merges: Mapping[str, Iterable[str]] = field(default_factory=dict)
    splits: Mapping[str, Iterable[Person]] = field(default_factory=dict)
    left: Iterable[Person] = ()
    dismissals: Mapping[str, Iterable[str]] = field(default_factory=dict)
    attributes: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    members: Iterable[str] = ()

    def rows(self) -> dict[str, list[Row]]:
        """The rows of the control tables."""
        own: Row = {"organization_id": ORGANIZATION_ID}
        return {
            "identity_merges": [
                own | {"merge_id": merge, "developer_id": developer}
                for merge, developers in self.merges.items()
                for developer in developers
            ],
            "identity_splits": [
                own | {"address_id": address, "developer_id": split_id(name), "is_last": True}
                for name, people in self.splits.items()
                for address in sorted({address_id(person) for person in people})
            ]
            + [
                own | {"address_id": address_id(person), "developer_id": None, "is_last": True}
                for person in self.left
            ],
            "mailbox_splits": [
                own | {"mailbox_id": mailbox_id(email), "developer_id": split_id(name)}
                for email, name in sorted(
                    {
                        email.lower(): name for name, people in self.splits.items() for _, email in people
                    }.items()
                )
            ],
            "suggestion_dismissals": [
                own | {"dismissal_id": dismissal, "developer_id": developer}
                for dismissal, developers in self.dismissals.items()
                for developer in developers
            ],
            "developer_attributes": [
                own | {"developer_id": developer, "attribute": attribute, "value": value}
                for developer, said in self.attributes.items()
                for attribute, value in said.items()
            ],
            "member_mailboxes": [own | {"mailbox_id": mailbox_id(email)} for email in self.members],
        }


NOTHING_DECIDED = Decisions()
