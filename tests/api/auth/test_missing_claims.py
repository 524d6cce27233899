"""People without a verified address: the page names the claim or scope and what its administrator has to set."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.control.store import ControlStore
from tests.api.auth.browsers import parameter
from tests.api.auth.failed_sign_ins import HOSTILE, lines, only_line, service
from tests.api.auth.fake_provider import HOST, ISSUER, FakeProvider, answering


def test_a_person_who_is_known_signs_in_without_any_address(
    tmp_path: Path, people: ControlStore, fake: FakeProvider, caplog: pytest.LogCaptureFixture
) -> None:
    with answering({HOST: fake}), service(tmp_path) as browser:
        first = browser.complete(fake.sends_back(browser.begin("openid_connect"))).json()
        fake.claims = {"email": None}
        again = browser.complete(fake.sends_back(browser.begin("openid_connect"))).json()
    assert again["account"]["id"] == first["account"]["id"]
    assert lines(caplog) == []


@pytest.mark.parametrize(
    ("kind", "issuer", "claims", "told"),
    [
        (
            "MICROSOFT",
            f"{ISSUER}/tenant/v2.0",
            {"email": None},
            "add it as an optional claim to the ID token",
        ),
        ("MICROSOFT", f"{ISSUER}/organizations/v2.0", {"xms_edov": None}, "the claim xms_edov is missing"),
        ("MICROSOFT", f"{ISSUER}/tenant/v2.0", {"xms_edov": False}, "administrator has to verify the domain"),
        ("GITLAB", ISSUER, {"email": ""}, "which asks for the scope email"),
    ],
)
def test_the_page_names_what_the_administrator_of_each_kind_has_to_set(
    tmp_path: Path,
    people: ControlStore,
    fake: FakeProvider,
    kind: str,
    issuer: str,
    claims: dict[str, Any],
    told: str,
) -> None:
    tenant = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490"
    named = issuer.replace("organizations", "{tenantid}")
    fake.metadata = {"issuer": named}
    fake.claims = {"iss": named.replace("{tenantid}", tenant), "tid": tenant} | claims
    with answering({HOST: fake}), service(tmp_path, issuer, kind) as browser:
        answer = browser.open(fake.sends_back(browser.begin(kind.lower())))
    assert answer.status_code == 400
    assert told in answer.text


@pytest.mark.parametrize(
    ("status", "emails", "kind", "told"),
    [
        (404, {"message": HOSTILE}, "missing_claim", "has to grant the scope user:email"),
        (
            403,
            {"message": HOSTILE},
            "missing_claim",
            "to a GitHub App the permission to read e-mail addresses",
        ),
        (503, {"message": HOSTILE}, "provider_error", "cannot be reached: try again in a few minutes"),
        (
            200,
            [{"email": "ada@example.org", "verified": False}],
            "unverified_address",
            "lists no e-mail address",
        ),
    ],
)
def test_github_without_the_scope_of_addresses_is_told_apart_from_people_without_one(
    tmp_path: Path,
    people: ControlStore,
    caplog: pytest.LogCaptureFixture,
    status: int,
    emails: Any,
    kind: str,
    told: str,
) -> None:
    def github(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/login/oauth/access_token":
            return httpx.Response(200, json={"access_token": "acc3ss", "token_type": "bearer"})
        if request.url.path == "/user":
            return httpx.Response(200, json={"id": 7, "login": "ada"})
        return httpx.Response(status, json=emails)

    answers: dict[str, Callable[[httpx.Request], httpx.Response]] = {
        "github.com": github,
        "api.github.com": github,
    }
    with answering(answers), service(tmp_path, "", "GITHUB") as browser:
        asked = browser.begin("github")
        answer = browser.open(
            f"{parameter(asked, 'redirect_uri')}?state={parameter(asked, 'state')}&code=one-t1me"
        )
    assert told in answer.text
    assert "Call 555" not in answer.text
    line = only_line(caplog)
    assert (line["kind"], line["issuer"]) == (kind, "https://github.com")
    assert not [one for one in ("ada@example.org", "acc3ss", "Call 555") if one in json.dumps(line)]
