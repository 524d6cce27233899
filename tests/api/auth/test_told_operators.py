"""Failed sign-ins: the line tells the operator where to look, and the page leads the person on."""

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from api.control.identity_providers.kinds import ProviderKind
from api.control.identity_providers.providers import NewProvider, add_provider
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from tests.api.auth.browsers import APP, Browser
from tests.api.auth.failed_sign_ins import only_line, service
from tests.api.auth.fake_provider import CLIENT, HOST, ISSUER, SECRET, FakeProvider, answering
from tests.api.conftest import serving

ID = "openid_connect"


def refuses_client(fake: FakeProvider) -> None:
    fake.answers["/token"] = httpx.Response(401, json={"error": "invalid_client"})


def unverified(fake: FakeProvider) -> None:
    fake.claims = {"email_verified": False}


@pytest.mark.parametrize("how", ["page", "program"])
def test_a_lost_key_is_the_fault_of_the_service_and_the_line_names_whose_secret_it_is(
    tmp_path: Path, people: ControlStore, fake: FakeProvider, caplog: pytest.LogCaptureFixture, how: str
) -> None:
    acme = people.ensure_organization("Acme", slug="acme").id
    new = NewProvider(ProviderKind.OPENID_CONNECT, "Acme login", ISSUER, CLIENT, SECRET)
    provider = add_provider(people, OPERATOR, acme, new).id
    (tmp_path / "secret.key").unlink()
    with answering({HOST: fake}), serving(tmp_path, EAS_APP_URL=APP, EAS_PRIVATE_HOSTS=HOST) as address:
        browser = Browser(address)
        if how == "page":
            answer = browser.open(f"{APP}/auth/callback/{provider}?code=one-t1me&state=st4te")
        else:
            answer = browser.post("/auth/startSignIn", {"provider": provider, "organization": "acme"})
            assert answer.json()["code"] == 14
    assert answer.status_code == 503
    assert "cannot be used now" in answer.text
    assert "EAS_" not in answer.text
    line = only_line(caplog)
    assert (line["organization"], line["provider"], line["issuer"]) == (acme, provider, ISSUER)
    assert line["kind"] == "secret_unreadable"
    assert "the client secret was encrypted with the key" in line["reason"]
    assert "token" not in line["reason"]


@pytest.mark.parametrize(
    ("change", "told", "for_operator"),
    [
        (
            refuses_client,
            "ask whoever set up",
            "correct EAS_SIGN_IN_OPENID_CONNECT_CLIENT_ID and EAS_SIGN_IN_",
        ),
        (unverified, "verify it there, or sign in another way", "the claim email_verified is not true"),
    ],
)
def test_the_line_is_for_the_operator_and_the_page_for_the_person(
    tmp_path: Path,
    people: ControlStore,
    fake: FakeProvider,
    caplog: pytest.LogCaptureFixture,
    change: Callable[[FakeProvider], None],
    told: str,
    for_operator: str,
) -> None:
    change(fake)
    with answering({HOST: fake}), service(tmp_path) as browser:
        answer = browser.open(fake.sends_back(browser.begin(ID)))
    assert told in answer.text
    assert "email_verified" not in answer.text
    assert "EAS_" not in answer.text
    assert for_operator in only_line(caplog)["reason"]


def test_an_issuer_with_another_spelling_is_shown_to_the_operator(
    tmp_path: Path, people: ControlStore, fake: FakeProvider, caplog: pytest.LogCaptureFixture
) -> None:
    with answering({HOST: fake}), service(tmp_path, f"{ISSUER}/") as browser:
        answer = browser.open(f"{APP}/auth/start/{ID}")
    assert "names another issuer than the configured one" in answer.text
    assert f"names the issuer {ISSUER}, and {ISSUER}/ is configured" in only_line(caplog)["reason"]


@pytest.mark.parametrize("named", ["call 555", "https://x/\n", "https://a b", "https://x/" + "x" * 600])
def test_an_issuer_that_is_no_address_is_shown_nowhere(
    tmp_path: Path, people: ControlStore, fake: FakeProvider, caplog: pytest.LogCaptureFixture, named: str
) -> None:
    fake.metadata = {"issuer": named}
    with answering({HOST: fake}), service(tmp_path) as browser:
        answer = browser.open(f"{APP}/auth/start/{ID}")
    assert named not in answer.text + only_line(caplog)["reason"]


@pytest.mark.parametrize(
    ("has_passwords", "way_on"), [("true", "Sign in another way"), ("false", "Begin again")]
)
def test_the_page_of_a_failure_leads_back_to_the_ways_of_the_organization(
    tmp_path: Path, people: ControlStore, fake: FakeProvider, has_passwords: str, way_on: str
) -> None:
    acme = people.ensure_organization("Acme", slug="acme").id
    new = NewProvider(ProviderKind.OPENID_CONNECT, "Acme login", ISSUER, CLIENT, SECRET)
    provider = add_provider(people, OPERATOR, acme, new).id
    with (
        answering({HOST: fake}),
        serving(
            tmp_path, EAS_APP_URL=APP, EAS_PRIVATE_HOSTS=HOST, EAS_PASSWORD_SIGN_IN=has_passwords
        ) as address,
    ):
        browser = Browser(address)
        answer = browser.open(fake.sends_back(browser.begin(provider), error="access_denied"))
    assert f'<a href="/signIn?organization={acme}">{way_on}</a>' in answer.text


def test_the_page_of_an_unknown_provider_has_no_words_for_programs(
    tmp_path: Path, people: ControlStore, fake: FakeProvider
) -> None:
    with answering({HOST: fake}), service(tmp_path) as browser:
        answer = browser.open(f"{APP}/auth/start/nobody")
    assert answer.status_code == 404
    assert "This address leads to no way to sign in that is set up here." in answer.text
    assert "GET /" not in answer.text
