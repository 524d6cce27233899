"""Git and the HTTP client follow HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY alike, also with credentials."""

from __future__ import annotations

import logging
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.operator.readers import host_list
from ingest.connections.model import Connection
from ingest.errors import IngestError, UnsupportedTarget
from ingest.git.repository_source import resolve
from ingest.http.client import Client
from ingest.http.identity_requests import IdentityRequests
from ingest.providers.gitea.host import Gitea
from ingest.providers.registry import BY_KIND
from ingest.reach import Reach
from ingest.settings import Settings
from tests.git_repository import GitRepository
from tests.ingest.git.remote.http_remote import HttpRemote
from tests.ingest.http.certificates import authority_and_server
from tests.ingest.http.recording_proxy import RecordingProxy

ORGANIZATION = "0190d3b0-0000-7000-8000-000000000001"
HOST = "git.example"
"""A name that only the proxy knows: a request past it fails."""
TOKEN, PASSWORD = "t0ken-that-nobody-may-see", "pr0xy-pass-that-nobody-may-see"
_getaddrinfo: Any = socket.getaddrinfo
OPTIONS = {"GITHUB_COPILOT": {"organization": "acme"}}
VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
REACH = Reach(*host_list("127.0.0.1, git.example"))


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture(params=["http", "https"])
def host(
    request: pytest.FixtureRequest,
    new_repository: Callable[..., GitRepository],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[HttpRemote]:
    """A host with a repository and the interface of Gitea."""
    new_repository("served/acme/shop.git", bare=True).commit({"a": "1"})
    authority, context = authority_and_server(tmp_path, HOST)
    for name in ("SSL_CERT_FILE", "GIT_SSL_CAINFO"):
        monkeypatch.setenv(name, str(authority))
    chosen: ssl.SSLContext | None = context if request.param == "https" else None
    with HttpRemote(tmp_path / "served", context=chosen) as remote:
        remote.api = lambda _: httpx.Response(200, json={"login": "ada", "version": "1"})
        yield remote


def scheme(host: HttpRemote) -> str:
    return "http" if host.context is None else "https"


def ask(host: HttpRemote, name: str = HOST, reach: Reach | None = None) -> str:
    """One check of a connection."""
    provider = Gitea()
    connection = Connection("", "", "GITEA", host.url("", host=name).rstrip("/"), TOKEN)
    with Client(provider.login(connection), reach=reach, sleep=lambda _: None) as client:
        return provider.check(client, connection).account


def clone(host: HttpRemote, folder: Path, name: str = HOST, **options: Any) -> None:
    """One mirror, with a token where it is sent encrypted."""
    token = f"me:{TOKEN}" if host.context is not None else None
    address = host.url("acme/shop.git", host=name)
    source = resolve(address, Settings(data_dir=folder), ORGANIZATION, token=token, **options)
    assert source.default_branch == "main"


def use(monkeypatch: pytest.MonkeyPatch, host: HttpRemote, value: str, *, in_upper_case: bool = True) -> None:
    name = f"{scheme(host)}_proxy"
    monkeypatch.setenv(name.upper() if in_upper_case else name, value)


@pytest.mark.parametrize("in_upper_case", [True, False])
def test_both_go_through_the_proxy_of_the_scheme(
    host: HttpRemote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_upper_case: bool
) -> None:
    with RecordingProxy() as proxy:
        use(monkeypatch, host, proxy.url(), in_upper_case=in_upper_case)
        assert ask(host) == "ada"
        by_client = set(proxy.seen)
        proxy.seen.clear()
        clone(host, tmp_path / "data")
    place = f"{HOST}:{host.port}"
    if host.context is None:
        assert by_client == {("GET", place)}
        assert set(proxy.seen) == {("GET", place), ("POST", place)}
    else:
        assert by_client == set(proxy.seen) == {("CONNECT", place)}
        # The proxy sees no login of the host.
        assert not [one for one in proxy.headers if "authorization" in one]


def test_the_proxy_of_all_schemes_serves_both(
    host: HttpRemote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RecordingProxy() as proxy:
        monkeypatch.setenv("ALL_PROXY", proxy.url())
        assert ask(host) == "ada"
        asked = len(proxy.seen)
        clone(host, tmp_path / "data")
        assert len(proxy.seen) > asked > 0


def test_the_proxy_of_the_other_scheme_serves_neither(
    host: HttpRemote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RecordingProxy() as proxy, known_name():
        monkeypatch.setenv("HTTP_PROXY" if host.context is not None else "HTTPS_PROXY", proxy.url())
        assert ask(host) == "ada"
        if host.context is not None:
            clone(host, tmp_path / "data", reach=REACH)
        assert proxy.seen == []


@pytest.mark.parametrize("listed", ["git.example", ".example", "example", "git.example:{port}", "*"])
def test_a_host_in_no_proxy_is_reached_directly(
    host: HttpRemote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: str
) -> None:
    with RecordingProxy() as proxy, known_name():
        use(monkeypatch, host, proxy.url())
        others = "" if listed == "*" else "other.example,"
        monkeypatch.setenv("NO_PROXY", others + listed.format(port=host.port))
        assert ask(host) == "ada"
        # Only with a reach Git resolves the name through this process.
        if host.context is not None:
            clone(host, tmp_path / "data", reach=REACH)
        assert proxy.seen == []


def test_a_reach_does_not_need_names_that_only_the_proxy_resolves(
    host: HttpRemote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RecordingProxy() as proxy:
        use(monkeypatch, host, proxy.url())
        assert ask(host, reach=REACH) == "ada"
        if host.context is not None:
            clone(host, tmp_path / "data", reach=REACH)
        assert proxy.seen


INNER = ["intranet", "metadata.google.internal", "login.corp", "nas.local.", "router.home.arpa", "x.LAN"]


@pytest.mark.parametrize("name", INNER)
def test_no_proxy_leads_an_identity_provider_to_a_name_of_the_inner_network(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with RecordingProxy() as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url())
        with pytest.raises(UnsupportedTarget, match="no public host"):
            IdentityRequests(Reach(resolve=unknown)).get(f"https://{name}/x")
        assert proxy.seen == []
        # Listed by the operator, of the deployment itself, public, or known to lead to a listed network.
        for reach, asked in (
            (Reach(frozenset({name.lower().rstrip(".")}), resolve=unknown), name),
            (None, name),
            (Reach(resolve=unknown), "login.internal.example"),
            (Reach(networks=(ip_network("10.0.0.0/8"),), resolve=lambda _: ["10.1.2.3"]), name),
        ):
            with pytest.raises(IngestError):
                IdentityRequests(reach).get(f"https://{asked}:1/x")
        through = (name, name, "login.internal.example", name)
        assert proxy.seen == [("CONNECT", f"{asked.lower()}:1") for asked in through]


def unknown(name: str) -> list[str]:
    raise OSError(socket.EAI_NONAME, f"unknown name {name}")


def test_credentials_of_the_proxy_are_sent_to_it_alone(
    host: HttpRemote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with RecordingProxy(f"me:{PASSWORD}") as proxy:
        use(monkeypatch, host, proxy.url(f"me:{PASSWORD}@"))
        assert ask(host) == "ada"
        clone(host, tmp_path / "data")
        assert proxy.seen
    assert PASSWORD not in caplog.text
    for file in (tmp_path / "data").rglob("*"):
        assert not file.is_file() or PASSWORD.encode() not in file.read_bytes(), file


def test_refused_credentials_of_the_proxy_are_named_without_them(
    host: HttpRemote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with RecordingProxy("me:another") as proxy:
        use(monkeypatch, host, proxy.url(f"me:{PASSWORD}@"))
        # Addresses of connections are https.
        attempts: list[Callable[[], object]] = [lambda: clone(host, tmp_path / "data"), lambda: ask(host)]
        for attempt in attempts if host.context is not None else attempts[:1]:
            with pytest.raises(IngestError, match=r"[Pp]roxy.*HTTPS?_PROXY") as caught:
                attempt()
            assert PASSWORD not in str(caught.value)
            assert TOKEN not in str(caught.value)
    assert PASSWORD not in caplog.text


def test_a_proxy_that_is_gone_is_named_without_its_credentials(
    host: HttpRemote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RecordingProxy() as proxy:
        gone = proxy.url(f"me:{PASSWORD}@")
    use(monkeypatch, host, gone)
    for attempt in (lambda: ask(host), lambda: clone(host, tmp_path / "data")):
        with pytest.raises(IngestError) as caught:
            attempt()
        assert PASSWORD not in str(caught.value)


@contextmanager
def known_name() -> Iterator[None]:
    """Let this process resolve the name of the host to this machine."""
    real = socket.getaddrinfo

    def known(name: Any, *arguments: Any, **options: Any) -> Any:
        return real("127.0.0.1" if name == HOST else name, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", known)
        yield


@pytest.mark.parametrize("kind", sorted(BY_KIND))
def test_every_provider_is_asked_through_the_proxy_alone(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing listens at the host, so an answer of the proxy is the only one."""
    provider = BY_KIND[kind]
    with RecordingProxy("nobody:knows") as proxy:
        for name in ("HTTP_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, proxy.url())
        monkeypatch.setattr(socket, "getaddrinfo", _refuse_names)
        connection = Connection("", "", kind, f"https://{HOST}", TOKEN, "ada", OPTIONS.get(kind, {}))
        with (
            Client(provider.login(connection), sleep=lambda _: None) as client,
            pytest.raises(IngestError, match=r"407|proxy"),
        ):
            provider.check(client, connection)
    assert proxy.seen
    assert {method for method, _ in proxy.seen} == {"CONNECT"}
    assert {place for _, place in proxy.seen} == {f"{HOST}:443"}


def _refuse_names(host: str, *arguments: object, **options: object) -> Any:
    """Only this machine has an address."""
    if host not in ("127.0.0.1", b"127.0.0.1"):
        raise socket.gaierror(socket.EAI_NONAME, f"{host!r} was looked up here")
    return _getaddrinfo(host, *arguments, **options)
