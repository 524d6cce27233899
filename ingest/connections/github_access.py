"""Access to GitHub, Enterprise Server and ghe.com: addresses, login, limits, and the check of a token.

The Git host GITHUB and the tracker GITHUB_ISSUES share it. Keep out: repositories, pull requests, issues.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from ingest.answers import Answer
from ingest.connections.model import Checked, Connection, other_system
from ingest.connections.values import text
from ingest.errors import ProviderRefused, Refusal
from ingest.http import Client, Login
from ingest.pages import at
from ingest.rate_limits import RateLimits

ADDRESS = "https://github.com"
API_VERSION = "2022-11-28"
"""Enterprise Server refuses versions that it does not know: https://docs.github.com/rest/about-the-rest-api/api-versions"""
ENDS_SOON = timedelta(days=14)


def api_address(address: str) -> str:
    """The REST address of github.com, of a tenant of ghe.com, or of an Enterprise Server, without a trailing slash."""
    parts = urlsplit(address)
    host, path = parts.netloc.lower(), parts.path.rstrip("/")
    if host in ("github.com", "www.github.com", "api.github.com"):
        return "https://api.github.com"
    if host.endswith(".ghe.com"):
        return f"{parts.scheme}://api.{host.removeprefix('api.')}"
    return f"{parts.scheme}://{parts.netloc}{path.removesuffix('/api/v3')}/api/v3"


def graphql_address(address: str) -> str:
    """The GraphQL address that belongs to `api_address`."""
    return f"{api_address(address).removesuffix('/v3')}/graphql"


def login(connection: Connection) -> Login:
    """The login of both kinds of connection. GitHub requires a User-Agent, which the client sends."""
    return Login(
        api_address(connection.address),
        {
            "Authorization": f"Bearer {connection.secret}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": API_VERSION,
        },
        (connection.secret,),
    )


def is_limited(answer: Answer) -> bool:
    """True for a limit that has another status than 429.

    The primary limit is 403 with nothing remaining, or in GraphQL 200 with an error of this type; the secondary limit
    is 403 with a sentence, or 200 in GraphQL. An Enterprise Server without limits names none remaining on success.
    """
    if any(kind in ("RATE_LIMITED", "RATE_LIMIT") for kind in error_types(answer)):
        return True
    if answer.status == 403 and (
        "retry-after" in answer.headers or answer.headers.get("x-ratelimit-remaining") == "0"
    ):
        return True
    said = _said(answer).lower()
    return answer.status in (200, 403) and ("secondary rate limit" in said or "abuse detection" in said)


def refusal(answer: Answer) -> ProviderRefused | None:
    """The refusal of an answer whose headers or words say what to change; None for any other answer."""
    said = _said(answer)
    if answer.status == 401:
        return _refused(
            answer,
            Refusal.UNAUTHORIZED,
            f"GitHub does not accept the token ({said or 'Bad credentials'}): it is wrong, revoked or expired."
            " Create a new one and replace it.",
        )
    if answer.status == 403:
        return _forbidden(answer, said)
    return None


RATE_LIMITS = RateLimits(
    remaining="x-ratelimit-remaining",
    reset="x-ratelimit-reset",
    wait_without_header=60.0,  # what GitHub asks for after a secondary limit without a header
    refuses=is_limited,
    refusal=refusal,
)


def check_token(
    client: Client, connection: Connection, scopes: Mapping[str, str], now: datetime | None = None
) -> Checked:
    """Try the token. `scopes` are scopes of classic tokens and what each is for; a missing one gives a warning.

    Fine-grained tokens and those of apps hide their permissions. Raises ProviderRefused, RateLimited, Transient.
    """
    address = api_address(connection.address)
    if not address.startswith("https://api."):
        client.get("meta")
    if connection.secret.startswith("ghs_"):  # a token of an app's installation has no user
        client.get("installation/repositories", {"per_page": 1})
        return Checked("GitHub App")
    answer = client.get("user")
    account = text(at(answer.body, ("login",)))
    if account is None:
        raise other_system("GitHub", connection.address)
    expires_at, warnings = expiry(answer), []
    if expires_at is not None and expires_at - (now or datetime.now(UTC)) < ENDS_SOON:
        warnings.append(f"The token ends on {expires_at:%Y-%m-%d}: replace it before.")
    if "x-oauth-scopes" in answer.headers:
        granted = {scope.strip() for scope in answer.headers["x-oauth-scopes"].split(",")}
        warnings += [
            f"The token lacks the scope {scope}: {purpose}"
            for scope, purpose in scopes.items()
            if not granted & _including(scope)
        ]
    return Checked(account, expires_at, tuple(warnings))


def expiry(answer: Answer) -> datetime | None:
    """The end of the token that the answer names, such as `2026-12-24 08:00:00 UTC` or `… +0100`."""
    said = answer.headers.get("github-authentication-token-expiration", "")
    found = re.match(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) (?:UTC|([+-]\d\d):?(\d\d))", said)
    if found is None:
        return None
    zone = f"{found[3]}:{found[4]}" if found[3] else "+00:00"
    return datetime.fromisoformat(f"{found[1]}T{found[2]}{zone}").astimezone(UTC)


def error_types(answer: Answer) -> Sequence[str]:
    """The types of the errors in a GraphQL answer."""
    errors = at(answer.body, ("errors",))
    return (
        [str(one.get("type")) for one in errors if isinstance(one, dict)] if isinstance(errors, list) else []
    )


_CONTAINED_IN = {
    "public_repo": {"repo"},
    "read:org": {"admin:org", "write:org"},
    "read:project": {"project"},
    "read:user": {"user"},
}


def _including(scope: str) -> set[str]:
    return {scope} | _CONTAINED_IN.get(scope, set())


def _forbidden(answer: Answer, said: str) -> ProviderRefused | None:
    if sso := answer.headers.get("x-github-sso"):
        link = re.search(r"url=(https://[^\s;,]+)", sso)
        return _refused(
            answer,
            Refusal.SSO_REQUIRED,
            "The organization requires single sign-on: authorize the token for it"
            + (f" at {link[1]}" if link else " in the token's settings on GitHub")
            + ".",
        )
    if "personal access token (classic)" in said:
        return _refused(
            answer,
            Refusal.FORBIDDEN,
            f"A policy of the organization refuses this kind of token ({said}): create a fine-grained one.",
        )
    if "Resource not accessible by" in said:
        wanted = answer.headers.get("x-accepted-github-permissions")
        return _refused(
            answer,
            Refusal.MISSING_SCOPE,
            f"The token lacks a permission{f': grant {wanted}' if wanted else ''} ({said}).",
        )
    return None


def _refused(answer: Answer, reason: Refusal, message: str) -> ProviderRefused:
    return ProviderRefused(reason, message, answer.status, answer.headers, answer.body)


def _said(answer: Answer) -> str:
    """GitHub's words: `message`, or those of the first GraphQL error."""
    said = text(at(answer.body, ("message",))) or text(at(answer.body, ("errors", 0, "message")))
    return (said or "")[:300]
