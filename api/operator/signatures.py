"""Claims that the holder of a private key signed: compact tokens of RFC 7515 with Ed25519 (RFC 8037).

Keep out: the meaning of claims (license.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

MAX_TOKEN_BYTES = 8192
ALGORITHMS = ("Ed25519", "EdDSA")
"""The name of RFC 9864, and the one that RFC 8037 gave before it."""


class BadSignature(Exception):
    """No known key signed this text, or it is no signed text."""


def public_key(encoded: str) -> OKPKey:
    """A public key from its 32 bytes in unpadded Base64url, the form of `x` in RFC 8037. Raises ValueError."""
    try:
        return OKPKey.import_key({"kty": "OKP", "crv": "Ed25519", "x": encoded})
    except (JoseError, ValueError) as error:
        raise ValueError("give the 32 bytes of an Ed25519 public key in Base64url without padding") from error


def signed_claims(token: str, keys: Sequence[OKPKey]) -> Mapping[str, Any]:
    """The claims of a token that one of the keys signed. Raises BadSignature, without the reason."""
    if len(token) > MAX_TOKEN_BYTES:
        raise BadSignature
    for key in keys:
        try:
            payload = jws.deserialize_compact(token, key, algorithms=list(ALGORITHMS)).payload
            claims = json.loads(payload)
        except (JoseError, ValueError, TypeError, KeyError, RecursionError):
            continue
        if isinstance(claims, dict):
            return claims
    raise BadSignature


def instant_claim(claims: Mapping[str, Any], name: str) -> datetime:
    """A NumericDate of RFC 7519: seconds since 1970 in UTC. Raises ValueError."""
    value: Any = claims.get(name)
    if type(value) not in (int, float):
        raise ValueError(f"{name} is no time")
    try:
        return datetime.fromtimestamp(value, UTC)
    except (OverflowError, OSError, ValueError) as error:
        raise ValueError(f"{name} is no time") from error
