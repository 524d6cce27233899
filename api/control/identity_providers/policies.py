"""Ways to sign in: those that an organization permits its members, and those that it offers.

Keep out: the effect on a session (accounts/sign_in_rules.py).
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from api.control.accounts.sign_in_rules import OfferedWays, find_organization, locks_out
from api.control.audit import Target, record
from api.control.errors import InvalidSetting, NotPossible
from api.control.identity_providers.kinds import checked_domains
from api.control.identity_providers.providers import MAX_DOMAINS
from api.control.identity_providers.records import ProviderRecord, record_of
from api.control.models import IdentityProvider, Organization
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.records import owned
from api.control.rights import refuse_lasting
from api.control.store import ControlStore


@dataclass(frozen=True, slots=True)
class SignInPolicy:
    """How members may sign in. Owners are exempt. Addresses of `provider_domains` need an identity provider."""

    has_password_sign_in: bool = True
    has_deployment_providers: bool = True
    provider_domains: tuple[str, ...] = ()


def policy(store: ControlStore, organization_id: str) -> SignInPolicy:
    """The policy of an organization."""
    with store.session() as session:
        return _policy(session.get_one(Organization, organization_id))


def change_policy(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    changes: dict[str, Any],
    ways: OfferedWays,
) -> SignInPolicy:
    """Change fields of the policy, named as in SignInPolicy. Applies to the next request of every session.

    Raises InvalidSetting, NotAllowed for root and a policy that accepts more, and NotPossible where members could no
    longer sign in.
    """
    if "provider_domains" in changes:
        if len(changes["provider_domains"]) > MAX_DOMAINS:
            raise InvalidSetting("providerDomains", f"at most {MAX_DOMAINS}")
        changes = {
            **changes,
            "provider_domains": checked_domains(changes["provider_domains"], "providerDomains"),
        }
    with store.allowed_write(actor, organization_id, Permission.MANAGE_IDENTITY_PROVIDERS) as session:
        row = session.get_one(Organization, organization_id)
        before, present = _state(row), _policy(row)
        for name, value in changes.items():
            setattr(row, name, value)
        after, wanted = _state(row), _policy(row)
        if after == before:
            return wanted
        if _accepts_more(wanted, present):
            refuse_lasting(actor, "loosen how members sign in")
        has_own_provider = _count(session, organization_id) > 0
        if _accepts_more(present, wanted) and locks_out(row, ways, has_own_provider=has_own_provider):
            raise NotPossible(
                "members could no longer sign in: add an identity provider (…/identityProviders) before you shut out "
                "other ways"
            )
        target = Target("organization", row.id, row.name)
        record(session, "organizations.changeSignInPolicy", target, before=before, after=after)
        return wanted


def offered(store: ControlStore, id_or_slug: str | None) -> tuple[SignInPolicy, list[ProviderRecord]]:
    """The policy and the providers of an organization. Those of an unknown one are those of one without settings."""
    with store.session() as session:
        organization = find_organization(session, id_or_slug) if id_or_slug else None
        if organization is None:
            return SignInPolicy(), []
        rows = session.scalars(
            owned(IdentityProvider, organization.id).order_by(
                func.lower(IdentityProvider.name), IdentityProvider.id
            )
        )
        return _policy(organization), [record_of(row) for row in rows]


def _accepts_more(one: SignInPolicy, other: SignInPolicy) -> bool:
    """Whether a policy accepts a sign-in that the other one refuses."""
    return (
        one.has_password_sign_in > other.has_password_sign_in
        or one.has_deployment_providers > other.has_deployment_providers
        or not set(other.provider_domains) <= set(one.provider_domains)
    )


def _count(session: Session, organization_id: str) -> int:
    statement = select(func.count()).where(IdentityProvider.organization_id == organization_id)
    return session.scalar(statement) or 0


def _policy(row: Organization) -> SignInPolicy:
    return SignInPolicy(row.has_password_sign_in, row.has_deployment_providers, tuple(row.provider_domains))


def _state(row: Organization) -> dict[str, Any]:
    return {
        "hasPasswordSignIn": row.has_password_sign_in,
        "hasDeploymentProviders": row.has_deployment_providers,
        "providerDomains": list(row.provider_domains),
    }
