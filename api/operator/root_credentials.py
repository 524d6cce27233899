"""Credentials of root logins: signed texts that work once, for one deployment, for at most ten minutes.

Claims: `iss` (who signs in), `type` ("root_login"), `id` (unique), `aud` (address of the application), `iat`, `nbf` and
`exp`. All are required. Keep out: which ids were used (accounts/root_logins.py), HTTP (api/web/sessions).
"""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

from api.operator.settings import RootSigner
from api.operator.signatures import ALGORITHMS, BadSignature, instant_claim, public_key, signed_claims

TYPE = "root_login"
LIFETIME = timedelta(minutes=10)
# The clock of the signing machine may be ahead by so much. A credential ends at `exp` by the clock of the service.
MAX_SKEW = timedelta(seconds=30)
# Both together, with words around them, fit the name of an actor in the audit log.
MAX_ISSUER_LENGTH = 100
# Marks a private key, so that it is recognized where a public key is expected.
PRIVATE_PREFIX = "private_root_key_"
MAX_ID_LENGTH = 100


@dataclass(frozen=True, slots=True)
class RootCredential:
    """A verified credential. `key` is the public key that signed it."""

    issuer: str
    id: str
    key: str
    signer: RootSigner
    expires_at: datetime


class BadCredential(Exception):
    """The text signs nobody in. The reason is for the operator's log alone; it repeats nothing of the text."""


def read_credential(
    token: str, *, keys: Mapping[str, RootSigner], audience: str, now: datetime
) -> RootCredential:
    """The credential of a text, whether it was used or not. Raises BadCredential."""
    key, claims = _signed_by(token, keys)
    if claims.get("type") != TYPE:
        raise BadCredential(f"it is no credential of a root login: its `type` is not {TYPE}")
    issuer = _text(claims, "iss", MAX_ISSUER_LENGTH)
    identifier = _text(claims, "id", MAX_ID_LENGTH)
    aimed = claims.get("aud")
    if not isinstance(aimed, str) or aimed.rstrip("/") != audience.rstrip("/"):
        raise BadCredential("its `aud` is not the address of this application (EAS_APP_URL)")
    try:
        issued, starts, ends = (instant_claim(claims, name) for name in ("iat", "nbf", "exp"))
    except ValueError as error:
        raise BadCredential("its `iat`, `nbf` or `exp` is missing or no time") from error
    if not timedelta(0) < ends - issued <= LIFETIME:
        raise BadCredential("it lives longer than ten minutes, or ends before it was made")
    if max(issued, starts) > now + MAX_SKEW:
        raise BadCredential("it is not valid yet; compare the clocks of both machines")
    if ends <= now:
        raise BadCredential("it has expired; compare the clocks of both machines if it is new")
    return RootCredential(issuer, identifier, key, keys[key], ends)


def sign_credential(key: OKPKey, *, issuer: str, audience: str, now: datetime) -> str:
    """A new credential, valid from now on for ten minutes."""
    at = int(now.timestamp())
    claims = {
        "iss": issuer,
        "type": TYPE,
        "id": secrets.token_hex(16),
        "aud": audience.rstrip("/"),
        "iat": at,
        "nbf": at,
        "exp": at + int(LIFETIME.total_seconds()),
    }
    return jws.serialize_compact({"alg": "Ed25519"}, json.dumps(claims), key, algorithms=list(ALGORITHMS))


def new_private_key() -> str:
    """A new private key: a prefix, and its 32 bytes in Base64url, the form of `d` in RFC 8037."""
    return PRIVATE_PREFIX + str(OKPKey.generate_key("Ed25519").as_dict(private=True)["d"])


def private_key(text: str) -> OKPKey:
    """A private key as `new_private_key` makes it, or in PEM. Raises ValueError, without the text."""
    text = text.strip()
    try:
        if text.startswith("-----BEGIN"):
            found = OKPKey.import_key(text)
        elif not text.startswith(PRIVATE_PREFIX):
            raise ValueError("no prefix")
        else:
            text = text.removeprefix(PRIVATE_PREFIX)
            own = base64.b64decode(f"{text}=", altchars=b"-_", validate=True)
            public = Ed25519PrivateKey.from_private_bytes(own).public_key().public_bytes_raw()
            x = base64.urlsafe_b64encode(public).decode().rstrip("=")
            found = OKPKey.import_key({"kty": "OKP", "crv": "Ed25519", "d": text, "x": x})
        if found.is_private and found.as_dict(private=False)["crv"] == "Ed25519":
            return found
    except (JoseError, ValueError, TypeError, KeyError):
        pass
    raise ValueError("this is no private key of `eas root-login new-key`")


def public_part(key: OKPKey) -> str:
    """The public key of a private one, as settings have it."""
    return str(key.as_dict(private=False)["x"])


def _signed_by(token: str, keys: Mapping[str, RootSigner]) -> tuple[str, Mapping[str, Any]]:
    for key in keys:
        try:
            return key, signed_claims(token, [public_key(key)])
        except BadSignature:
            continue
    raise BadCredential(
        "no key that may sign for this deployment signed it; `eas doctor` names those that may"
        if keys
        else "no key may sign in as root; set EAS_ADMINISTRATOR_KEY"
    )


def _text(claims: Mapping[str, Any], name: str, max_length: int) -> str:
    value = claims.get(name)
    if not isinstance(value, str) or not value.strip() or len(value) > max_length or not value.isprintable():
        raise BadCredential(f"its `{name}` is missing, too long or has control characters")
    return value.strip()
