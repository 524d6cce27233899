"""Access to GitHub, Enterprise Server and ghe.com: addresses, login, limits, and the sentences of refusals.

The Git host GITHUB and the tracker GITHUB_ISSUES share it. Keep out: the check of a token (`token`),
repositories, pull requests, issues.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from ingest.connections.model import Connection
from ingest.connections.values import text
from ingest.errors import ProviderRefused, Refusal
from ingest.http.answers import Answer
from ingest.http.client import Login
from ingest.http.rate_limits import RateLimits
from ingest.json_paths import at

ADDRESS = "https://github.com"
API_VERSION = "2022-11-28"
"""Enterprise Server refuses versions that it does not know: https://docs.github.com/rest/about-the-rest-api/api-versions"""
INSTALLATION = "ghs_"
"""Prefix of tokens of an installed GitHub App, which belong to no user."""
PERMISSIONS = "read access to contents, metadata, issues and pull requests"


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


def web_address(url: str) -> str:
    """The address that people open in the browser, of an address of the API."""
    parts = urlsplit(url)
    in_cloud = parts.netloc == "api.github.com" or parts.netloc.endswith(".ghe.com")
    host = parts.netloc.removeprefix("api.") if in_cloud else parts.netloc
    return f"{parts.scheme}://{host}{parts.path.partition('/api/')[0] if not in_cloud else ''}"


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
            f"GitHub does not accept the token ({said or 'Bad credentials'}): it is wrong, expired or revoked."
            f" Create a new one at {web_address(answer.url)}/settings/tokens and replace it.",
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


def error_types(answer: Answer) -> Sequence[str]:
    """The types of the errors in a GraphQL answer."""
    errors = at(answer.body, ("errors",))
    return (
        [str(one.get("type")) for one in errors if isinstance(one, dict)] if isinstance(errors, list) else []
    )


def _forbidden(answer: Answer, said: str) -> ProviderRefused | None:
    site = web_address(answer.url)
    if sso := answer.headers.get("x-github-sso"):
        link = re.search(r"url=(https://[^\s;,]+)", sso)
        where = link[1] if link else f"{site}/settings/tokens (Configure SSO)"
        return _refused(
            answer,
            Refusal.SSO_REQUIRED,
            f"The organization requires single sign-on: authorize the token for it at {where}",
        )
    if "personal access token (classic)" in said:
        return _refused(
            answer,
            Refusal.FORBIDDEN,
            f"A policy of the organization refuses this kind of token ({said}): create a fine-grained token at"
            f" {site}/settings/personal-access-tokens with {PERMISSIONS}.",
        )
    if "Resource not accessible by" in said:
        needed = answer.headers.get("x-accepted-github-permissions") or "metadata=read"
        return _refused(
            answer,
            Refusal.MISSING_SCOPE,
            f"The token lacks a permission; this request needs {needed}. Grant {PERMISSIONS}.",
        )
    return None


def _refused(answer: Answer, reason: Refusal, message: str) -> ProviderRefused:
    return ProviderRefused(reason, message, answer.status, answer.headers, answer.body)


def _said(answer: Answer) -> str:
    """GitHub's words: `message`, or those of the first GraphQL error."""
    said = text(at(answer.body, ("message",))) or text(at(answer.body, ("errors", 0, "message")))
    return (said or "")[:300]
