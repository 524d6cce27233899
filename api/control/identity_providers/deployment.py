"""The identity providers of the deployment, which are environment variables. Every process reads them when it starts.

Keep out: the providers of organizations (providers.py), signing in (api/identity_providers).
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from api.control.errors import InvalidSetting
from api.control.identity_providers.kinds import TITLES, ProviderKind, checked_issuer, checked_secret
from api.operator.environment import StartRefused, value_of
from api.operator.variables import SIGN_IN


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
    if not any(name.startswith(SIGN_IN) for name in known):
        return ()
    return tuple(found for kind in ProviderKind if (found := _provider(kind, known)) is not None)


def _provider(kind: ProviderKind, environment: Mapping[str, str]) -> DeploymentProvider | None:
    parts = ("CLIENT_ID", "CLIENT_SECRET", "ISSUER", "NAME")
    names = {part: f"{SIGN_IN}{kind}_{part}" for part in parts}
    given: dict[str, str] = {part: value_of(name, environment) or "" for part, name in names.items()}
    if not any(given.values()):
        return None
    for part in ("CLIENT_ID", "CLIENT_SECRET"):
        if not given[part]:
            raise StartRefused(
                names[part], f"{names[part]} is missing; set it, or unset the others of {kind}"
            )
        if not given[part].isascii():
            raise StartRefused(
                names[part], f"{names[part]} has a character that is not visible ASCII; copy it again"
            )
    checked = "ISSUER"
    try:
        issuer = checked_issuer(kind, given["ISSUER"])
        checked = "CLIENT_SECRET"
        secret = checked_secret(given["CLIENT_SECRET"])
    except InvalidSetting as error:
        what = "is malformed" if given[checked] else "is missing"
        raise StartRefused(names[checked], f"{names[checked]} {what}: {error.problem}") from None
    return DeploymentProvider(kind, given["NAME"][:255] or TITLES[kind], issuer, given["CLIENT_ID"], secret)
