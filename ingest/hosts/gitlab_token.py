"""The check of a token of GitLab (personal, group or project), with a sentence for each way in which it fails."""

from __future__ import annotations

from datetime import UTC, datetime, time

from ingest.connections.expiry import expiry_warnings
from ingest.connections.model import Checked, Connection
from ingest.connections.values import day, text, texts
from ingest.errors import ProviderRefused, Refusal
from ingest.http import Client
from ingest.pages import at

NEEDED = "read_api and read_repository"


def check_token(client: Client, connection: Connection) -> Checked:
    """The account behind a token. Raises ProviderRefused with the reason and the remedy."""
    expires_at, warnings = None, list[str]()
    try:
        try:
            token = client.get("personal_access_tokens/self").body
        except ProviderRefused as error:
            # Servers before 15.5 do not tell a token about itself.
            if error.refusal is not Refusal.NOT_FOUND:
                raise
            token = None
        if token is not None:
            warnings = _require_scopes(texts(at(token, ("scopes",)) or []), connection)
            if ends := day(at(token, ("expires_at",))):
                # GitLab ends tokens at the start of the day, UTC.
                expires_at = datetime.combine(ends, time(), UTC)
        user = client.get("user").body
        projects = client.get("projects", {"membership": "true", "per_page": 1}).body
    except ProviderRefused as error:
        raise _explained(error, connection) from error
    if not projects:
        warnings.append(
            "The token reaches no project: make its account a member of those that the service shall read."
        )
    warnings.extend(expiry_warnings("GitLab", expires_at, f"the scopes {NEEDED}"))
    return Checked(text(at(user, ("username",))) or "", expires_at, tuple(warnings))


def _require_scopes(held: list[str], connection: Connection) -> list[str]:
    """Warnings about scopes; raises ProviderRefused if the interface stays closed."""
    if "api" in held:
        return ["The token may write: one with the scopes read_api and read_repository is enough."]
    lacks = [scope for scope in ("read_api", "read_repository") if scope not in held]
    if lacks and not ("read_api" in held and "write_repository" in held):
        raise ProviderRefused(
            Refusal.MISSING_SCOPE,
            f"The token lacks the scope {' and '.join(lacks)} (it has: {', '.join(held) or 'none'}). Create one with"
            f" {NEEDED} at {connection.address}/-/user_settings/personal_access_tokens.",
            403,
        )
    return []


def _explained(error: ProviderRefused, connection: Connection) -> ProviderRefused:
    """The same refusal with a sentence for the dialog in which the user adds the token."""
    where = f"{connection.address}/-/user_settings/personal_access_tokens"
    said = (text(at(error.body, ("error_description",))) or text(at(error.body, ("message",))) or "").lower()
    refusal, message = error.refusal, error.message
    if error.refusal is Refusal.UNAUTHORIZED and "expired" in said:
        refusal, message = (
            Refusal.EXPIRED,
            f"The token is expired: create a new one with {NEEDED} at {where}.",
        )
    elif error.refusal is Refusal.UNAUTHORIZED and "revoked" in said:
        message = f"The token was revoked: create a new one with {NEEDED} at {where}."
    elif error.refusal is Refusal.UNAUTHORIZED:
        message = (
            f"GitLab does not accept the token: it is wrong or of another GitLab. Create one at {where}."
        )
    elif at(error.body, ("error",)) == "insufficient_scope":
        accepted = text(at(error.body, ("scope",)))
        hint = f" GitLab accepts one of: {accepted}." if accepted else ""
        refusal, message = Refusal.MISSING_SCOPE, f"The token needs the scopes {NEEDED}.{hint}"
    elif error.refusal is Refusal.NOT_FOUND:
        refusal, message = Refusal.BAD_ADDRESS, (
            f"No GitLab answers at {connection.address}: give the address that you open in the browser, with the path"
            " if GitLab is installed below one."
        )  # fmt: skip
    return ProviderRefused(refusal, message, error.status, error.headers, error.body)
