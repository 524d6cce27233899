"""A member's verified address decides whom equal names join, so figures follow when one comes or goes.

Keep out: memberships (members.py), proving an address (accounts.py), what the warehouse sees (identity_snapshot.py).
"""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.control.models import Account, Member, Organization
from api.control.operations import operations


def note_verified(session: Session, now: datetime, account: Account) -> None:
    """Note that an account's address is proven, in the outbox of every organization that it is a member of.

    The transaction must be one of `ControlStore.write_transaction`, and is from here on one of each of these organizations.
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
        target = ("member", account.id, account.email)
        operations.append(session, now, organization_id, action="members.verifyEmail", target=target)
