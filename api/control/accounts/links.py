"""Mailed links that work once. The database keeps the hash of each secret until it is used.

Keep out: the effect of a link (accounts.py), addresses and texts (api/mail).
"""

import secrets
from datetime import timedelta
from enum import StrEnum

from sqlalchemy import and_, delete, select
from sqlalchemy.orm import Session

from api.control.errors import NotPossible
from api.control.issued_tokens import key_hash
from api.control.models import Account, Link
from api.control.store import ControlStore


class Purpose(StrEnum):
    """The purpose of a link. A link works for no other purpose."""

    PASSWORD_RESET = "password_reset"
    VERIFICATION = "verification"
    LOCAL = "local"
    """Of a link that no mail has: the service prints it where it starts."""


LIFETIMES = {
    Purpose.PASSWORD_RESET: timedelta(hours=1),
    Purpose.VERIFICATION: timedelta(days=3),
    Purpose.LOCAL: timedelta(hours=1),
}


def make_link(store: ControlStore, purpose: Purpose, account_id: str, email_key: str) -> str:
    """A new secret for an account, for a mail to this address only. Earlier links stay valid until they expire."""
    secret = secrets.token_urlsafe(32)
    now = store.now()
    with store.session() as session:
        session.execute(delete(Link).where(Link.expires_at <= now))
        session.add(
            Link(
                key_hash=key_hash(secret),
                purpose=purpose,
                account_id=account_id,
                email_key=email_key,
                expires_at=now + LIFETIMES[purpose],
            )
        )
    return secret


def find_link(store: ControlStore, session: Session, purpose: Purpose, secret: str) -> Account:
    """The account of a valid link, which stays valid. Raises NotPossible."""
    found = session.scalar(
        select(Account)
        .join(Link, and_(Link.account_id == Account.id, Link.email_key == Account.email_key))
        .where(Link.key_hash == key_hash(secret), Link.purpose == purpose, Link.expires_at > store.now())
    )
    if found is None:
        raise NotPossible("this link is unknown, used or expired; request another")
    return found


def void_links(session: Session, account_id: str, purpose: Purpose) -> None:
    """Invalidate all links of an account with this purpose."""
    session.execute(delete(Link).where(Link.account_id == account_id, Link.purpose == purpose))


def use_link(store: ControlStore, session: Session, purpose: Purpose, secret: str) -> Account:
    """The account of a link. The transaction uses up the link and all links of the same purpose.

    Raises NotPossible for an unknown, used or expired link, and for one that was sent to a former address.
    """
    account = find_link(store, session, purpose, secret)
    # Of several concurrent uses, one deletes the row.
    if not session.execute(
        delete(Link).where(Link.key_hash == key_hash(secret)).returning(Link.purpose)
    ).all():
        raise NotPossible("this link was just used; request another")
    void_links(session, account.id, purpose)
    return account
