"""GitHub, Microsoft's tenants, and providers from the environment."""

import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from sqlalchemy import select

from api.control.accounts.invitations import invite
from api.control.identity_providers.deployment import deployment_providers
from api.control.models import AccountIdentity
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from api.identity_providers.providers import of_deployment
from api.operator.environment import StartRefused
from tests.api.auth.browsers import APP, Browser, parameter
from tests.api.auth.fake_provider import CLIENT, SECRET, FakeProvider, answering
from tests.api.conftest import serving
from tests.api.people import make_account

LOGIN = "login.microsoftonline.com"
TENANT, OTHER_TENANT = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490", "11111111-2222-3333-4444-555555555555"
ACCESS = "gho_acc3ss-that-nobody-may-see"


def configure(patch: pytest.MonkeyPatch, kind: str, issuer: str | None = None) -> None:
    patch.setenv(f"EAS_SIGN_IN_{kind}_CLIENT_ID", CLIENT)
    patch.setenv(f"EAS_SIGN_IN_{kind}_CLIENT_SECRET", SECRET)
    if issuer is not None:
        patch.setenv(f"EAS_SIGN_IN_{kind}_ISSUER", issuer)


class FakeGithub:
    """GitHub's three addresses."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.user: Any = {"id": 583231, "login": "octocat", "name": None}
        self.emails: Any = [{"email": "octo@example.org", "verified": True, "primary": True}]
        self.form: dict[str, str] = {}

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if path == "/login/oauth/access_token":
            self.form = dict(httpx.QueryParams(request.content.decode()))
            assert request.headers["accept"] == "application/json"
            if self.form["code"] != "one-t1me":
                # GitHub answers errors with 200.
                return httpx.Response(
                    200, json={"error": "bad_verification_code", "error_description": SECRET}
                )
            return httpx.Response(
                200, json={"access_token": ACCESS, "scope": "user:email", "token_type": "bearer"}
            )
        if request.headers.get("authorization") != f"Bearer {ACCESS}":
            return httpx.Response(401, json={"message": "Bad credentials"})
        answers = {f"{self.prefix}/user": self.user, f"{self.prefix}/user/emails": self.emails}
        return httpx.Response(200, json=answers[path]) if path in answers else httpx.Response(404)


def returned(asked: str, **more: str) -> str:
    given = {"state": parameter(asked, "state"), "code": "one-t1me"} | more
    return str(httpx.URL(parameter(asked, "redirect_uri")).copy_merge_params(given))


@pytest.mark.parametrize(
    ("issuer", "host", "prefix"),
    [(None, "api.github.com", ""), ("https://github.acme.example", "github.acme.example", "/api/v3")],
    ids=["github.com", "an enterprise server"],
)
def test_github_signs_in_by_its_verified_addresses(
    tmp_path: Path,
    people: ControlStore,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    issuer: str | None,
    host: str,
    prefix: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    configure(monkeypatch, "GITHUB", issuer)
    fake = FakeGithub(prefix)
    with answering({"github.com": fake, host: fake}), serving(tmp_path, EAS_APP_URL=APP) as address:
        browser = Browser(address)
        asked = browser.begin("github")
        assert urlsplit(asked).hostname == urlsplit(issuer or "https://github.com").hostname
        assert parameter(asked, "scope") == "read:user user:email"
        assert parameter(asked, "code_challenge_method") == "S256"
        done = browser.complete(returned(asked)).json()
        assert (done["account"]["email"], done["account"]["name"]) == ("octo@example.org", "octocat")
        assert fake.form["code_verifier"]
        # The number identifies: login and addresses may change.
        fake.user, fake.emails = {"id": 583231, "login": "renamed"}, []
        assert browser.complete(returned(browser.begin("github"))).json()["account"] == done["account"]
        refused = browser.open(returned(browser.begin("github"), code="used"))
        assert refused.status_code == 400
        assert SECRET not in refused.text
        for user, emails in (
            ({"id": 2, "login": "eve"}, [{"email": "eve@example.org", "verified": False, "primary": True}]),
            ({"id": 3, "login": "eve"}, {"message": "Not Found"}),
            ({"login": "eve"}, [{"email": "eve@example.org", "verified": True, "primary": True}]),
            ({"id": True}, [{"email": "eve@example.org", "verified": True, "primary": True}]),
        ):
            fake.user, fake.emails = user, emails
            assert browser.open(returned(browser.begin("github"))).status_code == 400
        wrong = browser.open(returned(browser.begin("github"), iss="https://evil.example"))
        assert wrong.status_code == 400
    with people.session() as session:
        [row] = session.scalars(select(AccountIdentity)).all()
    assert (row.issuer, row.subject) == (issuer or "https://github.com", "583231")
    own = [one.getMessage() for one in caplog.records if one.name.startswith(("api", "ingest", "uvicorn"))]
    assert not [line for line in own if ACCESS in line or SECRET in line]


def test_the_invited_address_is_taken_if_it_is_a_verified_one(
    tmp_path: Path, people: ControlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(monkeypatch, "GITHUB")
    fake = FakeGithub("")
    fake.emails = [
        {"email": "private@example.org", "verified": True, "primary": True},
        {"email": "Work@acme.example", "verified": True, "primary": False},
    ]
    acme = people.ensure_organization("Acme").id
    invitation = invite(people, OPERATOR, acme, "work@acme.example", Role.MEMBER)
    with (
        answering({"github.com": fake, "api.github.com": fake}),
        serving(tmp_path, EAS_APP_URL=APP) as address,
    ):
        browser = Browser(address)
        done = browser.complete(returned(browser.begin("github", invitation=invitation.token))).json()
    assert done["account"]["email"] == "Work@acme.example"
    assert done["invitation"]["isAccepted"]


class FakeMicrosoft(FakeProvider):
    """Microsoft's addresses for several tenants, whose metadata names the place of a tenant."""

    def described(self) -> dict[str, Any]:
        shown = super().described()
        base = f"https://{LOGIN}"
        return shown | {
            "issuer": f"{base}/{{tenantid}}/v2.0",
            "authorization_endpoint": f"{base}/authorize",
            "token_endpoint": f"{base}/token",
            "jwks_uri": f"{base}/keys",
        }


def claims_of(tenant: str, **more: Any) -> dict[str, Any]:
    return {"iss": f"https://{LOGIN}/{tenant}/v2.0", "tid": tenant, "email_verified": None} | more


@pytest.mark.parametrize("several", ["common", "organizations"])
def test_any_tenant_signs_in_and_only_a_verified_domain_joins(
    tmp_path: Path, people: ControlStore, monkeypatch: pytest.MonkeyPatch, several: str
) -> None:
    configure(monkeypatch, "MICROSOFT", f"https://{LOGIN}/{several}/v2.0")
    fake = FakeMicrosoft()
    victim = make_account(people, "victim@example.org", administrator=True)
    with answering({LOGIN: fake}), serving(tmp_path, EAS_APP_URL=APP) as address:
        browser = Browser(address)

        def answer() -> httpx.Response:
            return browser.open(fake.sends_back(browser.begin("microsoft")))

        # An administrator of some tenant gives a user the victim's address.
        for lie in ({}, {"xms_edov": False}, {"email_verified": True}):
            fake.claims = claims_of(OTHER_TENANT, sub="eve", email="victim@example.org") | lie
            assert answer().status_code == 400
        fake.claims = claims_of(TENANT, sub="victim", email="victim@example.org", xms_edov=True)
        done = browser.complete(fake.sends_back(browser.begin("microsoft"))).json()
        assert done["account"]["id"] == victim
        # The same subject of another tenant is somebody else.
        fake.claims = claims_of(OTHER_TENANT, sub="victim", email="victim@example.org")
        assert answer().status_code == 400
        for wrong in (
            {"tid": OTHER_TENANT},
            {"tid": None},
            {"tid": "../x"},
            {"iss": f"https://{LOGIN}/{{tenantid}}/v2.0", "tid": "{tenantid}"},
            {"iss": "https://evil.example"},
        ):
            fake.claims = claims_of(TENANT, sub="victim", xms_edov=True) | wrong
            assert answer().status_code == 400, wrong
        # A key that Microsoft lists for another tenant alone.
        fake.keys = [
            fake.key.as_dict(private=False) | {"kid": "two", "issuer": f"https://{LOGIN}/{OTHER_TENANT}/v2.0"}
        ]
        fake.claims = claims_of(TENANT, sub="victim", email="victim@example.org", xms_edov=True)
        fake.sign = lambda claims: fake.signed(claims, kid="two")
        assert answer().status_code == 400


def test_the_environment_names_the_providers() -> None:
    given = {
        "EAS_SIGN_IN_GOOGLE_CLIENT_ID": "g",
        "EAS_SIGN_IN_GOOGLE_CLIENT_SECRET": "s",
        "EAS_SIGN_IN_GITLAB_CLIENT_ID": "l",
        "EAS_SIGN_IN_GITLAB_CLIENT_SECRET": "s",
        "EAS_SIGN_IN_GITLAB_ISSUER": "https://git.example",
        "EAS_SIGN_IN_GITLAB_NAME": "Our GitLab",
    }
    found = [of_deployment(one) for one in deployment_providers(given)]
    assert [(one.id, one.name, one.issuer) for one in found] == [
        ("google", "Google", "https://accounts.google.com"),
        ("gitlab", "Our GitLab", "https://git.example"),
    ]
    assert "'s'" not in repr(found)
    assert deployment_providers({}) == ()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"GOOGLE_CLIENT_ID": "x"}, "EAS_SIGN_IN_GOOGLE_CLIENT_SECRET is missing"),
        ({"GOOGLE_CLIENT_SECRET": SECRET}, "EAS_SIGN_IN_GOOGLE_CLIENT_ID is missing"),
        (
            {"OPENID_CONNECT_CLIENT_ID": "x", "OPENID_CONNECT_CLIENT_SECRET": SECRET},
            r"CONNECT_ISSUER is missing: .*needs the issuer",
        ),
        (
            {"GITLAB_CLIENT_ID": "x", "GITLAB_CLIENT_SECRET": SECRET, "GITLAB_ISSUER": "http://git.example"},
            "EAS_SIGN_IN_GITLAB_ISSUER is malformed: write https://host",
        ),
        ({"GITHUB_CLIENT_ID": "x", "GITHUB_CLIENT_SECRET": "sécret"}, "CLIENT_SECRET has a character"),
    ],
    ids=str,
)
def test_a_wrong_environment_is_refused_and_names_no_value(given: dict[str, str], told: str) -> None:
    environment = {f"EAS_SIGN_IN_{name}": value for name, value in given.items()}
    with pytest.raises(StartRefused, match=told) as refused:
        deployment_providers(environment)
    assert SECRET not in str(refused.value)
    assert "sécret" not in str(refused.value)


@pytest.mark.parametrize("host", ["0177.0.0.1", "0x7f.1", "2130706433", "127.1"])
def test_an_issuer_at_an_ip_address_in_an_unusual_spelling_is_refused(host: str) -> None:
    given = {"GITLAB_CLIENT_ID": "x", "GITLAB_CLIENT_SECRET": SECRET, "GITLAB_ISSUER": f"https://{host}"}
    [found] = deployment_providers({f"EAS_SIGN_IN_{name}": value for name, value in given.items()})
    with pytest.raises(StartRefused, match=r"EAS_SIGN_IN_GITLAB_ISSUER is malformed: .*unusual spelling"):
        of_deployment(found)


def test_the_process_does_not_start_with_a_wrong_environment(tmp_path: Path) -> None:
    environment = {**os.environ, "EAS_DATA_DIR": str(tmp_path), "EAS_SIGN_IN_GOOGLE_CLIENT_SECRET": SECRET}
    done = subprocess.run(
        [sys.executable, "-m", "api"], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 2
    assert "EAS_SIGN_IN_GOOGLE_CLIENT_ID is missing" in done.stderr
    assert SECRET not in done.stdout + done.stderr
