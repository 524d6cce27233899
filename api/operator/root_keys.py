"""The keys that sign root logins: the service's own ones, and the form of a public key.

Keep out: which of them a deployment accepts (settings.py), signatures (signatures.py). Plain Python, as settings.py.
"""

from __future__ import annotations

import base64
import binascii

SUPPORT_KEYS: tuple[str, ...] = ("KB1uRglV6bFfyM_o-B2ui6QN5B7pho1Z2wM78G3JnWw",)
"""Public keys of the service's provider for support; others than those of licenses.

This one is a placeholder: nobody has its private key. The provider replaces it before the first release.
"""
KEY_BYTES = 32
FIELD = 2**255 - 19
SIGN_BIT = 1 << 255
# Ordinates of the points of small order on the curve of RFC 8032, section 5.1. Anybody can sign for such a key, and a
# key of zeros is one of them.
SMALL_ORDER = frozenset(
    {
        0,
        1,
        FIELD - 1,
        2707385501144840649318225287225658788936804267575313519463743609750303402022,
        55188659117513257062467267217118295137698188065244968500265048394206261417927,
    }
)


def problem_of_key(encoded: str) -> str | None:
    """The defect of a public key of an administrator, as the end of a sentence; None if the key is valid."""
    try:
        key = base64.b64decode(f"{encoded}=", altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != KEY_BYTES or base64.urlsafe_b64encode(key).decode().rstrip("=") != encoded:
        return "is no public key: it has to be 32 bytes in Base64url without padding, which are 43 characters"
    if int.from_bytes(key, "little") % SIGN_BIT % FIELD in SMALL_ORDER:
        return "is a weak key, for which anybody can sign"
    if encoded in SUPPORT_KEYS:
        return "is the key of the service's support, and has to be one of your own"
    return None
