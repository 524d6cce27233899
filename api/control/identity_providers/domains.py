"""The domains that a provider of an organization may vouch for, and the end of identities outside of them.

Keep out: the form of domains (kinds.py), the end of all identities (providers.py).
"""

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from api.control.models import (
    Account,
    AccountIdentity,
    IdentityProvider,
    Member,
    SignInCode,
    SignInSession,
)


def may_vouch(domains: tuple[str, ...], key: str) -> bool:
    """Whether a provider with these domains may vouch for the address with this key. Without domains it may for any."""
    return not domains or key.rpartition("@")[2] in domains


def forget_outside(session: Session, row: IdentityProvider) -> bool:
    """Forget the identities whose accounts have other domains than the provider's, and end what they began.

    Returns whether one is a member whose address nothing else verifies.
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
    return any(one.verified_at is None and one[3] is not None for one in outside)
