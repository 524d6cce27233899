"""Addresses of connections, and checks of tokens without long pauses."""

import json
import subprocess
import sys
import time
from collections.abc import Callable

import httpx
import pytest

from api.operator.readers import host_list
from ingest import probe
from ingest.errors import Permanent, ProviderRefused, RateLimited, Transient
from ingest.probe import AddressRefused, Reach, check_connection, connection_address, connection_kinds

PUBLIC = Reach(resolve=lambda _host: ["93.184.216.34"])
HOST = "git.example"
Handler = Callable[[httpx.Request], httpx.Response]
JSON = {"content-type": "application/json"}


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Callable[[Handler], None]:
    def answer(handler: Handler) -> None:
        fake = httpx.MockTransport(handler)
        monkeypatch.setattr(
            httpx.HTTPTransport, "handle_request", lambda _, request: fake.handle_request(request)
        )

    return answer


def check() -> object:
    return check_connection("GITEA", f"https://{HOST}", "", "t0ken", {}, PUBLIC)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("https://Git.Example/", "https://git.example"),
        (" https://git.example:443//sub/path/ ", "https://git.example/sub/path"),
        ("HTTPS://git.example:8443", "https://git.example:8443"),
        ("https://[2606:2800:220:1::1]:444/x", "https://[2606:2800:220:1::1]:444/x"),
    ],
)
def test_an_address_has_one_spelling(given: str, expected: str) -> None:
    assert connection_address("GITEA", given, PUBLIC) == expected


@pytest.mark.parametrize(
    "bad",
    [
        *(
            "",
            "git.example",
            "ssh://git.example",
            "http://git.example",
            "ftp://git.example",
            "https:git.example",
        ),
        *(
            "https://ada@git.example",
            "https://git.example?x",
            "https://git.example#x",
            "https://git.example/../x",
        ),
        *("https://git.example:0", "https://git.example:99999", "https://git.example\\x", "https://git exa"),
        *(
            "https://gït.example",
            "https://-x",
            "https://git.exa\nmple",
            "https://[::1",
            "https://" + "a" * 3000,
        ),
    ],
)
def test_other_addresses_are_refused(bad: str) -> None:
    with pytest.raises(AddressRefused):
        connection_address("GITEA", bad, PUBLIC)


@pytest.mark.parametrize("address", ["10.0.0.1", "127.0.0.1", "169.254.169.254", "::1", "fd00::1"])
def test_a_host_within_is_refused_unless_it_is_listed(address: str) -> None:
    with pytest.raises(AddressRefused, match="EAS_PRIVATE_HOSTS"):
        connection_address("GITEA", f"https://{HOST}", Reach(resolve=lambda _host: [address]))
    listed = Reach(frozenset({HOST}), resolve=lambda _host: [address])
    assert connection_address("GITEA", f"https://{HOST}", listed) == f"https://{HOST}"


@pytest.mark.parametrize("kind", ["ASANA", "BITBUCKET_CLOUD", "LINEAR"])
def test_a_single_service_has_its_own_address_and_listed_gateways_alone(kind: str) -> None:
    own = connection_address(kind, None, PUBLIC)
    assert connection_address(kind, f"{own}/", PUBLIC) == own
    with pytest.raises(AddressRefused, match=f"at {own}: leave the address out"):
        connection_address(kind, f"https://{HOST}", PUBLIC)
    for listed, host in ((HOST, HOST), ("10.1.0.0/16", "10.1.2.3"), ("::1", "[::1]")):
        reach = Reach(*host_list(listed), resolve=PUBLIC.resolve)
        assert connection_address(kind, f"https://{host}", reach) == f"https://{host}"


def test_self_managed_kinds_take_any_address() -> None:
    free = [one.kind for one in connection_kinds() if not one.is_single_service]
    assert {"GITEA", "GITHUB", "GITLAB", "JIRA_CLOUD", "JIRA_DATA_CENTER"} <= set(free)
    for kind in free:
        assert connection_address(kind, f"https://{HOST}", PUBLIC) == f"https://{HOST}"


def test_an_unknown_kind_names_the_known_ones() -> None:
    with pytest.raises(Permanent, match="GITEA"):
        connection_address("CVS", None, PUBLIC)


def test_an_accepted_token_names_its_account(answering: Callable[[Handler], None]) -> None:
    answering(lambda _: httpx.Response(200, json={"login": "ada", "version": "1"}))
    assert getattr(check(), "account", None) == "ada"


def test_the_name_of_an_account_is_short_and_shows_all_of_itself(
    answering: Callable[[Handler], None],
) -> None:
    name = "ann\u202e\x1b[2J\x00\ud800 " + "x" * 5_000
    answering(lambda _: httpx.Response(200, content=json.dumps({"login": name}).encode(), headers=JSON))
    found = check()
    assert isinstance(found, probe.CheckedConnection)
    assert found.account.isprintable()
    assert len(found.account) <= probe.MAX_ACCOUNT_LENGTH


def test_an_answer_of_another_shape_is_a_refusal(answering: Callable[[Handler], None]) -> None:
    for body in (b"[1]", b"7", b'{"login": {"a": "\\ud800"}}', b'{"login": ' + b"9" * 5_000 + b"}"):

        def answer(_: httpx.Request, body: bytes = body) -> httpx.Response:
            return httpx.Response(200, content=body, headers=JSON)

        answering(answer)
        with pytest.raises(ProviderRefused):
            check()


@pytest.mark.parametrize("after", ["2", "30", "3600", None])
def test_a_limit_is_raised_at_once(answering: Callable[[Handler], None], after: str | None) -> None:
    headers = {"Retry-After": after} if after else {}
    answering(lambda _: httpx.Response(429, json={}, headers=headers))
    began = time.monotonic()
    with pytest.raises(RateLimited) as caught:
        check()
    assert caught.value.retry_after == (float(after) if after else None)
    assert time.monotonic() - began < 8


def test_a_host_that_does_not_answer_is_not_tried_for_long(answering: Callable[[Handler], None]) -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    answering(refuse)
    began = time.monotonic()
    with pytest.raises(Transient, match="cannot be reached"):
        check()
    assert time.monotonic() - began < 20


def test_a_short_fault_is_repeated(answering: Callable[[Handler], None]) -> None:
    answers = iter([502, 200, 200])
    answering(lambda _: httpx.Response(next(answers), json={"login": "ada"}))
    assert getattr(check(), "account", None) == "ada"


def test_a_refused_token_is_told_as_the_provider_means_it(answering: Callable[[Handler], None]) -> None:
    answering(lambda request: httpx.Response(401 if "user" in request.url.path else 200, json={}))
    with pytest.raises(ProviderRefused, match="read:repository"):
        check()


def test_providers_and_the_client_are_only_imported_for_a_check() -> None:
    unwanted = ("ingest.providers.registry", "ingest.http.client")
    program = f"import sys, ingest.probe; print([one for one in {unwanted} if one in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
