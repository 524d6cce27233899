"""A person of an organization: the ids, addresses and logins by which rows are theirs.

Keep out: the rows (rows.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.control.models import Account, DirectoryUser, IngestToken, Invitation
from api.control.store import ControlStore
from orchestration.report.snapshot import Snapshot

LOGINS = """
    select author from pull_requests where list_contains(?, developer_id)
    union select reviewer from reviews where list_contains(?, developer_id)
    union select actor from ai_usage where list_contains(?, developer_id)
"""


@dataclass(frozen=True)
class Person:
    """Addresses and logins are in lower case. A name alone is nobody's: others may have it."""

    organization_id: str
    ids: frozenset[str]
    """Ids of the developer, also former ones, and of the account."""
    addresses: frozenset[str]
    logins: frozenset[str]


class UnknownPerson(Exception):
    """Nothing is stored under an address. The message says where it was looked for."""


def find_person(
    control: ControlStore, snapshot: Snapshot | None, organization_id: str, address: str
) -> Person:
    """The person with this address, as the published build and the control database know them.

    A developer brings the other addresses of the same identity. Raises UnknownPerson.
    """
    given = address.strip().lower()
    ids, addresses, logins = _developer(snapshot, given)
    with control.session() as session:
        accounts = session.scalars(select(Account.id).where(Account.email_key.in_(addresses))).all()
        is_known = bool(ids or accounts) or _is_mentioned(session, organization_id, given)
    if not is_known:
        raise UnknownPerson(
            f"no developer, account, invitation or directory user has the address {given}; give one of the addresses"
            " that the developer's page lists"
        )
    return Person(organization_id, frozenset({*ids, *accounts}), frozenset(addresses), frozenset(logins))


def _developer(snapshot: Snapshot | None, given: str) -> tuple[set[str], set[str], set[str]]:
    """Ids, addresses and logins of the developer with an address, or the address alone."""
    if snapshot is None:
        return set(), {given}, set()
    found = snapshot.rows(
        "select developer_id, known_ids, addresses from developers"
        " where list_contains(list_transform(addresses, lambda one: lower(one.email)), ?)",
        given,
    )
    ids = {str(one) for developer_id, known, _ in found for one in (developer_id, *(known or ()))}
    addresses = {one["email"].lower() for _, _, listed in found for one in listed if one["email"]}
    logins = {str(row[0]).lower() for row in snapshot.rows(LOGINS, *[sorted(ids)] * 3) if row[0]}
    return ids, addresses | {given}, logins - addresses


def _is_mentioned(session: Session, organization_id: str, given: str) -> bool:
    for model, column in (
        (Invitation, Invitation.email_key),
        (DirectoryUser, DirectoryUser.email_key),
        (IngestToken, IngestToken.developer_email),
    ):
        own = select(model.id).where(model.organization_id == organization_id, column == given)
        if session.scalar(own.limit(1)) is not None:
            return True
    return False
