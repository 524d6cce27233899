"""Files on other hosts: no login, no inner address, no redirect, no file without end."""

from __future__ import annotations

import gzip
from typing import Any

import httpx
import pytest

from ingest.errors import ProviderRefused, RateLimited, Refusal, Transient
from ingest.http import downloads
from ingest.http.bodies import UNREADABLE
from ingest.http.client import Client, Login
from ingest.reach import Reach
from tests.ingest.http.scripted_server import Step, answer, cut, playing, reset

SECRET = "tok-5ecret"
HERE = Reach(frozenset({"127.0.0.1"}))


def client(reach: Reach | None = HERE, **options: Any) -> Client:
    return Client(Login.bearer("https://api.example", SECRET), reach=reach, sleep=lambda _: None, **options)


def zipped(content: bytes) -> Step:
    encoding = {"Content-Encoding": "gzip"}
    return answer(gzip.compress(content), 200, encoding, content_type="application/octet-stream")


def test_a_file_comes_over_the_network_without_the_login_and_after_faults() -> None:
    packed = zipped(b'{"a": 1}\n\n[2]\r\nno\n"last"')
    with (
        playing([reset, answer(None, 503), cut({"rows": list(range(1000))}), packed]) as server,
        client() as asking,
    ):
        found = list(downloads.lines(asking, f"{server.address}/x?signature=1"))
    assert found == [{"a": 1}, [2], UNREADABLE, "last"]
    assert len(server.lines) == 4
    assert SECRET not in f"{server.lines} {server.headers}"


@pytest.mark.parametrize(
    "address",
    [
        "https://169.254.169.254/latest/meta-data",
        "https://10.0.0.8/x",
        "https://localhost/x",
        "http://127.0.0.1:1/x",
        "https://files.internal/x",
    ],
)
def test_an_inner_address_is_refused_even_where_nobody_limits_the_reach(address: str) -> None:
    with client(None) as asking, pytest.raises(ProviderRefused) as caught:
        list(downloads.lines(asking, address))
    assert caught.value.refusal is Refusal.INVALID


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        (302, {"location": "https://elsewhere.example"}, ProviderRefused),
        (401, {}, ProviderRefused),
        (403, {}, ProviderRefused),
        (200, {"content-type": "text/html"}, ProviderRefused),
        (429, {"retry-after": "120"}, RateLimited),
        (500, {}, Transient),
    ],
)
def test_a_host_that_refuses_a_file_says_nothing_about_the_token(
    status: int, headers: dict[str, str], expected: type[Exception]
) -> None:
    asked = []

    def handler(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        return httpx.Response(status, content=b"{}", headers=headers)

    with (
        client(transport=httpx.MockTransport(handler), reach=None) as asking,
        pytest.raises(expected) as caught,
    ):
        list(downloads.lines(asking, "https://files.example/x"))
    assert getattr(caught.value, "refusal", None) is not Refusal.UNAUTHORIZED
    assert set(asked) == {"files.example"}


def test_a_file_and_a_line_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def handler(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=b'"' + b"x" * 5_000 + b'"\n{"a": 1}\n')

    with client(transport=httpx.MockTransport(handler), reach=None) as asking:
        monkeypatch.setattr(downloads, "MAX_LINE_BYTES", 1_000)
        assert list(downloads.lines(asking, "https://files.example/x")) == [UNREADABLE, {"a": 1}]
        monkeypatch.setattr(downloads, "MAX_FILE_BYTES", 4_000)
        with pytest.raises(ProviderRefused, match="answers more than"):
            list(downloads.lines(asking, "https://files.example/x"))
