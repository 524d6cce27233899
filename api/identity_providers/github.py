"""GitHub and GitHub Enterprise Server: OAuth 2 without ID tokens, and a call that lists verified addresses.

Keep out: OpenID Connect (openid_connect.py).
"""

from typing import Any

from api.control.identity_providers.flows import FlowSecrets
from api.control.identity_providers.joining import Identity
from api.control.identity_providers.kinds import DEFAULT_ISSUERS, ProviderKind
from api.identity_providers.failures import ProviderWrong, asking
from api.identity_providers.metadata import Issuers
from api.identity_providers.openid_connect import request_address, token_answer
from api.identity_providers.providers import SignInProvider
from ingest.probe import identity_requests

SCOPE = "read:user user:email"
VERSION = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
# Nobody reads mail there.
NOREPLY = "@users.noreply."


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
    requests, headers = identity_requests(reach), {"Authorization": f"Bearer {access}", **VERSION}
    with asking(provider.name):
        user = requests.get(f"{interface(provider.issuer)}/user", headers)
        listed = requests.get(f"{interface(provider.issuer)}/user/emails?per_page=100", headers)
    number = user.get("id") if isinstance(user, dict) else None
    if not isinstance(number, int) or isinstance(number, bool):
        raise ProviderWrong(f"{provider.name} does not say who signed in")
    name = user.get("name") or user.get("login")
    return Identity(
        provider.issuer, str(number), name if isinstance(name, str) else "", verified_addresses(listed)
    )


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
