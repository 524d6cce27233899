"""The owner of an address takes over an account that somebody made with it and never verified.

Keep out: the proof of the address (accounts.py, identity_providers/joining.py), which marks it as verified afterwards.
"""

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from api.control.accounts.account_names import rename
from api.control.accounts.sessions import end_sessions
from api.control.accounts.tokens import API_KEYS
from api.control.issued_tokens import SCIM_TOKENS, Record, Row, TokenKind, revoke_where
from api.control.models import Account, AccountIdentity, IdentityProvider, Link, Member
from api.control.permissions import Role
from api.control.principals import Principal
from api.control.store import ControlStore


def take_over(session: Session, store: ControlStore, row: Account, name: str) -> None:
    """Take away what anybody may have prepared: name, password, sessions, mailed links, identities, API keys and SCIM
    tokens.

    Memberships stay. Identity providers of organizations that the account owns sign in no owners until one vouches for
    them: whoever used the account could have changed any of them.
    """
    # Waits for transactions that hold the row, so that this one sees what they made.
    session.refresh(row, with_for_update=True)
    rename(session, as_principal(row), row, name)
    row.password_hash = None
    end_sessions(session, row.id)
    session.execute(delete(Link).where(Link.account_id == row.id))
    session.execute(delete(AccountIdentity).where(AccountIdentity.account_id == row.id))
    _revoke_made_by(session, store, API_KEYS, row)
    _revoke_made_by(session, store, SCIM_TOKENS, row)
    owned = select(Member.organization_id).where(Member.role == Role.OWNER, Member.account_id == row.id)
    session.execute(
        update(IdentityProvider)
        .where(IdentityProvider.organization_id.in_(owned))
        .values(signs_in_owners=False)
    )


def _revoke_made_by(
    session: Session, store: ControlStore, kind: TokenKind[Row, Record], account: Account
) -> None:
    by_it = kind.table.created_by == account.id
    for organization_id in session.scalars(select(kind.table.organization_id).where(by_it).distinct()).all():
        revoke_where(session, store.now(), kind, as_principal(account), organization_id, by_it)


def as_principal(row: Account) -> Principal:
    """The account as the actor of a change that its owner causes without a session."""
    return Principal(row.id, row.email)
