"""Which sessions an organization accepts, by the way in which they began.

A rule of an organization binds access to that organization alone: an account may have other organizations, so no rule
keeps anybody from signing in. Owners are exempt, so that a provider that is down or set up wrongly never shuts out
everybody. Keep out: changing the rules (identity_providers/policies.py).
"""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.control.models import Account, Member, Organization
from api.control.permissions import Role
from api.control.rights import signs_in_owners

PASSWORD = "password"
DEPLOYMENT = "deployment"
NOT_OWNERS = (
    "an admin set up this identity provider, so it does not sign in owners; sign in another way or ask another owner: "
    "an owner who names its issuer and clientId in one change allows it"
)


@dataclass(frozen=True, slots=True)
class OfferedWays:
    """The ways to sign in that the operator offers to everybody."""

    has_passwords: bool
    has_providers: bool


def locks_out(organization: Organization, ways: OfferedWays, *, has_own_provider: bool) -> bool:
    """Whether members need an identity provider to sign in to the organization, and have none."""
    if has_own_provider or (organization.has_deployment_providers and ways.has_providers):
        return False
    return (
        not ways.has_passwords or not organization.has_password_sign_in or bool(organization.provider_domains)
    )


def refusal(
    session: Session, organization: Organization, role: Role | None, email_key: str, signed_in_by: str
) -> str | None:
    """Why a session that began this way may not enter the organization; None if it may."""
    if role is Role.OWNER:
        is_own = signed_in_by == PASSWORD or signed_in_by.startswith(f"{DEPLOYMENT}:")
        return None if is_own or signs_in_owners(session, organization.id, signed_in_by) else NOT_OWNERS
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


def password_refusal(
    session: Session, id_or_slug: str, email_key: str, *, is_stranger: bool = False
) -> str | None:
    """Why an organization accepts no password for this address; None where it does, or is unknown.

    For a stranger, who has not proven anything, the answer does not tell whether the address is an owner's.
    """
    organization = find_organization(session, id_or_slug)
    if organization is None:
        return None
    role = None
    if not is_stranger:
        role = session.scalar(
            select(Member.role)
            .join(Account, Account.id == Member.account_id)
            .where(Member.organization_id == organization.id, Account.email_key == email_key)
        )
    return refusal(session, organization, Role(role) if role else None, email_key, PASSWORD)


def find_organization(session: Session, id_or_slug: str) -> Organization | None:
    """The organization of this id, else of this slug. Anything may be asked; PostgreSQL takes no NUL."""
    if not id_or_slug.isprintable():
        return None
    by_slug = select(Organization).where(Organization.slug == id_or_slug)
    return session.get(Organization, id_or_slug) or session.scalar(by_slug)
