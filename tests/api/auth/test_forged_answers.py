"""Answers of a provider that are not as they must be: a clear page, and no session."""

import base64
import hmac
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from joserfc.jwk import ECKey, OctKey
from sqlalchemy import delete, select

from api.control.models import Account, AccountIdentity, SignInSession, Throttle
from api.control.store import ControlStore, open_store
from api.identity_providers import metadata
from tests.api.auth.browsers import APP, Browser
from tests.api.auth.fake_provider import (
    ADDRESS,
    CLIENT,
    HOST,
    ISSUER,
    SECRET,
    FakeProvider,
    answering,
    key_named,
    unsigned,
)
from tests.api.conftest import serving

ID = "openid_connect"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("forged")


@pytest.fixture(scope="module")
def people(folder: Path) -> ControlStore:
    return open_store(folder)


@pytest.fixture(scope="module")
def present() -> list[FakeProvider]:
    """The fake that answers now, alone in this list."""
    return [FakeProvider()]


@pytest.fixture(scope="module")
def served(folder: Path, people: ControlStore, present: list[FakeProvider]) -> Iterator[str]:
    """A service that keeps nothing of the provider between two requests."""
    given = {"CLIENT_ID": CLIENT, "CLIENT_SECRET": SECRET, "ISSUER": ISSUER, "NAME": "Fake"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in given.items():
            patch.setenv(f"EAS_SIGN_IN_OPENID_CONNECT_{name}", value)
        patch.setattr(metadata, "METADATA_SECONDS", -1.0)
        patch.setattr(metadata, "KEYS_SECONDS", -1.0)

        def answer(request: httpx.Request) -> httpx.Response:
            return present[0](request)

        with answering({HOST: answer}), serving(folder, EAS_APP_URL=APP) as address:
            yield address


@pytest.fixture
def fake(present: list[FakeProvider]) -> FakeProvider:
    present[0] = FakeProvider()
    return present[0]


@pytest.fixture
def browser(served: str, people: ControlStore, fake: FakeProvider) -> Browser:
    with people.session() as session:
        for table in (Throttle, SignInSession, AccountIdentity, Account):
            session.execute(delete(table))
    return Browser(served)


def sessions(people: ControlStore) -> list[str]:
    with people.session() as session:
        return list(session.scalars(select(SignInSession.id)))


def answer_of(browser: Browser, fake: FakeProvider, **more: str) -> httpx.Response:
    return browser.open(fake.sends_back(browser.begin(ID), **more))


def test_the_fake_is_believed_when_it_does_not_lie(
    browser: Browser, fake: FakeProvider, people: ControlStore
) -> None:
    done = browser.complete(fake.sends_back(browser.begin(ID)))
    assert done.json()["account"]["email"] == ADDRESS
    assert len(sessions(people)) == 1
    [form] = fake.forms()
    assert form.keys() == {"grant_type", "code", "redirect_uri", "code_verifier"}
    assert len(form["code_verifier"]) == 43
    # The secret goes to the token endpoint alone, in a header.
    held = [one.url.path for one in fake.requests if "authorization" in one.headers]
    assert held == ["/token"]


# Far ahead, because a run of all tests may begin hours before the test that uses a time.
NOW, DAY = time.time(), 86_400
WRONG_CLAIMS: dict[str, dict[str, Any]] = {
    "another issuer": {"iss": "https://accounts.google.com"},
    "issuer with a slash": {"iss": f"{ISSUER}/"},
    "no issuer": {"iss": None},
    "another audience": {"aud": "other"},
    "no audience": {"aud": None},
    "an empty audience": {"aud": []},
    "audiences without azp": {"aud": [CLIENT, "other"]},
    "audiences with another azp": {"aud": [CLIENT, "other"], "azp": "other"},
    "another azp": {"azp": "other"},
    "expired": {"exp": NOW - 3600},
    "no expiry": {"exp": None},
    "expiry as text": {"exp": "tomorrow"},
    "issued in the future": {"iat": NOW + DAY},
    "issued long ago": {"iat": NOW - 7200},
    "no time of issue": {"iat": None},
    "not valid yet": {"nbf": NOW + DAY},
    "another nonce": {"nonce": "0ther"},
    "no nonce": {"nonce": None},
    "no subject": {"sub": None},
    "an empty subject": {"sub": ""},
    "a subject that is no text": {"sub": ["ada"]},
    "a wrong hash of the access token": {"at_hash": "AAAA"},
    "an endless subject": {"sub": "x" * 256},
    "a subject with a NUL": {"sub": "ada\0"},
}


@pytest.mark.parametrize("name", WRONG_CLAIMS)
def test_wrong_claims_begin_no_session(
    browser: Browser, fake: FakeProvider, people: ControlStore, name: str
) -> None:
    fake.claims = WRONG_CLAIMS[name]
    answer = answer_of(browser, fake)
    assert (answer.status_code, sessions(people)) == (400, [])
    assert "Signing in failed" in answer.text


def several_audiences(fake: FakeProvider) -> None:
    fake.claims = {"aud": [CLIENT, "other"], "azp": CLIENT}


def test_several_audiences_are_accepted_with_the_own_azp(browser: Browser, fake: FakeProvider) -> None:
    several_audiences(fake)
    assert answer_of(browser, fake).status_code == 303


def with_none(fake: FakeProvider) -> None:
    fake.sign = unsigned


def with_none_and_kid(fake: FakeProvider) -> None:
    fake.sign = lambda claims: unsigned(claims, kid="one")


def with_public_key_as_secret(fake: FakeProvider) -> None:
    public = fake.key.as_pem(private=False)

    def signed(claims: dict[str, Any]) -> str:
        # By hand, because no library does it.
        content = unsigned(claims, alg="HS256", kid="one").rstrip(".")
        mac = hmac.digest(public, content.encode(), "sha256")
        return f"{content}.{base64.urlsafe_b64encode(mac).decode().rstrip('=')}"

    fake.sign = signed


def with_listed_secret(fake: FakeProvider) -> None:
    secret = OctKey.import_key("s" * 32, {"kid": "oct", "alg": "HS256"})
    fake.keys = [secret.as_dict(private=True), fake.key.as_dict(private=False)]
    fake.sign = lambda claims: fake.signed(claims, secret, alg="HS256", kid="oct")


def with_client_secret(fake: FakeProvider) -> None:
    fake.sign = lambda claims: fake.signed(claims, OctKey.import_key(SECRET), alg="HS256")


def with_another_key(fake: FakeProvider) -> None:
    other = key_named("one")
    fake.sign = lambda claims: fake.signed(claims, other)


def with_unknown_key(fake: FakeProvider) -> None:
    other = key_named("two")
    fake.sign = lambda claims: fake.signed(claims, other, kid="two")


def with_embedded_key(fake: FakeProvider) -> None:
    other = ECKey.generate_key("P-256")
    public = other.as_dict(private=False)
    fake.sign = lambda claims: fake.signed(claims, other, alg="ES256", jwk=public)


def with_changed_content(fake: FakeProvider) -> None:
    def changed(claims: dict[str, Any]) -> str:
        head, _, signature = fake.signed(claims).split(".")
        return f"{head}.{unsigned({**claims, 'sub': 'boss'}).split('.')[1]}.{signature}"

    fake.sign = changed


def with_no_token(fake: FakeProvider) -> None:
    fake.answers["/token"] = httpx.Response(200, json={"access_token": "acc3ss"})


def with_nonsense(fake: FakeProvider) -> None:
    fake.claims = {}
    fake.sign = lambda claims: f"a.{len(claims)}.c"


def with_a_page(fake: FakeProvider) -> None:
    fake.answers["/token"] = httpx.Response(200, text="<html>Sign in at evil.example</html>")


def with_a_redirect(fake: FakeProvider) -> None:
    fake.answers["/token"] = httpx.Response(307, headers={"location": "https://evil.example/"})


def with_a_refusal(fake: FakeProvider) -> None:
    body = {"error": "invalid_grant", "error_description": f"evil.example {SECRET}"}
    fake.answers["/token"] = httpx.Response(400, json=body)


def with_a_refused_client(fake: FakeProvider) -> None:
    fake.answers["/token"] = httpx.Response(
        401, json={"error": "invalid_client", "error_description": SECRET}
    )


def with_a_list(fake: FakeProvider) -> None:
    fake.answers["/token"] = httpx.Response(200, json=["evil.example"])


LIES = (
    with_none, with_none_and_kid, with_public_key_as_secret, with_listed_secret, with_client_secret, with_another_key,
    with_unknown_key, with_embedded_key, with_changed_content, with_no_token, with_nonsense, with_a_page,
    with_a_redirect, with_a_refusal, with_a_refused_client, with_a_list,
)  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_a_forged_or_broken_answer_begins_no_session(
    browser: Browser, fake: FakeProvider, people: ControlStore, lie: Callable[[FakeProvider], None]
) -> None:
    lie(fake)
    answer = answer_of(browser, fake)
    assert (answer.status_code, sessions(people)) == (400, [])
    assert "evil.example" not in answer.text
    assert SECRET not in answer.text


def test_an_unknown_key_is_looked_up_once_a_minute(
    browser: Browser, fake: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert answer_of(browser, fake).status_code == 303
    monkeypatch.setattr(metadata, "KEYS_SECONDS", 3600.0)
    fake.requests.clear()
    with_unknown_key(fake)
    assert [answer_of(browser, fake).status_code for _ in range(5)] == [400] * 5
    assert [one.url.path for one in fake.requests].count("/keys") == 1
    monkeypatch.setattr(metadata, "REFETCH_SECONDS", -1.0)
    assert answer_of(browser, fake).status_code == 400
    assert [one.url.path for one in fake.requests].count("/keys") == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"issuer": "https://evil.example"},
        {"issuer": f"{ISSUER}/"},
        {"authorization_endpoint": "http://203.0.113.9/authorize"},
        {"authorization_endpoint": "javascript:alert(1)"},
        # Of evil.example for a browser.
        {"authorization_endpoint": "https://evil.example\\.203.0.113.9/authorize"},
        {"token_endpoint": "https://user:pass@203.0.113.9/token"},
        {"jwks_uri": None},
        {"response_types_supported": None},
    ],
    ids=str,
)
def test_metadata_that_lies_begins_nothing(
    browser: Browser, fake: FakeProvider, wrong: dict[str, Any]
) -> None:
    fake.metadata = wrong
    answer = browser.post("/auth/startSignIn", {"provider": ID})
    assert (answer.status_code, answer.json()["code"]) == (400, 9)
    assert "evil.example" not in answer.text
    page = browser.open(f"{APP}/auth/start/{ID}")
    assert page.status_code == 400
    assert "location" not in page.headers


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_provider_with_an_error_is_to_be_tried_later(
    browser: Browser, fake: FakeProvider, people: ControlStore, status: int
) -> None:
    fake.answers["/token"] = httpx.Response(status, json={"error": "server_error"})
    answer = answer_of(browser, fake)
    assert (answer.status_code, sessions(people)) == (503, [])
    assert "try again in a few minutes" in answer.text


def test_answers_have_a_limit(browser: Browser, fake: FakeProvider, people: ControlStore) -> None:
    fake.answers["/token"] = httpx.Response(200, json={"id_token": "x" * 2_000_000})
    assert (answer_of(browser, fake).status_code, sessions(people)) == (400, [])


def test_the_userinfo_of_another_subject_is_refused(
    browser: Browser, fake: FakeProvider, people: ControlStore
) -> None:
    fake.metadata = {"userinfo_endpoint": f"{ISSUER}/user"}
    fake.claims = {"email": None, "email_verified": None}
    fake.answers["/user"] = httpx.Response(
        200, json={"sub": "boss", "email": ADDRESS, "email_verified": True}
    )
    assert (answer_of(browser, fake).status_code, sessions(people)) == (400, [])
    fake.answers["/user"] = httpx.Response(200, json={"sub": "ada", "email": ADDRESS, "email_verified": True})
    assert answer_of(browser, fake).status_code == 303


def test_an_address_and_its_verification_come_from_one_place(
    browser: Browser, fake: FakeProvider, people: ControlStore
) -> None:
    fake.metadata = {"userinfo_endpoint": f"{ISSUER}/user"}
    fake.claims = {"email_verified": None}
    for user, status in (
        ({"sub": "ada", "email_verified": True}, 400),
        ({"sub": "ada", "email": "other@example.org", "email_verified": False}, 400),
        ({"sub": "ada", "email": "other@example.org", "email_verified": True}, 303),
    ):
        fake.answers["/user"] = httpx.Response(200, json=user)
        assert answer_of(browser, fake).status_code == status
    with people.session() as session:
        assert session.scalars(select(Account.email_key)).all() == ["other@example.org"]


@pytest.mark.parametrize(
    "address", ["ada", "ada@localhost", "ada@exämple.org", "a@b.example\r\nBcc: x@y.example"]
)
def test_an_address_that_is_none_joins_nothing(
    browser: Browser, fake: FakeProvider, people: ControlStore, address: str
) -> None:
    fake.claims = {"email": address}
    assert (answer_of(browser, fake).status_code, sessions(people)) == (400, [])
