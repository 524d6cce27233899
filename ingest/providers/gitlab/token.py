"""The check of a token of GitLab (personal, group or project), for the Git host and for the tracker.

Keep out: what a token reaches (`ingest.providers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time
from typing import Any

from ingest.connections.expiry import expiry_warnings
from ingest.connections.model import Checked, Connection, other_system
from ingest.connections.values import day, text, texts
from ingest.errors import ProviderRefused, Refusal
from ingest.http.client import Client
from ingest.json_paths import at

CONTAINED_IN = {"read_repository": "write_repository"}


def check_token(client: Client, connection: Connection, needed: Sequence[str]) -> Checked:
    """Try the token. `needed` are scopes; one for everything (`api`) is accepted with a warning.

    Raises ProviderRefused with the reason and the remedy, RateLimited, Transient.
    """
    try:
        token = _token(client)
        warnings = [] if token is None else _scope_warnings(token, connection, needed)
        user = client.get("user").body
    except ProviderRefused as error:
        raise explained(error, connection, needed) from error
    account = text(at(user, ("username",)))
    if account is None:
        raise other_system("GitLab", connection.address)
    # A token ends with the start of its last day: https://docs.gitlab.com/user/profile/personal_access_tokens/
    last = day(at(token, ("expires_at",)))
    expires_at = datetime.combine(last, time(), UTC) if last else None
    warnings += expiry_warnings("GitLab", expires_at, _scopes(needed))
    return Checked(account, expires_at, tuple(warnings))


def _token(client: Client) -> Any:
    try:
        return client.get("personal_access_tokens/self").body
    except ProviderRefused as error:
        # Servers before 15.5 do not know the address.
        if error.refusal is Refusal.NOT_FOUND:
            return None
        raise


def _scope_warnings(token: Any, connection: Connection, needed: Sequence[str]) -> list[str]:
    """Warnings about scopes. Raises ProviderRefused if the interface stays closed."""
    held = texts(at(token, ("scopes",)) or [])
    if "api" in held:
        return [f"The token may write: one with {_scopes(needed)} is enough."]
    lacks = [scope for scope in needed if scope not in held and CONTAINED_IN.get(scope) not in held]
    if lacks:
        raise ProviderRefused(
            Refusal.MISSING_SCOPE,
            f"The token lacks the scope {' and '.join(lacks)} (it has: {', '.join(held) or 'none'}). Create one with"
            f" {_scopes(needed)} at {_page(connection)}.",
            403,
        )
    return []


def explained(error: ProviderRefused, connection: Connection, needed: Sequence[str]) -> ProviderRefused:
    """The same refusal with a sentence for the dialog in which the user adds the token."""
    said = (text(at(error.body, ("error_description",))) or text(at(error.body, ("message",))) or "").lower()
    create = f"create a new one with {_scopes(needed)} at {_page(connection)}."
    refusal, message = error.refusal, error.message
    if error.refusal is Refusal.UNAUTHORIZED and "expired" in said:
        refusal, message = Refusal.EXPIRED, f"The token has expired: {create}"
    elif error.refusal is Refusal.UNAUTHORIZED and "revoked" in said:
        message = f"The token was revoked: {create}"
    elif error.refusal is Refusal.UNAUTHORIZED:
        message = f"GitLab does not accept the token: it is wrong or of another GitLab. If in doubt, {create}"
    elif at(error.body, ("error",)) == "insufficient_scope":
        accepted = text(at(error.body, ("scope",)))
        hint = f" GitLab accepts one of: {accepted}." if accepted else ""
        refusal, message = Refusal.MISSING_SCOPE, f"The token needs {_scopes(needed)}.{hint}"
    elif error.refusal is Refusal.NOT_FOUND:
        refusal, message = Refusal.BAD_ADDRESS, (
            f"No GitLab answers at {connection.address}: give the address that you open in the browser, with the path"
            " if GitLab is installed below one."
        )  # fmt: skip
    return ProviderRefused(refusal, message, error.status, error.headers, error.body)


def _scopes(needed: Sequence[str]) -> str:
    return f"the scope{'s' if len(needed) > 1 else ''} {' and '.join(needed)}"


def _page(connection: Connection) -> str:
    return f"{connection.address.removesuffix('/api/v4')}/-/user_settings/personal_access_tokens"
