"""A provider as a sign-in needs it.

Keep out: where providers are set (control/identity_providers), requests (openid_connect.py, github.py).
"""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from api.control.identity_providers.deployment import DeploymentProvider
from api.control.identity_providers.kinds import ProviderKind
from api.control.identity_providers.records import ProviderRecord, deployment_way
from api.control.identity_providers.usable import UsableProvider
from api.operator.environment import StartRefused
from api.operator.variables import SIGN_IN
from ingest.probe import AddressRefused, checked_host


@dataclass(frozen=True, slots=True)
class SignInProvider:
    """A provider with its client. `id` names it in addresses; `organization` is None for one of the deployment."""

    id: str
    kind: ProviderKind
    name: str
    issuer: str
    client_id: str
    secret: str = field(repr=False)
    organization: ProviderRecord | None = None

    @property
    def signed_in_by(self) -> str:
        """The name of the provider in sessions and flows."""
        return self.organization.id if self.organization else deployment_way(self.kind)

    @property
    def client_settings(self) -> str:
        """The place of client and secret, for the operator or the administrator of the organization."""
        if self.organization is None:
            return f"{SIGN_IN}{self.kind}_CLIENT_ID and {SIGN_IN}{self.kind}_CLIENT_SECRET"
        return "clientId and clientSecret of this identity provider of the organization"


def of_organization(usable: UsableProvider) -> SignInProvider:
    """A provider that an organization added."""
    found = usable.record
    return SignInProvider(
        found.id, found.kind, found.name, found.issuer, found.client_id, usable.secret, found
    )


def of_deployment(found: DeploymentProvider) -> SignInProvider:
    """A provider of the deployment. Raises StartRefused where its issuer is an IP address in an unusual spelling."""
    try:
        checked_host(urlsplit(found.issuer).hostname or "")
    except AddressRefused as error:
        name = f"{SIGN_IN}{found.kind}_ISSUER"
        raise StartRefused(name, f"{name} is malformed: {str(error).rstrip('.')}") from None
    return SignInProvider(
        found.kind.lower(), found.kind, found.name, found.issuer, found.client_id, found.secret
    )
