"""The identity decisions in force, as rows for the warehouse.

Keep out: making decisions (identities/); addresses of members in clear text: the warehouse only has to recognize
addresses that stand in commits.
"""

import uuid
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.orm import Session

from api.control.models import (
    Account,
    DeveloperAttribute,
    IdentityDecision,
    IdentityPart,
    Member,
)
from api.control.snapshot.rows import ordered
from api.control.visibility import vouched


class DecisionKind(StrEnum):
    """The kind of a decision; upper case over HTTP."""

    MERGE = "merge"
    SPLIT = "split"
    DISMISSAL = "dismissal"


# Parts that a decision is about; the others are where a split left them.
NAMED = IdentityPart.is_left.is_not(True)


def active_splits(session: Session, organization_id: str) -> list[tuple[str, str, bool]]:
    """Every split address with its new developer, and whether the split is the last one of the address.

    Merges can name the developers of earlier splits.
    """
    rows = session.execute(
        select(IdentityPart.part_id, IdentityDecision.new_developer_id)
        .join_from(IdentityDecision, IdentityPart, IdentityPart.decision_id == IdentityDecision.id)
        .where(*holding(organization_id, DecisionKind.SPLIT), NAMED)
        .order_by(IdentityDecision.at, IdentityDecision.id)
    )
    made = [(address, developer) for address, developer in rows if developer is not None]
    last = dict(made)
    return sorted((address, developer, last[address] == developer) for address, developer in made)


def split_mailboxes(session: Session, organization_id: str) -> tuple[dict[str, str], dict[str, str | None]]:
    """The developer of names first used after a split, by mailbox; and the addresses that a split left behind.

    A mailbox follows the first of its addresses that was split off from the place of a new name. None stands for the
    place where an address was found.
    """
    rows = session.execute(
        select(
            IdentityPart.part_id, IdentityPart.email, IdentityPart.is_left, IdentityDecision.new_developer_id,
        )
        .join_from(IdentityDecision, IdentityPart, IdentityPart.decision_id == IdentityDecision.id)
        .where(*holding(organization_id, DecisionKind.SPLIT))
        # The remaining addresses stay where they were before the split.
        .order_by(IdentityDecision.at, IdentityDecision.id, IdentityPart.is_left.desc(), IdentityPart.part_id)
    )  # fmt: skip
    mailboxes: dict[str, str] = {}
    held: dict[str, str | None] = {}
    left: set[str] = set()
    for address, email, is_left, developer in rows:
        mailbox = mailbox_id(organization_id, email or "")
        before = held.setdefault(address, mailboxes.get(mailbox))
        if is_left:
            left.add(address)
        elif developer is not None:
            if is_left is not None and email and before == mailboxes.get(mailbox):
                mailboxes[mailbox] = developer
            held[address] = developer
    return mailboxes, {address: held[address] for address in sorted(left)}


def active_pairs(session: Session, organization_id: str, kind: DecisionKind) -> list[tuple[str, str]]:
    """Decision and developer, for each developer of each merge or dismissal in force."""
    rows = session.execute(
        select(IdentityPart.decision_id, IdentityPart.part_id)
        .join_from(IdentityDecision, IdentityPart, IdentityPart.decision_id == IdentityDecision.id)
        .where(*holding(organization_id, kind))
    )
    return sorted((decision, developer) for decision, developer in rows)


def mailbox_id(organization_id: str, email: str) -> str:
    """The id of an address without a name."""
    return str(uuid.uuid5(uuid.UUID(organization_id), f"mailbox:{email.strip().lower()}"))


def identity_rows(session: Session, organization_id: str) -> dict[str, list[dict[str, Any]]]:
    """Rows of the raw tables about identities, sorted."""
    own: dict[str, Any] = {"organization_id": organization_id}
    attributes = ordered(
        session,
        DeveloperAttribute,
        organization_id,
        DeveloperAttribute.developer_id,
        DeveloperAttribute.attribute,
    )
    # Only a verified address belongs to a member: anybody can sign up with a colleague's address.
    emails = session.scalars(
        select(Account.email_key)
        .join(Member, Member.account_id == Account.id)
        .where(
            Member.organization_id == organization_id,
            or_(Account.verified_at.is_not(None), vouched(organization_id)),
        )
    )
    splits = active_splits(session, organization_id)
    taken, left = split_mailboxes(session, organization_id)
    named = {(address, developer) for address, developer, _ in splits}
    stayed = [
        (address, developer, True) for address, developer in left.items() if (address, developer) not in named
    ]
    mailboxes = sorted(mailbox_id(organization_id, email) for email in emails)
    return {
        "identity_merges": [
            own | {"merge_id": merge, "developer_id": developer}
            for merge, developer in active_pairs(session, organization_id, DecisionKind.MERGE)
        ],
        "identity_splits": [
            own | {"address_id": address, "developer_id": developer, "is_last": is_last}
            for address, developer, is_last in [*splits, *stayed]
        ],
        "mailbox_splits": [
            own | {"mailbox_id": mailbox, "developer_id": developer}
            for mailbox, developer in sorted(taken.items())
        ],
        "suggestion_dismissals": [
            own | {"dismissal_id": dismissal, "developer_id": developer}
            for dismissal, developer in active_pairs(session, organization_id, DecisionKind.DISMISSAL)
        ],
        "developer_attributes": [
            own | {"developer_id": row.developer_id, "attribute": row.attribute, "value": row.value}
            for row in attributes
        ],
        "member_mailboxes": [own | {"mailbox_id": mailbox} for mailbox in mailboxes],
    }


def holding(organization_id: str, kind: DecisionKind) -> tuple[ColumnElement[bool], ...]:
    """The condition for decisions of a kind that are in force."""
    return (
        IdentityDecision.organization_id == organization_id,
        IdentityDecision.kind == kind,
        IdentityDecision.undone_at.is_(None),
    )
