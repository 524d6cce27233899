"""Refusals of providers: the reason that a status stands for, and their own words.

Keep out: errors of GraphQL (`graphql_errors`), what happens then (`client`).
"""

from __future__ import annotations

from typing import Any

from ingest.errors import Refusal

BY_STATUS = {
    401: Refusal.UNAUTHORIZED,
    402: Refusal.PLAN_REQUIRED,
    403: Refusal.FORBIDDEN,
    404: Refusal.NOT_FOUND,
    410: Refusal.GONE,
}
_WORDS = ("error_description", "message", "error", "errorMessages", "errors", "title")


def said(body: Any) -> str:
    """The provider's own words in the body of a refusal."""
    if not isinstance(body, dict):
        return ""
    found = next((body[word] for word in _WORDS if body.get(word)), "")
    return "; ".join(map(_words, found[:3])) if isinstance(found, list) else _words(found)


def _words(found: Any) -> str:
    found = (found.get("message") or "") if isinstance(found, dict) else found
    return found if isinstance(found, str) else repr(found)
