"""The check of a token of GitHub, with a sentence for each way in which it fails."""

from __future__ import annotations

import re
from datetime import datetime

from ingest.connections.expiry import expiry_warnings
from ingest.connections.model import Checked, Connection
from ingest.connections.values import instant, text
from ingest.errors import ProviderRefused, Refusal
from ingest.http import Client
from ingest.pages import at

INSTALLATION = "ghs_"
"""Prefix of tokens of an installed GitHub App, which belong to no user."""
SCOPES_TO_READ = frozenset({"repo"})
URL = re.compile(r"url=(\S+)")


def check_token(client: Client, connection: Connection) -> Checked:
    """The account behind a token. Raises ProviderRefused with the reason and the remedy."""
    try:
        if connection.secret.startswith(INSTALLATION):
            account, headers = "GitHub App", dict[str, str]()
        else:
            answer = client.get("user")
            account, headers = text(at(answer.body, ("login",))) or "", dict(answer.headers)
            _require_scopes(headers.get("x-oauth-scopes"), connection)
        path = "installation/repositories" if connection.secret.startswith(INSTALLATION) else "user/repos"
        listing = client.get(path, {"per_page": 1})
    except ProviderRefused as error:
        raise _explained(error, connection) from error
    expires_at = _expiry(headers.get("github-authentication-token-expiration"))
    warnings = [*expiry_warnings("GitHub", expires_at)]
    if "partial-results" in listing.headers.get("x-github-sso", ""):
        warnings.append(
            "Repositories of organizations with single sign-on are hidden: authorize the token for them at"
            f" {connection.address}/settings/tokens (Configure SSO)."
        )
    if _scopes(headers.get("x-oauth-scopes")) >= {"public_repo"} and not _reads_all(headers):
        warnings.append("The token has the scope public_repo alone: private repositories stay hidden.")
    if not (at(listing.body, ("repositories",)) if isinstance(listing.body, dict) else listing.body):
        warnings.append(
            "The token reaches no repository: grant it access to those that the service shall read."
        )
    return Checked(account, expires_at, tuple(warnings))


def _require_scopes(header: str | None, connection: Connection) -> None:
    """Classic tokens list their scopes; fine-grained ones have no header."""
    if header is None or _scopes(header) & (SCOPES_TO_READ | {"public_repo"}):
        return
    held = ", ".join(sorted(_scopes(header))) or "none"
    raise ProviderRefused(
        Refusal.MISSING_SCOPE,
        f"The token lacks the scope repo (it has: {held}). Add it at {connection.address}/settings/tokens.",
        403,
    )


def _reads_all(headers: dict[str, str]) -> bool:
    return bool(_scopes(headers.get("x-oauth-scopes")) & SCOPES_TO_READ)


def _scopes(header: str | None) -> set[str]:
    return {scope.strip() for scope in (header or "").split(",") if scope.strip()}


def _expiry(header: str | None) -> datetime | None:
    """`2026-12-01 10:00:00 UTC` or `2026-12-01 10:00:00 -0800`."""
    return instant(re.sub(r" (?=[+-]\d{4}$)| UTC$", "", header.strip())) if header else None


def _explained(error: ProviderRefused, connection: Connection) -> ProviderRefused:
    """The same refusal with a sentence for the dialog in which the user adds the token."""
    said = text(at(error.body, ("message",))) or ""
    sso = error.headers.get("x-github-sso", "")
    refusal, message = error.refusal, error.message
    if error.refusal is Refusal.UNAUTHORIZED:
        message = (
            "GitHub does not accept the token: it is wrong, expired or revoked. Create a new one at"
            f" {connection.address}/settings/tokens."
        )
    elif "required" in sso:
        found = URL.search(sso)
        where = found[1] if found else f"{connection.address}/settings/tokens (Configure SSO)"
        refusal, message = Refusal.SSO_REQUIRED, (
            f"The organization requires single sign-on: authorize the token at {where}"
        )  # fmt: skip
    elif "personal access token (classic)" in said:
        message = (
            "The organization forbids classic tokens: create a fine-grained token at"
            f" {connection.address}/settings/personal-access-tokens with read access to contents, metadata, issues"
            " and pull requests."
        )
    elif "Resource not accessible by" in said:
        needs = error.headers.get("x-accepted-github-permissions") or "metadata=read"
        refusal, message = Refusal.MISSING_SCOPE, (
            f"The token lacks a permission; this request needs {needs}. Add read access to contents, metadata, issues"
            " and pull requests."
        )  # fmt: skip
    elif error.refusal is Refusal.NOT_FOUND:
        refusal, message = Refusal.BAD_ADDRESS, (
            f"No GitHub answers at {connection.address}: give the address that you open in the browser, such as"
            " https://github.example.com."
        )  # fmt: skip
    return ProviderRefused(refusal, message, error.status, error.headers, error.body)
