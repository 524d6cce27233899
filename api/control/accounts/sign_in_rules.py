"""Which sessions an organization accepts, by the way in which they began.

A rule of an organization binds access to that organization alone: an account may have other organizations. Owners are
exempt, so that a provider that is down or set up wrongly never shuts out everybody. Keep out: changing the rules
(identity_providers/policies.py).
"""

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.control.models import Account, Member, Organization
from api.control.permissions import Role

PASSWORD = "password"
DEPLOYMENT = "deployment"


def refusal(organization: Organization, role: Role | None, email_key: str, signed_in_by: str) -> str | None:
    """Why a session that began this way may not enter the organization; None if it may."""
    if role is Role.OWNER:
        return None
    if signed_in_by == PASSWORD:
        domain = email_key.rpartition("@")[2]
        if organization.has_password_sign_in and domain not in organization.provider_domains:
            return None
        what = "a password for this address"
    elif signed_in_by.startswith(f"{DEPLOYMENT}:") and not organization.has_deployment_providers:
        what = "this identity provider"
    else:
        return None
    return (
        f"{organization.name} does not accept {what}; sign in with one of its identity providers "
        f"(GET /auth/options?organization={organization.slug})"
    )


def password_refusal(session: Session, account: Account) -> str | None:
    """Why a password of this account would open nothing; None where it opens something."""
    if account.is_platform_administrator:
        return None
    reasons = [
        refusal(organization, Role(role), account.email_key, PASSWORD)
        for organization, role in session.execute(
            select(Organization, Member.role)
            .join(Member, Member.organization_id == Organization.id)
            .where(Member.account_id == account.id)
            .order_by(Member.joined_at, Organization.id)
        )
    ]
    return reasons[0] if reasons and all(reasons) else None


def password_refusal_in(session: Session, id_or_slug: str, email_key: str) -> str | None:
    """Why an organization accepts no password for this address; None where it does, or is unknown."""
    organization = find_organization(session, id_or_slug)
    if organization is None:
        return None
    role = session.scalar(
        select(Member.role)
        .join(Account, Account.id == Member.account_id)
        .where(Member.organization_id == organization.id, Account.email_key == email_key)
    )
    return refusal(organization, Role(role) if role else None, email_key, PASSWORD)


def find_organization(session: Session, id_or_slug: str) -> Organization | None:
    """The organization of this id, else of this slug. Anything may be asked; PostgreSQL takes no NUL."""
    if not id_or_slug.isprintable():
        return None
    by_slug = select(Organization).where(Organization.slug == id_or_slug)
    return session.get(Organization, id_or_slug) or session.scalar(by_slug)
