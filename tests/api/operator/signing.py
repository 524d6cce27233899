"""Keys, licenses and credentials of root logins that the tests sign themselves."""

from __future__ import annotations

import base64
import itertools
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from joserfc import jws
from joserfc.jwk import OKPKey

START = datetime(2026, 1, 1, tzinfo=UTC)
END = START + timedelta(days=365)
# The names of tests contain keys, and every process of a run has to know a test by one name.
PRIVATE = "QDxHwlzQ2iTr0oEZ8bTtLrmxAt6r1MEuUlnYmWqjV3o"


def key_of(private: str) -> OKPKey:
    """The pair of a private key: 32 bytes in Base64url."""
    own = base64.urlsafe_b64decode(f"{private}=")
    public = Ed25519PrivateKey.from_private_bytes(own).public_key().public_bytes_raw()
    x = base64.urlsafe_b64encode(public).decode().rstrip("=")
    return OKPKey.import_key({"kty": "OKP", "crv": "Ed25519", "d": private, "x": x})


KEY = key_of(PRIVATE)
PUBLIC = str(KEY.as_dict(private=False)["x"])


def signed(claims: Any, key: OKPKey = KEY, **header: str) -> str:
    """A compact token. `claims` may be text."""
    text = claims if isinstance(claims, str) else json.dumps(claims)
    return jws.serialize_compact({"alg": "Ed25519"} | header, text, key, algorithms=["Ed25519", "EdDSA"])


def license_claims(**given: Any) -> dict[str, Any]:
    """Claims of a license; `given` replaces them, and None removes one."""
    claims: dict[str, Any] = {
        "type": "license",
        "licensee": "Acme",
        "nbf": int(START.timestamp()),
        "exp": int(END.timestamp()),
        "grace_days": 14,
        "limits": {"developers": 50},
    }
    return {name: value for name, value in (claims | given).items() if value is not None}


def license_of(**given: Any) -> str:
    """A license with these claims."""
    return signed(license_claims(**given))


ADDRESS = "https://eas.example"
_numbers = itertools.count()


def root_claims(now: datetime = START, **given: Any) -> dict[str, Any]:
    """Claims of a root login from `now` on, with an id of its own; `given` replaces them, and None removes one."""
    at = now.timestamp()
    claims: dict[str, Any] = {
        "iss": "ada@laptop",
        "type": "root_login",
        "id": f"login-{next(_numbers)}",
        "aud": ADDRESS,
        "iat": at,
        "nbf": at,
        "exp": at + 600,
    }
    return {name: value for name, value in (claims | given).items() if value is not None}


def root_credential(now: datetime = START, key: OKPKey = KEY, **given: Any) -> str:
    """A credential of a root login with these claims."""
    return signed(root_claims(now, **given), key)


OTHER_KEY = str(OKPKey.generate_key("Ed25519").as_dict(private=False)["x"])
"""Another public key."""
