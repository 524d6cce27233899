"""Verified addresses of members decide which equal names are joined, so a change of them recalculates figures.

Keep out: memberships (members.py), verifying an address (verification.py), the rows of the warehouse
(snapshot/identities.py).
"""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.control.models import Account, Member, Organization
from api.control.operations import operations


def note_verified(session: Session, now: datetime, account: Account) -> None:
    """Mark the account's address as verified, and tell the outbox of every organization of the account.

    The transaction must be a `write_transaction`; it becomes one of each of these organizations.
    """
    if account.verified_at is not None:
        return
    account.verified_at = now
    of_account = select(Member.organization_id).where(Member.account_id == account.id)
    organizations = session.scalars(
        select(Organization.id)
        .where(Organization.id.in_(of_account))
        .order_by(Organization.id)
        .with_for_update()
    ).all()
    for organization_id in organizations:
        _note(session, now, organization_id, account)


def note_vouched(session: Session, now: datetime, organization_id: str, account: Account) -> None:
    """Tell the outbox that a provider of the organization vouches for a member's unverified address.

    The transaction must be a `write_transaction`; it becomes one of the organization.
    """
    if account.verified_at is None and session.get(Member, (organization_id, account.id)) is not None:
        session.execute(select(Organization.id).where(Organization.id == organization_id).with_for_update())
        _note(session, now, organization_id, account)


def _note(session: Session, now: datetime, organization_id: str, account: Account) -> None:
    target = ("member", account.id, account.email)
    operations.append(session, now, organization_id, action="members.verifyEmail", target=target)
