"""Tokens of GitLab: each refusal says what to change, and a weak token is accepted with a warning."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from ingest.errors import ProviderRefused, Refusal
from ingest.providers.gitlab.host import GitLab
from tests.ingest.connections.running import client_to, connection_to, refused_check
from tests.ingest.providers.gitlab.host_server import ADDRESS, user

PROVIDER = GitLab()
CONNECTION = connection_to(PROVIDER, ADDRESS)


def refused(answers: dict[str, httpx.Response]) -> ProviderRefused:
    def server(request: httpx.Request) -> httpx.Response:
        return answers.get(request.url.path.removeprefix("/tools/api/v4/"), httpx.Response(404, json={}))

    return refused_check(PROVIDER, CONNECTION, server)


SELF = "personal_access_tokens/self"


def invalid(words: str) -> httpx.Response:
    return httpx.Response(401, json={"error": "invalid_token", "error_description": words})


@pytest.mark.parametrize(
    ("answers", "refusal", "words"),
    [
        (
            {SELF: invalid("Token is expired. You can re-login")},
            Refusal.EXPIRED, "has expired",
        ),
        (
            {SELF: invalid("Token was revoked. You have to re-authorize")},
            Refusal.UNAUTHORIZED, "was revoked",
        ),
        ({SELF: httpx.Response(401, json={"message": "401 Unauthorized"})}, Refusal.UNAUTHORIZED, "another GitLab"),
        (
            {SELF: httpx.Response(403, json={"error": "insufficient_scope", "scope": "api read_api"})},
            Refusal.MISSING_SCOPE, "api read_api",
        ),
        ({SELF: httpx.Response(200, json={"scopes": ["read_user"]})}, Refusal.MISSING_SCOPE, "it has: read_user"),
        ({}, Refusal.BAD_ADDRESS, "the address that you open in the browser"),
        ({SELF: httpx.Response(200, html="<html>")}, Refusal.BAD_ADDRESS, "a page instead of data"),
    ],
    ids=["expired", "revoked", "wrong", "scope of a request", "scopes", "address", "page"],
)  # fmt: skip
def test_a_refused_token_is_explained(
    answers: dict[str, httpx.Response], refusal: Refusal, words: str
) -> None:
    caught = refused(answers)
    assert (caught.refusal, words in caught.message) == (refusal, True), caught.message


@pytest.mark.parametrize(
    ("held", "projects", "warning"),
    [
        (["read_api", "read_repository"], [{"id": 1}], None),
        (["api"], [{"id": 1}], "may write"),
        (["read_api", "read_repository"], [], "reaches no project"),
        (None, [{"id": 1}], None),
    ],
    ids=["good", "writes", "no project", "before 15.5"],
)
def test_an_accepted_token_names_its_account_and_its_weaknesses(
    held: list[str] | None, projects: list[Any], warning: str | None
) -> None:
    def server(request: httpx.Request) -> httpx.Response:
        match request.url.path.removeprefix("/tools/api/v4/"):
            case "user":
                return httpx.Response(200, json=user("ann"))
            case "projects":
                return httpx.Response(200, json=projects)
            case path if path == SELF and held is not None:
                return httpx.Response(200, json={"scopes": held, "expires_at": "2099-12-31"})
        return httpx.Response(404, json={"message": "404 Not Found"})

    with client_to(PROVIDER, CONNECTION, server) as client:
        checked = PROVIDER.check(client, CONNECTION)
    assert checked.account == "ann"
    assert checked.expires_at == (datetime(2099, 12, 31, tzinfo=UTC) if held else None)
    said = " ".join(checked.warnings)
    assert (warning in said) if warning else said == ""
