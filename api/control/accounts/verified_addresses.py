"""Effects of verified addresses: an account without one leaves nothing behind, and equal names are joined by them.

Anybody can sign up with an address that is not theirs. A change of verified addresses recalculates figures. Keep out:
verifying an address (verification.py), memberships (members.py), the rows of the warehouse (snapshot/identities.py).
"""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.control.errors import NotPossible
from api.control.models import Account, Member, Organization
from api.control.operations import operations
from api.control.principals import Principal
from api.control.visibility import is_vouched
from api.operator.settings import DeploymentKind, operator_settings


def refuse_unverified(session: Session, actor: Principal, what: str) -> None:
    """Raises NotPossible for an account with an unverified address. An operator's key has none."""
    if actor.account_id is None:
        return
    account = session.get_one(Account, actor.account_id)
    if account.verified_at is None and account.password_hash is None:
        # Made by an organization's provider: nothing mails a link, and no session may ask for one.
        raise NotPossible(
            f"only an organization's own identity provider says that {account.email} is yours; before you {what}, "
            "reset its password by mail or sign in once with a provider of the deployment (GET /auth/options lists "
            "what there is), or ask an owner or admin whose address is verified"
        )
    if account.verified_at is None:
        raise NotPossible(
            f"your own address is not verified; before you {what}, open the link in the mail to {account.email}, or "
            "request another with POST /auth/requestEmailVerification"
        )


def refuse_leaving_behind(
    session: Session, actor: Principal, what: str, *, within: str | None = None
) -> None:
    """Raises NotPossible for an account with an unverified address: `what` would outlast a reset of its password.

    `within` an organization the word of one of its own providers is enough. A local deployment that sends no mails asks
    for nothing, because nobody would get the link.
    """
    settings = operator_settings()
    if settings.deployment is DeploymentKind.LOCAL and not settings.sends_mails:
        return
    if within is None or actor.account_id is None or not is_vouched(session, within, actor.account_id):
        refuse_unverified(session, actor, what)


def is_of_somebody(account: Account) -> bool:
    """Whether a person can sign in to the account itself. Else only an organization ever vouched for its address."""
    return account.verified_at is not None or account.password_hash is not None


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
