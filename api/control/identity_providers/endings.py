"""The end of what a provider of an organization began: identities, sessions, codes and API keys.

Keep out: when it ends (providers.py), the form of domains (kinds.py).
"""

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from api.control.accounts.tokens import revoke_tokens
from api.control.models import (
    Account,
    AccountIdentity,
    ApiToken,
    IdentityProvider,
    Member,
    SignInCode,
    SignInFlow,
    SignInSession,
)
from api.control.principals import Principal
from api.control.store import ControlStore


def may_vouch(domains: tuple[str, ...], key: str) -> bool:
    """Whether a provider with these domains may vouch for the address with this key. Without domains it may for any."""
    return not domains or key.rpartition("@")[2] in domains


def forget_all(session: Session, store: ControlStore, actor: Principal, row: IdentityProvider) -> bool:
    """End all that a provider began, with the API keys that its sessions made.

    Returns whether it vouched for a member's address that nothing else verifies.
    """
    vouched = session.scalar(
        select(AccountIdentity.id)
        .join(Account, Account.id == AccountIdentity.account_id)
        .join(Member, Member.account_id == Account.id)
        .where(
            AccountIdentity.scope == row.id,
            Member.organization_id == row.organization_id,
            Account.verified_at.is_(None),
        )
        .limit(1)
    )
    session.execute(delete(AccountIdentity).where(AccountIdentity.scope == row.id))
    session.execute(delete(SignInSession).where(SignInSession.signed_in_by == row.id))
    made_by_it = ApiToken.made_by_provider == row.id
    revoke_tokens(session, store.now(), actor, row.organization_id, made_by_it)
    for table in (SignInFlow, SignInCode):
        session.execute(delete(table).where(table.provider == row.id))
    return vouched is not None


def forget_outside(session: Session, store: ControlStore, actor: Principal, row: IdentityProvider) -> bool:
    """End what a provider began for accounts with other domains than its own, with the API keys of its sessions.

    Returns whether one of these accounts is a member whose address has no other verification.
    """
    known = session.execute(
        select(Account.id, Account.email_key, Account.verified_at, Member.account_id)
        .join(AccountIdentity, AccountIdentity.account_id == Account.id)
        .outerjoin(
            Member, (Member.account_id == Account.id) & (Member.organization_id == row.organization_id)
        )
        .where(AccountIdentity.scope == row.id)
    ).all()
    outside = [one for one in known if not may_vouch(tuple(row.domains), one.email_key)]
    accounts = [one.id for one in outside]
    for statement in (
        delete(AccountIdentity).where(
            AccountIdentity.scope == row.id, AccountIdentity.account_id.in_(accounts)
        ),
        delete(SignInSession).where(
            SignInSession.signed_in_by == row.id, SignInSession.account_id.in_(accounts)
        ),
        delete(SignInCode).where(SignInCode.provider == row.id, SignInCode.account_id.in_(accounts)),
    ):
        session.execute(statement)
    theirs = ApiToken.created_by.in_(accounts)
    revoke_tokens(
        session, store.now(), actor, row.organization_id, ApiToken.made_by_provider == row.id, theirs
    )
    return any(one.verified_at is None and one[3] is not None for one in outside)
