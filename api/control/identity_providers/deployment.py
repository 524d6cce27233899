"""The identity providers of the deployment, which are environment variables. Every process reads them when it starts.

Keep out: the providers of organizations (providers.py), signing in (api/identity_providers).
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from api.control.errors import InvalidSetting
from api.control.identity_providers.kinds import TITLES, ProviderKind, checked_issuer
from api.control.identity_providers.providers import checked_secret
from api.control.operator.settings import StartRefused

PREFIX = "EAS_SIGN_IN_"


@dataclass(frozen=True, slots=True)
class DeploymentProvider:
    """A provider of the deployment with its client."""

    kind: ProviderKind
    name: str
    issuer: str
    client_id: str
    secret: str = field(repr=False)


def deployment_providers(environment: Mapping[str, str] | None = None) -> tuple[DeploymentProvider, ...]:
    """The providers of the deployment: `EAS_SIGN_IN_<KIND>_CLIENT_ID`, `…_CLIENT_SECRET`, `…_ISSUER` and `…_NAME`.

    Raises StartRefused, which names the variable and never its value.
    """
    known = os.environ if environment is None else environment
    found = []
    for kind in ProviderKind:
        given = {
            part: known.get(f"{PREFIX}{kind}_{part}", "").strip()
            for part in ("CLIENT_ID", "CLIENT_SECRET", "ISSUER", "NAME")
        }
        if not any(given.values()):
            continue
        for part in ("CLIENT_ID", "CLIENT_SECRET"):
            if not given[part]:
                raise StartRefused(f"{PREFIX}{kind}_{part} is missing; set it, or unset the others of {kind}")
            if not given[part].isascii() or not given[part].isprintable():
                raise StartRefused(f"{PREFIX}{kind}_{part} has a character that is not visible ASCII")
        try:
            issuer = checked_issuer(kind, given["ISSUER"])
            secret = checked_secret(given["CLIENT_SECRET"])
        except InvalidSetting as error:
            raise StartRefused(f"{PREFIX}{kind}: {error}") from None
        name = given["NAME"][:255] or TITLES[kind]
        found.append(DeploymentProvider(kind, name, issuer, given["CLIENT_ID"], secret))
    return tuple(found)
