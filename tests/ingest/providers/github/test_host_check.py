"""The check of a connection to GitHub: each refusal says what to change, a weak token is accepted with a warning."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from ingest.connections.model import Connection
from ingest.errors import ProviderRefused, Refusal
from ingest.providers.github.host import GitHub
from tests.ingest.connections.running import client_to, connection_to
from tests.ingest.providers.github.host_server import (
    repository,
)

PROVIDER = GitHub()
CONNECTION = connection_to(PROVIDER, "https://github.com")


def checked(answers: dict[str, httpx.Response], connection: Connection = CONNECTION) -> Any:
    ok = httpx.Response(200, json=[repository(7, "shop")])

    def handler(request: httpx.Request) -> httpx.Response:
        return answers.get(request.url.path.removeprefix("/api/v3"), ok)

    with client_to(PROVIDER, connection, handler) as client:
        return PROVIDER.check(client, connection)


@pytest.mark.parametrize(
    ("answer", "refusal", "words"),
    [
        (httpx.Response(401, json={"message": "Bad credentials"}), Refusal.UNAUTHORIZED, "wrong, expired or revoked"),
        (
            httpx.Response(200, json={"login": "ann"}, headers={"x-oauth-scopes": "gist, read:user"}),
            Refusal.MISSING_SCOPE,
            "lacks the scope repo (it has: gist, read:user)",
        ),
        (
            httpx.Response(
                403,
                json={"message": "Resource protected by organization SAML enforcement."},
                headers={"x-github-sso": "required; url=https://github.com/orgs/acme/sso?x=1"},
            ),
            Refusal.SSO_REQUIRED,
            "https://github.com/orgs/acme/sso?x=1",
        ),
        (
            httpx.Response(
                403, json={"message": "acme forbids access via a personal access token (classic)."}
            ),
            Refusal.FORBIDDEN,
            "fine-grained token",
        ),
        (
            httpx.Response(
                403,
                json={"message": "Resource not accessible by personal access token"},
                headers={"x-accepted-github-permissions": "contents=read"},
            ),
            Refusal.MISSING_SCOPE,
            "needs contents=read",
        ),
        (httpx.Response(404, json={"message": "Not Found"}), Refusal.BAD_ADDRESS, "No GitHub answers at"),
        (
            httpx.Response(200, text="<html>", headers={"content-type": "text/html"}),
            Refusal.BAD_ADDRESS,
            "page instead of data",
        ),
    ],
)  # fmt: skip
def test_a_refused_token_is_explained(answer: httpx.Response, refusal: Refusal, words: str) -> None:
    with pytest.raises(ProviderRefused) as caught:
        checked({"/user": answer})
    assert caught.value.refusal is refusal
    assert words in caught.value.message
    assert CONNECTION.secret not in caught.value.message


def test_a_token_that_ends_soon_is_accepted_with_a_warning() -> None:
    soon = datetime.now(UTC) + timedelta(days=5)
    headers = {
        "github-authentication-token-expiration": f"{soon:%Y-%m-%d %H:%M:%S} UTC",
        "x-oauth-scopes": "repo",
    }
    found = checked({"/user": httpx.Response(200, json={"login": "ann"}, headers=headers)})
    assert found.account == "ann"
    assert found.expires_at == soon.replace(microsecond=0)
    assert f"{soon:%d %B %Y}" in found.warnings[0]


def test_a_good_token_has_no_warnings() -> None:
    later = datetime.now(UTC) + timedelta(days=90)
    headers = {"github-authentication-token-expiration": f"{later:%Y-%m-%d %H:%M:%S} -0800"}
    found = checked({"/user": httpx.Response(200, json={"login": "ann"}, headers=headers)})
    assert found.warnings == ()
    assert found.expires_at == later.replace(microsecond=0) + timedelta(hours=8)


@pytest.mark.parametrize(
    ("listing", "words"),
    [
        (httpx.Response(200, json=[]), "reaches no repository"),
        (
            httpx.Response(200, json=[{}], headers={"x-github-sso": "partial-results; organizations=1,2"}),
            "single sign-on",
        ),
    ],
)
def test_what_a_token_does_not_reach_is_a_warning(listing: httpx.Response, words: str) -> None:
    found = checked({"/user": httpx.Response(200, json={"login": "ann"}), "/user/repos": listing})
    assert words in found.warnings[0]
