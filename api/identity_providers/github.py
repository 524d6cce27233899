"""GitHub and GitHub Enterprise Server: OAuth 2 without ID tokens, and a call that lists verified addresses.

Keep out: OpenID Connect (openid_connect.py).
"""

from collections.abc import Mapping
from typing import Any

from api.control.identity_providers.flows import FlowSecrets
from api.control.identity_providers.joining import Identity
from api.control.identity_providers.kinds import DEFAULT_ISSUERS, ProviderKind
from api.control.identity_providers.unverified import WithoutAddress
from api.identity_providers.failures import FailureKind, ProviderWrong, asking
from api.identity_providers.metadata import Issuers
from api.identity_providers.openid_connect import request_address, token_answer
from api.identity_providers.providers import SignInProvider
from ingest.probe import Reach, identity_requests

SCOPE = "read:user user:email"
VERSION = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
NO_SCOPE = (
    "does not let this service read your e-mail addresses; its administrator has to grant the scope user:email, or to "
    "a GitHub App the permission to read e-mail addresses"
)
# Nobody reads mail there.
NOREPLY = "@users.noreply."
NO_ADDRESS = "lists no e-mail address that you verified there; verify one in its settings, and sign in again"


def authorization_address(provider: SignInProvider, redirect: str, secrets: FlowSecrets) -> str:
    """The address of GitHub's sign-in page for a flow."""
    return request_address(provider, f"{provider.issuer}/login/oauth/authorize", SCOPE, redirect, secrets)


def identity(
    issuers: Issuers,
    provider: SignInProvider,
    redirect: str,
    secrets: FlowSecrets,
    code: str,
    named_issuer: str | None,
) -> Identity:
    """The identity behind a code. Its issuer is the address of GitHub, its subject the number of the user.

    Raises SignInFailed.
    """
    if named_issuer is not None and named_issuer.rstrip("/") not in (
        provider.issuer,
        f"{provider.issuer}/login/oauth",
    ):
        raise ProviderWrong(
            f"another provider than {provider.name} answered; begin again at the sign-in page"
        )
    reach = issuers.reach(provider)
    endpoint = f"{provider.issuer}/login/oauth/access_token"
    answer = token_answer(provider, reach, endpoint, "client_secret_post", redirect, secrets, code)
    access = answer.get("access_token")
    if not isinstance(access, str) or not access.isascii() or not access.isprintable():
        raise ProviderWrong(f"{provider.name} sent no access token")
    headers = {"Authorization": f"Bearer {access}", **VERSION}
    with asking(provider.name):
        user = identity_requests(reach).get(f"{interface(provider.issuer)}/user", headers)
    listed = _addresses(provider, reach, headers)
    number = user.get("id") if isinstance(user, dict) else None
    if not isinstance(number, int) or isinstance(number, bool):
        raise ProviderWrong(f"{provider.name} does not say who signed in")
    name = user.get("name") or user.get("login")
    addresses = verified_addresses(listed)
    return Identity(
        provider.issuer,
        str(number),
        name if isinstance(name, str) else "",
        addresses,
        None if addresses else WithoutAddress(f"{provider.name} {NO_ADDRESS}"),
    )


def _addresses(provider: SignInProvider, reach: Reach | None, headers: Mapping[str, str]) -> Any:
    """The answer of `GET /user/emails`. Raises SignInFailed, which names the scope where that is missing."""
    try:
        with asking(provider.name):
            return identity_requests(reach).get(
                f"{interface(provider.issuer)}/user/emails?per_page=100", headers
            )
    except ProviderWrong as error:
        raise ProviderWrong(f"{provider.name} {NO_SCOPE}", FailureKind.MISSING_CLAIM, error.detail) from None


def interface(issuer: str) -> str:
    """The address of the REST interface of a GitHub."""
    if issuer == DEFAULT_ISSUERS[ProviderKind.GITHUB]:
        return "https://api.github.com"
    return f"{issuer}/api/v3"


def verified_addresses(listed: Any) -> tuple[str, ...]:
    """The verified addresses of `GET /user/emails`, the primary one first."""
    found = [
        one
        for one in (listed if isinstance(listed, list) else [])
        if isinstance(one, dict)
        and isinstance(one.get("email"), str)
        and one.get("verified") is True
        and NOREPLY not in one["email"].lower()
    ]
    return tuple(one["email"] for one in sorted(found, key=lambda one: one.get("primary") is not True))
