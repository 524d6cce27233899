"""The person to erase: their marks, and the ids by which decisions name them.

Keep out: what is erased (erased_decisions.py, erased_files.py).
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from api.control.models import Account, Member
from api.control.permissions import Role
from api.control.store import ControlStore
from ingest.erasure.marks import Marks, PersonMarks, Pseudonym, compared, names_to_find
from orchestration.people.person import Person
from orchestration.report.snapshot import Snapshot


class ErasureRefused(Exception):
    """The person cannot be erased now. The message says why and what helps."""


@dataclass(frozen=True)
class Erasing:
    """One person, the marks that are remembered of all erased ones, and the pseudonym of this one.

    `names` are all names of the person as they were written, also single ones and those of others too.
    """

    person: Person
    names: frozenset[str]
    present_ids: frozenset[str]
    """The id of the developer in the newest build, where there is one."""
    marks: Marks
    pseudonym: Pseudonym

    @property
    def developer_id(self) -> str:
        """The id of the developer with the address of the pseudonym, as models compute it."""
        return str(uuid.uuid5(uuid.UUID(self.person.organization_id), f"developer:{self.pseudonym.address}"))

    @property
    def searched(self) -> set[str]:
        """Words that no file should have afterwards: addresses, and names that are the person's alone."""
        names = {name for name in self.names if self.marks.find("name", name) is not None}
        addresses = {one for one in self.person.addresses if self.marks.find("address", one) is not None}
        return names | addresses


def erasing(control: ControlStore, snapshot: Snapshot | None, known: Marks, person: Person) -> Erasing:
    """The data of a person that an erasure removes. Raises ErasureRefused for a bot and for the last owner."""
    own, others, present_ids = _identities(snapshot, person)
    with control.session() as session:
        _refuse_last_owner(session, person)
        accounts = session.scalars(select(Account.name).where(Account.id.in_(person.ids))).all()
    names = {name for name, _ in own} | set(accounts)
    names_of_others = {compared("name", name) for name, _ in others}
    addresses_of_others = {address for _, address in others}
    shared = person.addresses & addresses_of_others
    marks, pseudonym = known.with_person(
        PersonMarks(
            addresses=person.addresses - shared,
            logins=person.logins,
            names=names_to_find(name for name in names if compared("name", name) not in names_of_others),
            pairs=frozenset((name, address) for name, address in own if address in shared),
        )
    )
    written = frozenset(name for name in names if name.strip())
    return Erasing(person, written, present_ids, marks, pseudonym)


def _identities(
    snapshot: Snapshot | None, person: Person
) -> tuple[set[tuple[str, str]], set[tuple[str, str]], frozenset[str]]:
    """Names with addresses of the person, those of all other developers, and the present id of the person.

    Raises ErasureRefused for a bot.
    """
    present_ids = set()
    found: dict[bool, set[tuple[str, str]]] = defaultdict(set)
    if snapshot is not None:
        for developer_id, name, is_bot, addresses in snapshot.rows(
            "select developer_id, name, is_bot, addresses from developers"
        ):
            is_theirs = developer_id in person.ids
            if is_theirs and is_bot:
                raise ErasureRefused(
                    f"{name} counts as a bot: set its kind to human first, if it is a person"
                )
            if is_theirs:
                present_ids.add(developer_id)
            found[is_theirs] |= {(one["name"] or "", (one["email"] or "").lower()) for one in addresses or ()}
            found[is_theirs].add((name, ""))
    return {one for one in found[True] if one[0]}, found[False], frozenset(present_ids)


def _refuse_last_owner(session: Session, person: Person) -> None:
    own = select(Member.account_id).where(
        Member.organization_id == person.organization_id, Member.role == Role.OWNER
    )
    owners = set(session.scalars(own))
    if (
        owners
        and owners <= person.ids
        and session.scalar(select(func.count()).select_from(own.subquery())) == 1
    ):
        raise ErasureRefused("this is the last owner of the organization; make another member an owner first")
