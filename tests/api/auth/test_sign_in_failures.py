"""Failed sign-ins: plain words and a reference for the person, one line with that reference for the operator."""

import http.server
import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from api.control.models import SignInSession
from api.control.store import ControlStore
from api.identity_providers.failures import FailureKind
from ingest.settings import CHECKOUT
from tests.api.auth.browsers import APP, Browser, parameter
from tests.api.auth.failed_sign_ins import HOSTILE, lines, only_line, reference, service
from tests.api.auth.fake_provider import CLIENT, HOST, ISSUER, SECRET, FakeProvider, answering
from tests.api.conftest import serving
from tests.api.people import join, make_account, sign_in
from tests.ingest.http.certificates import authority_and_server

ID = "openid_connect"
# Words of the operator, which no visitor needs: settings, classes of errors, hosts behind the name of the provider.
OPERATORS = re.compile(
    r"SSL_CERT|EAS_[A-Z]|HTTPS_PROXY|[A-Z][a-z]+Error|\b\d{1,3}(?:\.\d{1,3}){3}\b|:\d{4,5}\b"
)


@contextmanager
def closed_port() -> Iterator[str]:
    """An issuer where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        yield f"https://127.0.0.1:{probe.getsockname()[1]}"


@contextmanager
def untrusted(folder: Path) -> Iterator[str]:
    """An issuer whose certificate no known authority signed."""
    _, context = authority_and_server(folder, "127.0.0.1")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"https://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("how", ["page", "program"])
@pytest.mark.parametrize(
    ("defect", "kind", "status", "told", "for_operator"),
    [
        (
            "closed",
            "unreachable",
            503,
            "cannot be reached: try again in a few minutes",
            "nothing answers at this port",
        ),
        (
            "untrusted",
            "certificate",
            400,
            "cannot be reached safely: tell your administrator",
            "SSL_CERT_FILE",
        ),
    ],
)
def test_a_provider_out_of_reach_is_told_in_plain_words_and_the_log_has_the_facts(
    tmp_path: Path,
    people: ControlStore,
    caplog: pytest.LogCaptureFixture,
    defect: str,
    kind: str,
    status: int,
    told: str,
    for_operator: str,
    how: str,
) -> None:
    found = closed_port() if defect == "closed" else untrusted(tmp_path)
    with found as issuer, service(tmp_path, issuer) as browser:
        if how == "page":
            answer = browser.open(f"{APP}/auth/start/{ID}")
            assert answer.headers["content-type"].startswith("text/html")
        else:
            answer = browser.post("/auth/startSignIn", {"provider": ID})
            assert answer.json()["code"] == (14 if status == 503 else 9)
    assert answer.status_code == status
    assert f"Acme login {told}" in answer.text
    assert "administrator" in answer.text
    assert not OPERATORS.search(re.sub(r"<style>.*</style>", "", answer.text))
    line = only_line(caplog)
    assert line["reference"] == reference(answer.text)
    assert (line["provider"], line["organization"], line["issuer"]) == (ID, "-", issuer)
    assert (line["kind"], line["step"]) == (kind, "start")
    assert for_operator in line["reason"]


def forged(fake: FakeProvider) -> None:
    fake.claims = {"aud": "another"}


def without_email(fake: FakeProvider) -> None:
    fake.claims = {"email": None}


def without_verification(fake: FakeProvider) -> None:
    fake.claims = {"email_verified": None}


def unverified(fake: FakeProvider) -> None:
    fake.claims = {"email_verified": False}


def refuses_client(fake: FakeProvider) -> None:
    fake.answers["/token"] = httpx.Response(
        401, json={"error": "invalid_client", "error_description": HOSTILE}
    )


def refuses_code(fake: FakeProvider) -> None:
    fake.answers["/token"] = httpx.Response(
        400, json={"error": "invalid_grant", "error_description": HOSTILE}
    )


def is_overloaded(fake: FakeProvider) -> None:
    fake.answers["/token"] = httpx.Response(503, text=HOSTILE)


def has_no_keys(fake: FakeProvider) -> None:
    fake.keys = []


def is_as_it_should_be(_: FakeProvider) -> None:
    pass


@pytest.mark.parametrize(
    ("change", "given", "kind", "told"),
    [
        (
            without_email,
            {},
            "missing_claim",
            "the claim email is missing; its administrator has to release it",
        ),
        (without_verification, {}, "missing_claim", "the claim email_verified is missing"),
        (unverified, {}, "unverified_address", "does not confirm that your e-mail address is yours"),
        (forged, {}, "bad_id_token", "sent an ID token whose aud is not as it must be"),
        (has_no_keys, {}, "bad_answer", "lists no keys that can be used"),
        (refuses_client, {}, "client_refused", "does not accept this service"),
        (refuses_code, {}, "code_refused", "begin again at the sign-in page"),
        (is_overloaded, {}, "provider_error", "cannot be reached: try again in a few minutes"),
        (is_as_it_should_be, {"error": "access_denied"}, "cancelled", "or you cancelled"),
        (is_as_it_should_be, {"error": HOSTILE}, "bad_answer", "refused this sign-in"),
        (is_as_it_should_be, {"code": ""}, "bad_answer", "without a code"),
        (
            is_as_it_should_be,
            {"state": "s3cret-state-of-somebody"},
            "unknown_sign_in",
            "began in another browser",
        ),
    ],
)
def test_every_kind_of_failure_leaves_one_line_without_secrets_or_people(
    tmp_path: Path,
    people: ControlStore,
    fake: FakeProvider,
    caplog: pytest.LogCaptureFixture,
    change: Callable[[FakeProvider], None],
    given: dict[str, str],
    kind: str,
    told: str,
) -> None:
    change(fake)
    with answering({HOST: fake}), service(tmp_path) as browser:
        callback = fake.sends_back(browser.begin(ID), **given)
        answer = browser.open(callback)
    assert answer.status_code in (400, 503)
    assert told in answer.text
    line = only_line(caplog)
    assert (line["kind"], line["reference"], line["step"]) == (kind, reference(answer.text), "callback")
    cookie = next(iter(browser.http.cookies.jar)).value or ""
    secrets = [
        SECRET,
        parameter(callback, "state"),
        fake.nonce,
        cookie,
        "one-t1me",
        "ada@example.org",
        "Call 555",
    ]
    seen = json.dumps(line) + answer.text
    assert not [one for one in secrets if one and one in seen]
    with people.session() as session:
        assert session.query(SignInSession).count() == 0


def test_the_line_names_the_organization_whose_provider_fails(
    tmp_path: Path, people: ControlStore, fake: FakeProvider, caplog: pytest.LogCaptureFixture
) -> None:
    acme = people.ensure_organization("Acme", slug="acme").id
    owner = sign_in(people, join(people, acme, "owner", make_account(people)))
    new = {
        "kind": "OPENID_CONNECT",
        "name": 'Acme "login" kind=forged',
        "issuer": ISSUER,
        "clientId": CLIENT,
        "clientSecret": SECRET,
    }
    with answering({HOST: fake}), serving(tmp_path, EAS_APP_URL=APP, EAS_PRIVATE_HOSTS=HOST) as address:
        browser = Browser(address)
        made = browser.post("/api/v1/organizations/acme/identityProviders", new, owner).json()["id"]
        stranger = browser.open(fake.sends_back(browser.begin(made)))
        assert stranger.status_code == 403
        fake.answers["/token"] = httpx.Response(401, json={"error": "invalid_client"})
        assert browser.open(fake.sends_back(browser.begin(made))).status_code == 400
    refused, wrong = lines(caplog)
    assert (refused["kind"], wrong["kind"]) == ("not_accepted", "client_refused")
    assert {line["organization"] for line in (refused, wrong)} == {acme}
    assert {line["provider"] for line in (refused, wrong)} == {made}
    # In a value, and no fact of its own.
    assert "kind=forged" in wrong["reason"]
    assert "correct clientId and clientSecret of this identity provider" in wrong["reason"]


@pytest.mark.parametrize("kind", FailureKind)
def test_every_kind_is_explained_to_operators(kind: FailureKind) -> None:
    assert f"`{kind}`" in (CHECKOUT / "docs" / "operations" / "identity-providers.md").read_text()


def test_a_one_time_code_of_nobody_leaves_a_line(
    tmp_path: Path, people: ControlStore, fake: FakeProvider, caplog: pytest.LogCaptureFixture
) -> None:
    with answering({HOST: fake}), service(tmp_path) as browser:
        answer = browser.post("/auth/completeSignIn", {"code": "one-time-code-of-nobody"})
    assert (answer.status_code, answer.json()["code"]) == (400, 9)
    line = only_line(caplog)
    assert (line["kind"], line["step"], line["provider"]) == ("unknown_sign_in", "complete", "-")
    assert line["reference"] == reference(answer.text)
    assert "one-time-code" not in json.dumps(line)


@pytest.mark.parametrize("path", ["/auth/start/nobody", "/auth/callback/nobody?code=one-t1me&state=st4te"])
def test_an_unknown_provider_leaves_a_line_without_the_words_of_the_address(
    tmp_path: Path, people: ControlStore, fake: FakeProvider, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    with answering({HOST: fake}), service(tmp_path) as browser:
        answer = browser.open(f"{APP}{path}")
    assert answer.status_code == 404
    line = only_line(caplog)
    assert (line["kind"], line["provider"]) == ("unknown_provider", "-")
    assert not [one for one in ("nobody", "one-t1me", "st4te") if one in json.dumps(line)]


def test_attempts_above_the_rate_limit_cannot_fill_the_log(
    tmp_path: Path, people: ControlStore, fake: FakeProvider, caplog: pytest.LogCaptureFixture
) -> None:
    with answering({HOST: fake}), service(tmp_path) as browser:
        statuses = [browser.open(f"{APP}/auth/callback/nobody").status_code for _ in range(90)]
    assert set(statuses) == {404, 429}
    assert len(lines(caplog)) == statuses.count(404) < 75
