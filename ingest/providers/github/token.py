"""The check of a token of GitHub, for the Git host and for the tracker.

Keep out: the sentences of refusals (`access`), what a token reaches (`ingest.providers`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from datetime import UTC, datetime

from ingest.connections.expiry import expiry_warnings
from ingest.connections.model import Checked, Connection, other_system
from ingest.connections.values import text
from ingest.errors import ProviderRefused, Refusal
from ingest.http.answers import Answer
from ingest.http.client import Client
from ingest.json_paths import at
from ingest.providers.github.access import INSTALLATION, web_address

_CONTAINED_IN = {
    "public_repo": {"repo"},
    "read:org": {"admin:org", "write:org"},
    "read:project": {"project"},
    "read:user": {"user"},
}


def check_token(
    client: Client,
    connection: Connection,
    scopes: Mapping[str, str],
    *,
    required: Set[str] = frozenset(),
    now: datetime | None = None,
) -> Checked:
    """Try the token. `scopes` are scopes of classic tokens and what each is for; a missing one gives a warning.

    A classic token without any of `required` is refused. Fine-grained tokens and those of apps hide their permissions.
    Raises ProviderRefused, RateLimited, Transient.
    """
    if connection.secret.startswith(INSTALLATION):
        client.get("installation/repositories", {"per_page": 1})
        return Checked("GitHub App")
    try:
        answer = client.get("user")
    except ProviderRefused as error:
        if error.refusal is not Refusal.NOT_FOUND:
            raise
        raise ProviderRefused(
            Refusal.BAD_ADDRESS,
            f"No GitHub answers at {connection.address}: give the address that you open in the browser, such as"
            " https://github.example.com.",
            error.status,
        ) from error
    account = text(at(answer.body, ("login",)))
    if account is None:
        raise other_system("GitHub", connection.address)
    expires_at, warnings = expiry(answer), _scope_warnings(answer, scopes, required)
    return Checked(account, expires_at, (*expiry_warnings("GitHub", expires_at, now=now), *warnings))


def expiry(answer: Answer) -> datetime | None:
    """The end of the token that the answer names, such as `2026-12-24 08:00:00 UTC` or `… +0100`."""
    said = answer.headers.get("github-authentication-token-expiration", "")
    found = re.match(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) (?:UTC|([+-]\d\d):?(\d\d))", said)
    if found is None:
        return None
    zone = f"{found[3]}:{found[4]}" if found[3] else "+00:00"
    return datetime.fromisoformat(f"{found[1]}T{found[2]}{zone}").astimezone(UTC)


def _scope_warnings(answer: Answer, scopes: Mapping[str, str], required: Set[str]) -> list[str]:
    """Warnings about missing scopes. Classic tokens list theirs; fine-grained ones have no header."""
    if "x-oauth-scopes" not in answer.headers:
        return []
    held = {scope.strip() for scope in answer.headers["x-oauth-scopes"].split(",") if scope.strip()}
    missing = [scope for scope in scopes if not held & ({scope} | _CONTAINED_IN.get(scope, set()))]
    if required and not held & required:
        raise ProviderRefused(
            Refusal.MISSING_SCOPE,
            f"The token lacks the scope {' and '.join(missing)} (it has: {', '.join(sorted(held)) or 'none'}). Add it"
            f" at {web_address(answer.url)}/settings/tokens.",
            403,
        )
    return [f"The token lacks the scope {scope}: {scopes[scope]}" for scope in missing]
