"""What `eas doctor` says about signing in: the identity providers of the deployment.

No check of `eas doctor` sends a request, so none says here whether a provider answers. Keep out: the providers of
organizations, which their admins set up.
"""

from __future__ import annotations

from collections.abc import Iterator

from api.control.identity_providers.deployment import deployment_providers
from api.control.identity_providers.kinds import ProviderKind
from api.control.operator.settings import application_address, operator_settings
from orchestration.deployment import Deployment
from orchestration.doctor.findings import Finding


def identity_providers(_: Deployment) -> Iterator[Finding]:
    """Each identity provider of the deployment, where it describes itself, and what is to be registered there."""
    found, address = deployment_providers(), application_address()
    for one in found:
        kind = one.kind.lower()
        # GitHub has no document about itself.
        described = (
            f"of {one.issuer}"
            if one.kind is ProviderKind.GITHUB
            else f"described at {one.issuer.rstrip('/')}/.well-known/openid-configuration (not asked now)"
        )
        detail = f"{kind}, {described}; register the callback address {address}/auth/callback/{kind} there"
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
