"""Addresses, limits and refusals of GitHub."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from ingest.connections.model import Checked, Connection
from ingest.errors import ProviderRefused, RateLimited, Refusal
from ingest.http.client import Client
from ingest.providers.github import access as github
from ingest.providers.github.token import check_token

Handler = Callable[[httpx.Request], httpx.Response]
NOW = datetime(2026, 11, 20, tzinfo=UTC)
LATER = (datetime.now(UTC) + timedelta(days=1)).timestamp()


def connection(secret: str = "t0ken", address: str = "https://github.com") -> Connection:
    return Connection("c", "o", "GITHUB", address, secret)


def check(handler: Handler, one: Connection | None = None) -> Checked:
    one = one or connection()
    transport = httpx.MockTransport(handler)
    with Client(github.login(one), github.RATE_LIMITS, transport=transport, sleep=lambda _: None) as client:
        return check_token(client, one, {"repo": "private repositories are missing."}, now=NOW)


def answer(status: int, body: object, **headers: str) -> Handler:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _request: httpx.Response(status, json=body, headers=named)


@pytest.mark.parametrize(
    ("address", "rest", "graphql"),
    [
        ("https://github.com", "https://api.github.com", "https://api.github.com/graphql"),
        ("https://api.github.com", "https://api.github.com", "https://api.github.com/graphql"),
        ("https://acme.ghe.com", "https://api.acme.ghe.com", "https://api.acme.ghe.com/graphql"),
        (
            "https://git.acme.example",
            "https://git.acme.example/api/v3",
            "https://git.acme.example/api/graphql",
        ),
        (
            "https://acme.example/gh/api/v3",
            "https://acme.example/gh/api/v3",
            "https://acme.example/gh/api/graphql",
        ),
    ],
)
def test_addresses_of_each_edition(address: str, rest: str, graphql: str) -> None:
    assert (github.api_address(address), github.graphql_address(address)) == (rest, graphql)


@pytest.mark.parametrize(
    ("api", "site"),
    [
        ("https://api.github.com/user", "https://github.com"),
        ("https://api.acme.ghe.com/graphql", "https://acme.ghe.com"),
        ("https://git.acme.example/api/v3/user", "https://git.acme.example"),
        ("https://acme.example/gh/api/graphql", "https://acme.example/gh"),
    ],
)
def test_refusals_lead_to_the_pages_of_the_same_server(api: str, site: str) -> None:
    assert github.web_address(api) == site


def test_a_good_token_names_its_account_its_end_and_its_missing_scopes() -> None:
    checked = check(
        answer(
            200,
            {"login": "ann"},
            x_oauth_scopes="read:org, gist",
            github_authentication_token_expiration="2026-11-25 08:00:00 +0100",
        )
    )
    assert checked.account == "ann"
    assert checked.expires_at == datetime(2026, 11, 25, 7, tzinfo=UTC)
    assert [w.partition(":")[0] for w in checked.warnings] == [
        "The token ends on 25 November 2026",
        "The token lacks the scope repo",
    ]


def test_fine_grained_tokens_hide_their_scopes_so_nothing_is_missing() -> None:
    assert check(answer(200, {"login": "ann"})).warnings == ()


def test_tokens_of_apps_are_tried_on_their_repositories() -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/installation/repositories":
            return httpx.Response(200, json={"total_count": 3, "repositories": []})
        return httpx.Response(403, json={"message": "Resource not accessible by integration"})

    assert check(handler, connection("ghs_1")).account == "GitHub App"


@pytest.mark.parametrize(
    ("handler", "reason", "words"),
    [
        (answer(401, {"message": "Bad credentials"}), Refusal.UNAUTHORIZED, "wrong, expired or revoked"),
        (
            answer(403, {"message": "SAML"}, x_github_sso="required; url=https://github.com/orgs/a/sso?x=1"),
            Refusal.SSO_REQUIRED,
            "https://github.com/orgs/a/sso?x=1",
        ),
        (
            answer(403, {"message": "`a` forbids access via a personal access token (classic)."}),
            Refusal.FORBIDDEN,
            "policy of the organization",
        ),
        (
            answer(
                403,
                {"message": "Resource not accessible by personal access token"},
                x_accepted_github_permissions="issues=read",
            ),
            Refusal.MISSING_SCOPE,
            "needs issues=read",
        ),
    ],
)
def test_each_refusal_tells_what_to_change(handler: Handler, reason: Refusal, words: str) -> None:
    with pytest.raises(ProviderRefused, match=words.replace("?", r"\?")) as caught:
        check(handler)
    assert caught.value.refusal is reason
    assert "t0ken" not in str(caught.value)


@pytest.mark.parametrize(
    "handler",
    [
        answer(
            403,
            {"message": "API rate limit exceeded"},
            x_ratelimit_remaining="0",
            x_ratelimit_reset=f"{LATER:.0f}",
        ),
        answer(403, {"message": "You have exceeded a secondary rate limit"}, retry_after="600"),
        answer(
            200,
            {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]},
            retry_after="600",
        ),
        answer(200, {"errors": [{"message": "You have exceeded a secondary rate limit"}]}, retry_after="600"),
    ],
)
def test_each_form_of_a_limit_is_a_limit(handler: Handler) -> None:
    with pytest.raises(RateLimited):
        check(handler)


def test_an_enterprise_server_without_limits_is_not_limited() -> None:
    one = connection(address="https://git.acme.example")
    assert check(answer(200, {"login": "ann"}, x_ratelimit_remaining="0"), one).account == "ann"


@pytest.mark.parametrize("before", ["x" * 290, "word " * 58 + "x"])
def test_a_token_at_the_end_of_a_long_text_is_not_told_in_part(before: str) -> None:
    secret = "ghp_t0kenThatNobodyMaySee"
    with pytest.raises(ProviderRefused) as caught:
        check(answer(401, {"message": f"{before}{secret} is unknown"}), connection(secret))
    assert "ghp_" not in str(caught.value)
