"""The client against servers that misbehave on the wire, and against scripted answers."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import httpx
import pytest

from ingest.errors import IngestError, ProviderRefused, RateLimited, Refusal, Transient, UnsupportedTarget
from ingest.http import client as http
from ingest.http import transport
from ingest.http.cache import HttpCache
from ingest.http.client import Client, Login
from ingest.http.rate_limits import RateLimits
from ingest.reach import Reach
from tests.ingest.http.certificates import authority_and_server
from tests.ingest.http.scripted_server import Scripted, Step, answer, cut, playing, raw, reset, silence

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SECRET = "tok-5ecret"
LIMITS = RateLimits(remaining="x-remaining", reset="x-reset")


@contextmanager
def talking(
    steps: Sequence[Step], limits: RateLimits = LIMITS, path: str = ""
) -> Iterator[tuple[Client, Scripted, list[float]]]:
    """A client of a scripted server, and the pauses that it made instead of sleeping."""
    pauses: list[float] = []
    with playing(steps) as server:
        login = Login(f"{server.address}{path}", {"Authorization": f"Bearer {SECRET}"}, (SECRET,))
        with Client(login, limits, sleep=pauses.append, now=lambda: NOW) as client:
            yield client, server, pauses


@pytest.mark.parametrize(
    "fault",
    [
        reset,
        cut({"rows": list(range(1000))}),
        raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{}"),
        raw(b"nonsense\r\n\r\n"),
        answer(b"{broken", content_type="application/json"),
        answer("<html>Bad gateway</html>", 502, content_type="text/html"),
        answer(None, 503),
        answer(None, 504),
        answer({"message": "slow down"}, 429),
    ],
    ids=[
        "reset",
        "reset in the body",
        "short body",
        "no HTTP",
        "broken JSON",
        "502 page",
        "503",
        "504",
        "429",
    ],
)
def test_a_passing_fault_is_repeated_after_a_pause(fault: Step) -> None:
    with talking([fault, fault, answer({"rows": 3})]) as (client, server, pauses):
        assert client.get("things").body == {"rows": 3}
        assert len(server.lines) == client.requests == 3
        assert all(1 <= pause <= 5 for pause in pauses)


def test_a_lasting_fault_ends_after_five_tries() -> None:
    with talking([answer(None, 503)]) as (client, server, pauses):
        with pytest.raises(Transient, match="answers 503"):
            client.get("things")
        assert (len(server.lines), len(pauses)) == (5, 4)


def test_a_silent_server_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "READ_SECONDS", 0.2)
    with talking([silence(0.5), answer({})]) as (client, _, _):
        assert client.get("things").body == {}


def test_an_endless_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MAX_ANSWER_BYTES", 1000)
    with (
        talking([answer(["x" * 2000])]) as (client, _, _),
        pytest.raises(ProviderRefused, match="megabytes"),
    ):
        client.get("things")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 422])
def test_a_refusal_is_not_repeated_and_has_the_words_of_the_provider(status: int) -> None:
    said = {"message": f"Bad\nthing about {SECRET}"}
    with talking([answer(said, status)]) as (client, server, _):
        with pytest.raises(ProviderRefused) as refused:
            client.get("things")
        assert (refused.value.status, len(server.lines)) == (status, 1)
        assert "Bad thing about ***" in str(refused.value)
        assert SECRET not in repr(refused.value) + repr(client.login)


@pytest.mark.parametrize(
    ("headers", "status", "seconds"),
    [
        ({"Retry-After": "7"}, 429, 7),
        ({"Retry-After": "7"}, 503, 7),
        ({"Retry-After": format_datetime(NOW + timedelta(seconds=20))}, 429, 20),
        ({"X-Reset": str(int(NOW.timestamp()) + 30)}, 429, 30),
        ({"X-Reset": str(int(NOW.timestamp()) + 30), "X-Remaining": "0"}, 403, 30),
        # The provider's clock is an hour ahead of ours: its own header tells.
        (
            {
                "Retry-After": format_datetime(NOW + timedelta(seconds=3620)),
                "Date": format_datetime(NOW + timedelta(seconds=3600)),
            },
            429,
            20,
        ),
    ],
)
def test_a_short_limit_is_waited_for(headers: dict[str, str], status: int, seconds: float) -> None:
    with talking([answer({}, status, headers), answer({"ok": 1})]) as (client, _, pauses):
        assert client.get("things").body == {"ok": 1}
        assert pauses == [pytest.approx(seconds)]


def test_a_long_limit_ends_the_run_at_once() -> None:
    with talking([answer({}, 429, {"Retry-After": "3600"})]) as (client, server, pauses):
        with pytest.raises(RateLimited) as limited:
            client.get("things")
        assert (limited.value.retry_after, len(server.lines), pauses) == (3600, 1, [])


@pytest.mark.parametrize("header", ["soon", "-5", "nan", "1e30", ""])
def test_a_malformed_wait_counts_as_none(header: str) -> None:
    with talking([answer({}, 429, {"Retry-After": header}), answer({})]) as (client, _, pauses):
        client.get("things")
        assert 1 <= pauses[0] <= 3


@pytest.mark.parametrize("status", [200, 203])
def test_a_page_instead_of_data_is_refused(status: int) -> None:
    page = answer(b"<html>Sign in</html>", status, content_type="text/html; charset=utf-8")
    with talking([page]) as (client, server, _):
        with pytest.raises(ProviderRefused) as refused:
            client.get("things")
        assert (refused.value.refusal, len(server.lines)) == (Refusal.BAD_ADDRESS, 1)


def test_a_redirect_within_the_host_is_followed_and_no_other() -> None:
    with talking([answer({}, 301, {"Location": "/moved?x=1"}), answer({"moved": True})]) as (
        client,
        server,
        _,
    ):
        assert client.get("things").body == {"moved": True}
        assert server.lines[1].startswith("GET /moved?x=1 ")
    for elsewhere in (
        "http://127.0.0.1:1/things",
        "https://evil.example/things",
        "//evil.example/",
        "ftp://x/",
    ):
        with talking([answer({}, 302, {"Location": elsewhere})]) as (client, server, _):
            with pytest.raises(ProviderRefused, match="would get the token"):
                client.get("things")
            assert len(server.lines) == 1


def test_a_circle_of_redirects_ends() -> None:
    with talking([answer({}, 301, {"Location": "/again"})]) as (client, server, _):
        with pytest.raises(ProviderRefused):
            client.get("things")
        assert len(server.lines) == http.MAX_REDIRECTS


def test_a_base_address_keeps_its_path_and_parameters_merge() -> None:
    with talking([answer({})], path="/jira/rest") as (client, server, _):
        client.get("things?a=1", {"b": "x y&z"})
        assert server.lines == ["GET /jira/rest/things?a=1&b=x+y%26z HTTP/1.1"]


def test_an_unchanged_answer_is_not_sent_again() -> None:
    steps = [answer({"rows": 1}, headers={"ETag": '"v1"', "Link": '</next>; rel="next"'}), answer(None, 304)]
    with talking(steps) as (client, server, _):
        first = client.get("things")
        client.cache = HttpCache.from_bytes(client.cache.to_bytes())
        second = client.get("things")
        assert (second.body, second.next_link) == (first.body, first.next_link) == ({"rows": 1}, "/next")
        assert server.headers[1]["if-none-match"] == '"v1"'


@pytest.fixture
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.usefixtures("no_proxies")
@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_requests_follow_the_proxy_variables_and_their_exceptions(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    with playing([answer({"from": "proxy"})]) as proxy, playing([answer({"from": "host"})]) as host:
        monkeypatch.setenv(variable, proxy.address)
        with Client(Login("http://tracker.example/api", {})) as client:
            assert client.get("things").body == {"from": "proxy"}
        assert proxy.lines == ["GET http://tracker.example/api/things HTTP/1.1"]
        monkeypatch.setenv("NO_PROXY", "other.example,127.0.0.1")
        with Client(Login(host.address, {})) as client:
            assert client.get("things").body == {"from": "host"}
        assert len(proxy.lines) == 1


@pytest.mark.usefixtures("no_proxies")
def test_a_host_out_of_reach_is_never_connected_to() -> None:
    with playing([answer({})]) as server:
        with (
            Client(Login(server.address, {}), reach=Reach()) as client,
            pytest.raises(UnsupportedTarget, match="EAS_PRIVATE_HOSTS"),
        ):
            client.get("things")
        assert server.lines == []


@pytest.mark.usefixtures("no_proxies")
def test_a_connection_leads_to_the_checked_address_under_the_name_of_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority, context = authority_and_server(tmp_path, "tracker.example")
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    asked: list[str] = []

    def resolve(name: str) -> list[str]:
        asked.append(name)
        return ["127.0.0.1"]

    with playing([answer({"ok": 1})], context) as server:
        address = f"https://tracker.example:{server.port}"
        reach = Reach(frozenset({"tracker.example"}), resolve=resolve)
        with Client(Login(address, {}), reach=reach) as client:
            assert client.get("things").body == {"ok": 1}
        assert server.headers[0]["host"] == f"tracker.example:{server.port}"
    assert asked == ["tracker.example"]


@pytest.mark.usefixtures("no_proxies")
def test_an_unknown_authority_is_named_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, context = authority_and_server(tmp_path, "127.0.0.1")
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    error: IngestError | None = None
    with playing([answer({})], context) as server, Client(Login(server.address, {})) as client:
        try:
            client.get("things")
        except IngestError as raised:
            error = raised
    assert isinstance(error, ProviderRefused)
    assert error.refusal is Refusal.TLS
    assert "SSL_CERT_FILE" in str(error)


def test_a_post_is_repeated_with_its_body() -> None:
    bodies = []

    def handle(request: httpx.Request) -> httpx.Response:
        bodies.append(request.content)
        return httpx.Response(502 if len(bodies) == 1 else 200, json={"data": 1})

    login = Login("https://t.example", {})
    with Client(login, transport=httpx.MockTransport(handle), sleep=lambda _: None) as client:
        assert client.query("graphql", {"query": "{ viewer }"}).body == {"data": 1}
    assert bodies == [b'{"query":"{ viewer }"}'] * 2


def test_an_answer_does_not_bring_the_token_back() -> None:
    words = f"{'x' * 295}{SECRET} is unknown"
    steps = [answer({"title": f"Read with {SECRET}"}), answer({"message": words}, 403)]
    with talking(steps) as (client, _, _):
        assert client.get("one").body == {"title": "Read with ***"}
        with pytest.raises(ProviderRefused) as caught:
            client.get("two")
    assert SECRET[:4] not in str(caught.value)


def test_the_time_of_a_server_is_that_of_its_last_answer_and_never_beyond_ours() -> None:
    """A time that is too early asks for more; one that is too late would leave changes out."""
    early = NOW - timedelta(hours=1)
    times = [early, None, NOW + timedelta(days=2), "no time"]
    steps = [
        answer(
            {}, headers={} if one is None else {"Date": one if isinstance(one, str) else format_datetime(one)}
        )
        for one in times
    ]
    found: list[datetime | None] = []
    with talking(steps) as (client, _, _):
        assert client.server_time is None
        for _ in times:
            client.get("x")
            found.append(client.server_time)
    assert found == [early, early, NOW, NOW]
