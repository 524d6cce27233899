"""ID tokens: signature, issuer, audience, times and nonce (OpenID Connect Core 1.0, section 3.1.3.7).

Keep out: fetching keys (metadata.py), the meaning of addresses (addresses.py).
"""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from authlib.oidc.core import CodeIDToken
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from api.identity_providers.failures import BadIdToken
from api.identity_providers.metadata import TENANT, Issuers, Metadata
from api.identity_providers.providers import SignInProvider

# Only signatures by keys of the provider: `none` has none, and HS256 would be made with a text that others know.
ALGORITHMS = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
    "Ed25519",
)
SKEW_SECONDS = 60
"""Clocks may differ by this much."""
MAX_AGE_SECONDS = 600
"""A token is made during the sign-in, which takes at most that long."""
MAX_LENGTH = 65_536
_TENANT_ID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def verified_claims(
    issuers: Issuers,
    provider: SignInProvider,
    metadata: Metadata,
    token: object,
    nonce: str,
    access_token: str | None,
    now: datetime,
) -> Mapping[str, Any]:
    """The claims of an ID token. Raises BadIdToken, whose message names the check that failed."""
    if not isinstance(token, str) or len(token) > MAX_LENGTH:
        raise BadIdToken(f"{provider.name} sent no ID token")
    header = _header(provider, token)
    kid, algorithm = header.get("kid"), header.get("alg")
    if algorithm not in ALGORITHMS:
        raise BadIdToken(f"{provider.name} signed the ID token in a way that is not accepted")

    def has_key(keys: KeySet) -> bool:
        return kid is None or any(key.kid == kid for key in keys.keys)

    keys, raw = issuers.keys(provider, has=has_key)
    if not has_key(keys):
        raise BadIdToken(f"{provider.name} signed the ID token with a key that it does not list")
    claims = _signed(provider, token, str(algorithm), keys, kid)
    issuer = _issuer(metadata, claims)
    _refuse_foreign_key(provider, metadata, raw, kid, issuer)
    checked = CodeIDToken(
        claims,
        {**header},
        {
            "iss": {"essential": True, "value": issuer},
            "aud": {"essential": True, "value": provider.client_id},
            "sub": {"essential": True},
        },
        {"nonce": nonce, "client_id": provider.client_id, "access_token": access_token},
    )
    try:
        checked.validate(now=int(now.timestamp()), leeway=SKEW_SECONDS)
    except JoseError as error:
        claim = getattr(error, "claim", None) or "exp"
        raise BadIdToken(
            f"{provider.name} sent an ID token whose {_known(claim)} is not as it must be; begin again, and check the "
            "clocks if this stays"
        ) from None
    except (TypeError, ValueError, AttributeError):
        raise BadIdToken(f"{provider.name} sent a malformed ID token") from None
    _refuse_old(provider, claims, now)
    if not isinstance(claims["sub"], str) or not claims["sub"]:
        raise BadIdToken(f"{provider.name} sent an ID token whose sub is not as it must be")
    return claims


def _header(provider: SignInProvider, token: str) -> Mapping[str, Any]:
    try:
        header = jws.extract_compact(token.encode("ascii")).headers()
    except (JoseError, ValueError, KeyError, TypeError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise BadIdToken(f"{provider.name} sent a malformed ID token")
    return header


def _signed(
    provider: SignInProvider, token: str, algorithm: str, keys: KeySet, kid: object
) -> dict[str, Any]:
    """The claims of a token that one of the keys signed."""
    wanted = [key for key in keys.keys if kid is None or key.kid == kid]
    for key in wanted:
        try:
            content = jws.deserialize_compact(token, key, algorithms=[algorithm]).payload
            claims = json.loads(content)
        except (JoseError, ValueError, TypeError, RecursionError):
            continue
        if isinstance(claims, dict):
            return claims
    raise BadIdToken(f"the signature of {provider.name}'s ID token is wrong")


def _issuer(metadata: Metadata, claims: Mapping[str, Any]) -> str:
    """The issuer that a token must name: of several tenants, the one that it says to be of."""
    if TENANT not in metadata.issuer:
        return metadata.issuer
    tenant = claims.get("tid")
    is_id = isinstance(tenant, str) and _TENANT_ID.fullmatch(tenant)
    return metadata.issuer.replace(TENANT, tenant) if is_id and isinstance(tenant, str) else ""


def _refuse_foreign_key(
    provider: SignInProvider, metadata: Metadata, raw: list[dict[str, Any]], kid: object, issuer: str
) -> None:
    """Raise BadIdToken for a key that signs for another tenant. Microsoft names the issuer of each key."""
    if TENANT not in metadata.issuer:
        return
    if not issuer:
        raise BadIdToken(f"{provider.name} sent an ID token whose tid is not as it must be")
    for one in raw:
        if one.get("kid") == kid and one.get("issuer") not in (None, metadata.issuer, issuer):
            raise BadIdToken(f"{provider.name} signed the ID token with a key of another tenant")


def _refuse_old(provider: SignInProvider, claims: Mapping[str, Any], now: datetime) -> None:
    issued = claims["iat"]
    if isinstance(issued, bool) or not isinstance(issued, int | float):
        raise BadIdToken(f"{provider.name} sent an ID token whose iat is not as it must be")
    if not now.timestamp() - MAX_AGE_SECONDS - SKEW_SECONDS <= issued <= now.timestamp() + SKEW_SECONDS:
        raise BadIdToken(
            f"{provider.name} sent an ID token whose iat is not as it must be; begin again, and check the clocks if "
            "this stays"
        )


def _known(claim: object) -> str:
    """The name of a claim, if it is one that is checked: others are the provider's words."""
    known = ("iss", "sub", "aud", "exp", "nbf", "iat", "auth_time", "nonce", "amr", "azp", "at_hash")
    return str(claim) if claim in known else "content"
