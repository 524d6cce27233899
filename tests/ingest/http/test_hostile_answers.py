"""Answers that are made to cost memory or time, over real connections."""

import gzip
import json
import socket
import ssl
import threading
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

from ingest import probe
from ingest.errors import IngestError, ProviderRefused, Transient
from ingest.http import client as http
from ingest.http import identity_requests
from ingest.http.client import Client, Login
from ingest.http.identity_requests import IdentityRequests
from tests.ingest.http.certificates import authority_and_server
from tests.ingest.http.scripted_server import Step, answer, playing

MEGABYTE = 1024**2
BOMB_MEGABYTES = 200
Get = Callable[[], Any]
Asking = Callable[[Step], AbstractContextManager[Get]]


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ssl.SSLContext]:
    return authority_and_server(tmp_path_factory.mktemp("authority"), "127.0.0.1")


@pytest.fixture(params=["connector", "identity provider"])
def asking(
    request: pytest.FixtureRequest, trusted: tuple[Path, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch
) -> Asking:
    """A request to a server that plays a step, as a connector or a sign-in sends it."""
    authority, context = trusted
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(http, "MAX_ANSWER_BYTES", MEGABYTE)
    monkeypatch.setattr(http, "MAX_ANSWER_SECONDS", ALLOWED)
    monkeypatch.setattr(http, "MAX_TRIES", 1)
    monkeypatch.setattr(identity_requests, "ANSWER_SECONDS", ALLOWED)

    @contextmanager
    def connector(step: Step) -> Iterator[Get]:
        with playing([step]) as server, Client(Login(server.address, {}), sleep=lambda _: None) as client:
            yield lambda: client.query("things", {}, tries=1).body

    @contextmanager
    def sign_in(step: Step) -> Iterator[Get]:
        with playing([step], context) as server:
            yield lambda: IdentityRequests(None).get(server.address)

    return connector if request.param == "connector" else sign_in


@cache
def bomb(layers: int) -> bytes:
    """An answer of 200 megabytes, packed so many times."""
    packing = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    packed = b"".join(packing.compress(bytes(MEGABYTE)) for _ in range(BOMB_MEGABYTES)) + packing.flush()
    for _ in range(layers - 1):
        packed = gzip.compress(packed, 9)
    return packed


@pytest.mark.parametrize(
    ("encoding", "layers"),
    [("gzip", 1), ("gzip, gzip", 2), ("gzip, gzip, gzip", 3), ("x-gzip", 1), ("deflate, gzip", 1)],
    ids=str,
)
def test_a_packed_answer_costs_no_more_than_its_limit(asking: Asking, encoding: str, layers: int) -> None:
    step = answer(bomb(layers), headers={"Content-Encoding": encoding})
    with asking(step) as get:
        tracemalloc.start()
        try:
            with pytest.raises(ProviderRefused):
                get()
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 8 * MEGABYTE


@pytest.mark.parametrize("encoding", ["gzip, gzip", "gzip,identity", "deflate", "br", "zstd", "compress"])
def test_an_encoding_that_was_not_asked_for_is_refused(asking: Asking, encoding: str) -> None:
    with (
        asking(answer({"rows": 1}, headers={"Content-Encoding": encoding})) as get,
        pytest.raises(ProviderRefused, match="not asked for"),
    ):
        get()


@pytest.mark.parametrize("asking", ["identity provider"], indirect=True)
def test_an_identity_provider_answers_as_it_is(asking: Asking) -> None:
    packed = answer(gzip.compress(b"{}"), headers={"Content-Encoding": "gzip"})
    with asking(packed) as get, pytest.raises(ProviderRefused, match="not asked for"):
        get()


@pytest.mark.parametrize("asking", ["connector"], indirect=True)
@pytest.mark.parametrize("encoding", ["gzip", "GZIP", "x-gzip", "identity"])
def test_a_large_packed_answer_is_read_whole(
    asking: Asking, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "MAX_ANSWER_BYTES", 8 * MEGABYTE)
    # Some of it packs well, some hardly.
    rows = [*range(200_000), *["same"] * 500_000]
    whole = json.dumps(rows).encode()
    sent = whole if encoding == "identity" else gzip.compress(whole)
    with asking(answer(sent, headers={"Content-Encoding": encoding})) as get:
        assert get() == rows


@pytest.mark.parametrize("asking", ["connector"], indirect=True)
def test_damaged_packing_is_a_passing_fault(asking: Asking) -> None:
    packed = gzip.compress(json.dumps(list(range(1000))).encode())
    for damaged in (packed[: len(packed) // 2], b"not packed at all", packed[:20] + b"\xff" * 20):
        with asking(answer(damaged, headers={"Content-Encoding": "gzip"})) as get, pytest.raises(Transient):
            get()


# Seconds that a whole answer may take here.
ALLOWED = 0.4
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    "at_once",
    [b"", HEAD + b"X-Slow: ", HEAD + b"\r\n{", HEAD + b"Transfer-Encoding: chunked\r\n\r\n"],
    ids=["status", "header", "body without a length", "chunk"],
)
def test_a_slow_answer_ends_with_its_time_wherever_it_is_slow(asking: Asking, at_once: bytes) -> None:
    held: list[float] = []

    def drip(connection: socket.socket) -> None:
        began = time.monotonic()
        try:
            connection.sendall(at_once)
            # More often than any timeout of a read.
            while time.monotonic() - began < 10:
                connection.sendall(b"1")
                time.sleep(0.05)
        except OSError:
            pass
        held.append(time.monotonic() - began)

    with asking(drip) as get:
        began = time.monotonic()
        with pytest.raises(IngestError, match="too slowly") as caught:
            get()
        assert time.monotonic() - began < 8
    assert isinstance(caught.value, Transient)
    # The socket is closed too: the server notices.
    assert held[0] < 5


def test_the_check_of_a_connection_waits_shorter_for_an_answer(
    trusted: tuple[Path, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody waits for it, and the next checks of the organization for its thread."""
    authority, context = trusted
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(probe, "ANSWER_SECONDS", ALLOWED)
    monkeypatch.setattr(probe, "CHECK_SECONDS", ALLOWED)

    def drip(connection: socket.socket) -> None:
        began = time.monotonic()
        with suppress(OSError):
            while time.monotonic() - began < 20:
                connection.sendall(b"1")
                time.sleep(0.05)

    reach = probe.Reach(networks=(ip_network("127.0.0.1"),))
    with playing([drip], context) as server:
        began = time.monotonic()
        with pytest.raises(Transient, match="too slowly"):
            probe.check_connection("GITEA", server.address, "", "t0ken", {}, reach)
        assert time.monotonic() - began < 8


def test_a_slow_answer_on_a_kept_connection_ends_with_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(http, "MAX_ANSWER_SECONDS", ALLOWED)
    requests: list[bytes] = []

    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            requests.append(connection.recv(65536))
            connection.sendall(HEAD + b"Content-Length: 2\r\n\r\n{}")
            requests.append(connection.recv(65536))
            began = time.monotonic()
            while time.monotonic() - began < 10:
                connection.sendall(b"H")
                time.sleep(0.05)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = threading.Thread(target=serve, args=(listener,))
        server.start()
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with Client(Login(address, {}), sleep=lambda _: None) as client:
            assert client.get("things").body == {}
            began = time.monotonic()
            with pytest.raises(Transient):
                client.get("things")
            # Five tries, of which each takes its time; the server would go on for ten seconds.
            assert time.monotonic() - began < 8
        server.join()
    assert len(requests) == 2, "both requests used one connection"
