"""Access to GitLab, in the cloud and self-managed: addresses, login, limits, and the check of a token.

Git hosts and trackers can share it. Keep out: projects, merge requests, issues.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time
from typing import Any
from urllib.parse import quote

from ingest.connections.expiry import expiry_warnings
from ingest.connections.model import Checked, Connection
from ingest.connections.values import day, text
from ingest.errors import ProviderRefused, Refusal
from ingest.http import Client, Login, RateLimits
from ingest.pages import Links, at

ADDRESS = "https://gitlab.com"
NEXT = Links(keeps_address=True)
"""The next page. A server behind a proxy writes links with the address that its own setting names."""
RATE_LIMITS = RateLimits(remaining="ratelimit-remaining", reset="ratelimit-reset")


def login(connection: Connection) -> Login:
    """The login with a personal, group or project access token."""
    return Login(f"{_base(connection)}/api/v4", {"PRIVATE-TOKEN": connection.secret}, (connection.secret,))


def graphql_address(connection: Connection) -> str:
    """The GraphQL address beside the REST address."""
    return f"{_base(connection)}/api/graphql"


def check_token(client: Client, connection: Connection, needed: Sequence[str]) -> Checked:
    """Try the token. `needed` are scopes, each or an `api` token. Raises ProviderRefused, RateLimited, Transient."""
    token = _token(client, connection, needed)
    try:
        user = client.get("user").body
    except ProviderRefused as error:
        raise _explained(connection, error, needed) from error
    account = text(at(user, ("username",)))
    if account is None:
        raise ProviderRefused(
            Refusal.BAD_ADDRESS,
            f"{connection.address} answers, but not as GitLab does: enter the address of its start page.",
        )
    scopes = at(token, ("scopes",))
    missing = [scope for scope in needed if scope not in scopes] if isinstance(scopes, list) else []
    if missing and "api" not in scopes:
        raise ProviderRefused(
            Refusal.MISSING_SCOPE,
            f"The token lacks the scope {' and '.join(missing)}: create one with {' and '.join(needed)}.",
        )
    # A token ends with the start of its last day: https://docs.gitlab.com/user/profile/personal_access_tokens/
    last = day(at(token, ("expires_at",)))
    expires_at = datetime.combine(last, time(), UTC) if last else None
    return Checked(account, expires_at, expiry_warnings("GitLab", expires_at, " and ".join(needed)))


def project_path(path: str | int) -> str:
    """The path of a project or group, or its number, as one step of an address."""
    return quote(str(path), safe="")


def _token(client: Client, connection: Connection, needed: Sequence[str]) -> Any:
    try:
        return client.get("personal_access_tokens/self").body
    except ProviderRefused as error:
        # Servers before 15.5 do not know the address.
        if error.refusal is Refusal.NOT_FOUND:
            return None
        raise _explained(connection, error, needed) from error


def _explained(connection: Connection, error: ProviderRefused, needed: Sequence[str]) -> ProviderRefused:
    """The refusal as a sentence for the dialog in which the token is added."""
    said, scopes = error.message.lower(), " and ".join(needed)
    if error.refusal is Refusal.UNAUTHORIZED:
        state = "has expired" if "expired" in said else "was revoked" if "revoked" in said else "is wrong"
        refusal = Refusal.EXPIRED if "expired" in said else Refusal.UNAUTHORIZED
        message = f"GitLab does not accept the token: it {state}. Create one with {scopes}, and replace it."
    elif error.refusal is Refusal.FORBIDDEN and "scope" in said:
        refusal = Refusal.MISSING_SCOPE
        message = f"The token lacks a scope: create one with {scopes}."
    elif error.refusal is Refusal.NOT_FOUND:
        refusal = Refusal.BAD_ADDRESS
        message = f"No GitLab answers at {connection.address}: enter the address of its start page."
    else:
        return error
    return ProviderRefused(refusal, message, error.status, error.headers, error.body)


def _base(connection: Connection) -> str:
    return connection.address.removesuffix("/api/v4")
