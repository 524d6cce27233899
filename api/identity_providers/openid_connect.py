"""OpenID Connect: the address to which a browser goes, and the identity behind the code that it brings back.

Keep out: checks of ID tokens (id_tokens.py), metadata (metadata.py), GitHub (github.py).
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote_plus

from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.client import OAuth2Client
from authlib.oauth2.rfc6749.parameters import prepare_token_request

from api.control.identity_providers.flows import FlowSecrets
from api.control.identity_providers.joining import Identity
from api.control.identity_providers.kinds import ProviderKind
from api.identity_providers.addresses import verified_addresses, without_address
from api.identity_providers.failures import FailureKind, ProviderWrong, asking
from api.identity_providers.id_tokens import verified_claims
from api.identity_providers.metadata import Issuers
from api.identity_providers.providers import SignInProvider
from ingest.probe import Reach, identity_requests

SCOPE = "openid email profile"
OF_THE_ADDRESS = ("email", "email_verified", "hd", "xms_edov")
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def authorization_address(
    issuers: Issuers, provider: SignInProvider, redirect: str, secrets: FlowSecrets
) -> str:
    """The address of the provider's sign-in page for a flow. Raises SignInFailed."""
    endpoint = issuers.metadata(provider).authorization_endpoint
    return request_address(provider, endpoint, SCOPE, redirect, secrets, nonce=secrets.nonce)


def request_address(
    provider: SignInProvider,
    endpoint: str,
    scope: str,
    redirect: str,
    secrets: FlowSecrets,
    **more: str,
) -> str:
    """An authorization request with PKCE (RFC 7636, S256)."""
    client = OAuth2Client(
        None, provider.client_id, scope=scope, redirect_uri=redirect, code_challenge_method="S256"
    )
    address, _ = client.create_authorization_url(
        endpoint, state=secrets.state, code_verifier=secrets.verifier, **more
    )
    return str(address)


def identity(
    issuers: Issuers,
    provider: SignInProvider,
    redirect: str,
    secrets: FlowSecrets,
    code: str,
    named_issuer: str | None,
    now: datetime,
) -> Identity:
    """The identity behind a code. `named_issuer` is the `iss` of the callback (RFC 9207). Raises SignInFailed."""
    metadata = issuers.metadata(provider)
    is_several = metadata.issuer != provider.issuer
    if (named_issuer is None and metadata.names_itself) or (
        named_issuer is not None and named_issuer != metadata.issuer and not is_several
    ):
        raise ProviderWrong(
            f"another provider than {provider.name} answered; begin again at the sign-in page"
        )
    method = "client_secret_basic" if metadata.takes_basic else "client_secret_post"
    reach = issuers.reach(provider)
    answer = token_answer(provider, reach, metadata.token_endpoint, method, redirect, secrets, code)
    access = answer.get("access_token")
    access = access if isinstance(access, str) and access.isascii() and access.isprintable() else None
    claims = verified_claims(issuers, provider, metadata, answer.get("id_token"), secrets.nonce, access, now)
    known = dict(claims)
    is_told = "email" in known and (provider.kind is ProviderKind.MICROSOFT or "email_verified" in known)
    if not is_told and metadata.userinfo_endpoint is not None and access is not None:
        user = _user(provider, reach, metadata.userinfo_endpoint, access, str(claims["sub"]))
        # An address and its verification from one place: they may be about different addresses.
        if "email" in user:
            known = {name: value for name, value in known.items() if name not in OF_THE_ADDRESS}
        known |= {name: user[name] for name in user if "email" in user or name not in OF_THE_ADDRESS}
    name = known.get("name")
    return Identity(
        str(claims["iss"]),
        str(claims["sub"]),
        name if isinstance(name, str) else "",
        verified_addresses(ProviderKind(provider.kind), provider.issuer, known),
        without_address(provider.name, ProviderKind(provider.kind), provider.issuer, known),
    )


def token_answer(
    provider: SignInProvider,
    reach: Reach | None,
    endpoint: str,
    method: str,
    redirect: str,
    secrets: FlowSecrets,
    code: str,
) -> Mapping[str, Any]:
    """The tokens that the provider gives for a code. Raises SignInFailed."""
    form = prepare_token_request(
        "authorization_code", "", redirect_uri=redirect, code=code, code_verifier=secrets.verifier
    )
    client, secret = provider.client_id, provider.secret
    if method == "client_secret_basic":
        # RFC 6749, section 2.3.1: both are encoded first.
        client, secret = quote_plus(client), quote_plus(secret)
    address, headers, body = ClientAuth(client, secret, method).prepare("POST", endpoint, dict(FORM), form)
    with asking(provider.name):
        status, answer = identity_requests(reach).post(address, body.encode(), headers)
    if status != 200 or not isinstance(answer, dict) or "error" in answer:
        said = answer.get("error") if isinstance(answer, dict) else None
        raise _token_refusal(provider, said, redirect)
    return answer


def _token_refusal(provider: SignInProvider, said: object, redirect: str) -> ProviderWrong:
    # GitHub calls a used code bad_verification_code and a wrong secret incorrect_client_credentials.
    if said in ("invalid_client", "unauthorized_client", "incorrect_client_credentials"):
        return ProviderWrong(
            f"{provider.name} does not accept this service's client and secret; ask whoever set up this provider",
            FailureKind.CLIENT_REFUSED,
            f"{provider.name} does not accept client or secret: correct {provider.client_settings}",
        )
    if said == "redirect_uri_mismatch":
        return ProviderWrong(
            f"{provider.name} does not know this service's callback address; ask whoever set up this provider",
            FailureKind.CALLBACK_UNKNOWN,
            f"{provider.name} does not know the callback address {redirect}: register it there, or correct EAS_APP_URL",
        )
    return ProviderWrong(
        f"{provider.name} does not accept the answer that your browser brought back; begin again at the sign-in page",
        FailureKind.CODE_REFUSED,
    )


def _user(
    provider: SignInProvider, reach: Reach | None, endpoint: str, access: str, subject: str
) -> Mapping[str, Any]:
    """Name and address from the provider's userinfo endpoint, of the same subject."""
    with asking(provider.name):
        found = identity_requests(reach).get(endpoint, {"Authorization": f"Bearer {access}"})
    # OpenID Connect Core 1.0, section 5.3.2: another subject is a substituted token.
    if not isinstance(found, dict) or found.get("sub") != subject:
        raise ProviderWrong(f"{provider.name} describes another person than the one who signed in")
    return {key: found[key] for key in (*OF_THE_ADDRESS, "name") if key in found}
