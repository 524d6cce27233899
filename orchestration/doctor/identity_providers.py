"""Findings of `eas doctor` about signing in: the identity providers of the deployment and of organizations.

No check of `eas doctor` sends a request to a provider, so none says here whether a provider answers.
"""

from __future__ import annotations

from collections.abc import Iterator

from api.control.accounts.sign_in_rules import OfferedWays
from api.control.identity_providers.dead_ends import no_way_in
from api.control.identity_providers.deployment import deployment_providers
from api.control.identity_providers.kinds import ProviderKind
from api.control.identity_providers.usable import checked_providers
from api.operator.environment import value_of
from api.operator.settings import application_address, operator_settings
from api.operator.variables import PASSWORDS
from orchestration.deployment import Deployment
from orchestration.doctor.findings import Finding


def identity_providers(_: Deployment) -> Iterator[Finding]:
    """Each identity provider of the deployment, where it describes itself, and what is to be registered there."""
    found, address = deployment_providers(), application_address()
    for one in found:
        detail = _described(one.kind, one.issuer, f"{address}/auth/callback/{one.kind.lower()}")
        yield Finding(f"Identity provider {one.name}", None, detail)
    if not found:
        yield Finding("Identity providers", None, "none of the deployment (EAS_SIGN_IN_…)")
    elif not operator_settings().has_own_address:
        yield Finding(
            "Callback addresses",
            None,
            "lead to the machine of whoever signs in: set EAS_APP_URL to the public address of the service",
            is_warning=True,
        )


def of_organizations(deployment: Deployment) -> Iterator[Finding]:
    """Each identity provider of an organization: whether its client secret can be read, and its callback address."""
    address = application_address()
    with deployment.control() as control:
        found = checked_providers(control)
    ways = OfferedWays(value_of(PASSWORDS) is not False, bool(deployment_providers()))
    if problem := no_way_in(ways, has_own_providers=bool(found)):
        yield Finding("Signing in", None if found else False, problem, is_warning=bool(found))
    for one in found:
        record, subject = one.record, f"Identity provider {one.record.name} ({one.organization_slug})"
        if one.problem is None:
            detail = _described(record.kind, record.issuer, f"{address}/auth/callback/{record.id}")
            yield Finding(subject, None, detail)
        else:
            yield Finding(subject, False, f"nobody can sign in with it: {one.problem}")


def _described(kind: ProviderKind, issuer: str, callback: str) -> str:
    # GitHub has no document about itself.
    described = (
        f"of {issuer}"
        if kind is ProviderKind.GITHUB
        else f"described at {issuer.rstrip('/')}/.well-known/openid-configuration (not asked now)"
    )
    return f"{kind.lower()}, {described}; register the callback address {callback} there"
