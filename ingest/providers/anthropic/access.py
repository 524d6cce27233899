"""Access to Anthropic's interface for organizations: login, refusals, the account.

Read in Anthropic's documentation and package: keys of organizations begin with `sk-ant-admin`; a key of an individual
account has no organization. Errors name their kind in `error.type`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ingest.connections.model import Connection, other_system
from ingest.connections.values import number, text
from ingest.errors import ProviderRefused, Refusal
from ingest.http.answers import Answer
from ingest.http.client import Client, Login
from ingest.http.rate_limits import RateLimits
from ingest.json_paths import at

ADDRESS = "https://api.anthropic.com"
VERSION = "2023-06-01"
ME = "v1/organizations/me"
LACKING = frozenset({Refusal.NOT_FOUND, Refusal.FORBIDDEN})
"""Refusals of what a key may not read, or of what the organization has not."""
ADMIN_PREFIX, ORDINARY_PREFIX = "sk-ant-admin", "sk-ant-api"


def _refusal(answer: Answer) -> ProviderRefused | None:
    kind = at(answer.body, ("error", "type"))
    if answer.status == 401 or kind == "authentication_error":
        return ProviderRefused(
            Refusal.UNAUTHORIZED,
            "Anthropic does not accept the key: create a new Admin key in the Console, and paste it alone.",
        )
    if answer.status == 403 or kind == "permission_error":
        return ProviderRefused(
            Refusal.FORBIDDEN,
            "Anthropic refuses the key this report: an Admin key needs the role of an admin, and an Analytics key the"
            " scope read:analytics.",
        )
    return None


RATE_LIMITS = RateLimits(refusal=_refusal)


def login(connection: Connection, beta: str | None = None) -> Login:
    """The login with a key of an organization."""
    key = connection.secret.strip()
    headers = {"x-api-key": key, "anthropic-version": VERSION}
    if beta is not None:
        headers["anthropic-beta"] = beta
    return Login(connection.address, headers, (key,))


def refuse_ordinary_key(connection: Connection) -> None:
    """Raise ProviderRefused for a key that calls models and reads no report."""
    if connection.secret.strip().startswith(ORDINARY_PREFIX):
        raise ProviderRefused(
            Refusal.MISSING_SCOPE,
            f"This is an ordinary API key: reports need an Admin key, which begins with {ADMIN_PREFIX}.",
        )


def organization_of(client: Client, connection: Connection, title: str) -> str:
    """The name of the organization of a key. Raises ProviderRefused."""
    refuse_ordinary_key(connection)
    try:
        body = client.get(ME).body
    except ProviderRefused as refused:
        if refused.refusal is not Refusal.NOT_FOUND:
            raise
        raise ProviderRefused(
            Refusal.NOT_FOUND,
            "Anthropic knows no organization of this key: accounts of individuals have no reports.",
            refused.status,
        ) from refused
    name = text(at(body, ("name",))) or text(at(body, ("id",)))
    if name is None:
        raise other_system(title, connection.address)
    return name


def organization_id(client: Client) -> str | None:
    """The id of the organization of a key; None where the key may not ask for it, such as one for analytics alone."""
    try:
        return text(at(client.get(ME).body, ("id",)))
    except ProviderRefused as refused:
        if refused.refusal not in LACKING:
            raise
        return None


def counted(tools: Mapping[str, Any], *names: str) -> int:
    """The number of edits that people accepted or rejected, over the tools that make them."""
    values = (one.get(name) for one in tools.values() for name in names)
    return sum(number(value) or 0 for value in values)
