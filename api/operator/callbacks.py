"""Signed requests of other systems: HMAC-SHA256 over a time and the raw body, with a shared secret.

    t=1790000000,v1=<64 hexadecimal digits>

`t` is the time of the signature in seconds since 1970, and `v1` the HMAC of `<t>.<body>`; there may be several `v1`.
Keep out: the meaning of a body.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Sequence
from datetime import datetime

# Enough for a slow network and clocks that differ; a copied request is worthless afterwards.
MAX_AGE_SECONDS = 300
WRONG_SECRET = "no known secret signed this body"
HEADER = re.compile(r"t=(?P<t>[0-9]{1,12})(?P<signatures>(?:,v1=[0-9a-f]{64}){1,5})")


class BadCallback(Exception):
    """The signature is missing, wrong or too old. The message names no secret."""


def sign(secret: str, at: int, body: bytes) -> str:
    """The signature of a body at a time in seconds since 1970: 64 hexadecimal digits."""
    return hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()


def verify(header: str, body: bytes, secrets: Sequence[str], now: datetime) -> None:
    """Raise BadCallback unless one of the secrets signed this body within MAX_AGE_SECONDS of `now`."""
    found = HEADER.fullmatch(header)
    if found is None:
        raise BadCallback("the header has not the form t=<seconds since 1970>,v1=<64 hexadecimal digits>")
    at = int(found["t"])
    given = [one.removeprefix("v1=") for one in found["signatures"].split(",") if one]
    # Every pair is compared, so that the time of an answer tells nothing about a secret.
    matches = [hmac.compare_digest(sign(secret, at, body), one) for secret in secrets for one in given]
    if not any(matches):
        raise BadCallback(WRONG_SECRET)
    if abs(now.timestamp() - at) > MAX_AGE_SECONDS:
        raise BadCallback(
            f"the signature is more than {MAX_AGE_SECONDS // 60} minutes away from this clock "
            f"({now:%Y-%m-%dT%H:%M:%SZ}); sign again, and look at both clocks"
        )
