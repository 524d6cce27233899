"""Errors in answers of GraphQL, which providers send with status 200 as well.

Keep out: what happens then (`client`).
"""

from __future__ import annotations

import re
from typing import Any

from ingest.errors import Refusal

LIMITS = frozenset({"RATE_LIMITED", "RATE_LIMIT", "graphql_rate_limit", "RATELIMITED"})
REFUSALS = {
    "AUTHENTICATION_ERROR": Refusal.UNAUTHORIZED,
    "INSUFFICIENT_SCOPES": Refusal.MISSING_SCOPE,
    "FORBIDDEN": Refusal.FORBIDDEN,
    "NOT_FOUND": Refusal.NOT_FOUND,
}
GAVE_UP = re.compile(r"something went wrong|timeout|timed out", re.IGNORECASE)
"""Words of a provider that took too long. GitHub says so with 200 where it says 502 at other times."""


def graphql_codes(body: Any) -> set[str]:
    """Codes of the errors of an answer (`type`, or `code` among the extensions); `UNKNOWN` for one without a code."""
    errors = body.get("errors") if isinstance(body, dict) else None
    found: set[str] = set()
    for error in errors if isinstance(errors, list) else []:
        if isinstance(error, dict):
            extensions = error.get("extensions")
            inner = extensions.get("code") if isinstance(extensions, dict) else None
            codes = (error.get("type"), error.get("code"), inner)
            found |= {str(code) for code in codes if code} or {"UNKNOWN"}
    return found


def refusal_of(codes: set[str]) -> Refusal:
    """The reason that codes name."""
    return next((refusal for code, refusal in REFUSALS.items() if code in codes), Refusal.INVALID)
