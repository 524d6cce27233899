"""Limits of an account with an unverified address: it may leave nothing behind for the owner of the address.

Anybody can sign up with an address that is not theirs. Keep out: verifying an address (verification.py), its meaning
for figures (member_mailboxes.py).
"""

from sqlalchemy.orm import Session

from api.control.errors import NotPossible
from api.control.models import Account
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
