"""The limits of connections: a server on loopback, attacked through raw sockets."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import orjson
import pytest
import uvicorn

from api.http.sockets.limits import Limits, network
from api.http.sockets.protocol import BoundedProtocol, bounded

HERE = "127.0.0.1"
LIMITS = Limits(
    head_bytes=2_000,
    headers=20,
    pipelined=4,
    head_seconds=0.5,
    body_seconds=0.8,
    send_seconds=0.5,
    connections=12,
    connections_per_client=5,
    body_bytes=5_000,
    body_bytes_per_client=3_000,
)
# Seconds by which a limit above has ended a connection. A busy machine takes its time; no limit would be 20.
LATEST = 15
GET = b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n"


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Reads the body and repeats its size; /large answers with 20 MB."""
    size, more = 0, scope["type"] == "http"
    if not more:
        return
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size, more = size + len(message["body"]), message["more_body"]
    body = b"x" * 20_000_000 if scope["path"] == "/large" else f"{scope['path']} {size}".encode()
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": 200, "headers": [length]})
    for start in range(0, len(body), 50_000):
        end = start + 50_000
        await send({"type": "http.response.body", "body": body[start:end], "more_body": end < len(body)})


@contextmanager
def serving(protocol: type[BoundedProtocol]) -> Iterator[int]:
    """The port of a server with this protocol."""
    config = uvicorn.Config(application, http=protocol, ws="none", lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    with socket.socket() as listener:
        listener.bind((HERE, 0))
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = server.force_exit = True
            thread.join()


@pytest.fixture
def port() -> Iterator[int]:
    with serving(bounded(LIMITS, lambda _: False)) as found:
        yield found


def connected(port: int) -> socket.socket:
    # The server listens a moment after its start.
    for _ in range(200):
        with suppress(ConnectionRefusedError):
            return socket.create_connection((HERE, port), timeout=20)
        time.sleep(0.02)
    raise AssertionError("no server")


def rest(connection: socket.socket) -> bytes:
    """All bytes until the server closes the connection."""
    received = b""
    with suppress(ConnectionResetError):
        while chunk := connection.recv(1 << 20):
            received += chunk
    return received


def asked(port: int, *parts: bytes) -> bytes:
    with connected(port) as connection:
        for part in parts:
            connection.sendall(part)
        return rest(connection)


def status(answer: bytes) -> int:
    return int(answer.split(b" ")[1])


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 5_000,
        b"GET / HTTP/1.1\r\nHost: x\r\n" + b"a" * 5_000,
        b"GET /" + b"a" * 5_000,
        b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: aaaaaaaaaaaaaaaa\r\n" * 21 + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n" + (b"X: " + b"a" * 300 + b"\r\n") * 8 + b"\r\n",
    ],
    ids=["a value", "a name", "the address", "many headers", "all headers"],
)
def test_a_head_beyond_its_limit_is_refused(port: int, head: bytes) -> None:
    # Pieces, so that the parser sees an unfinished head.
    pieces = [head[start : start + 700] for start in range(0, len(head), 700)]
    for parts in ([head + b"a" * 20_000], pieces):
        with connected(port) as connection:
            with suppress(ConnectionResetError, BrokenPipeError):
                for part in parts:
                    connection.sendall(part)
                    time.sleep(0.02)
            answer = rest(connection)
        assert status(answer) == 431
        assert "2000 bytes" in orjson.loads(answer.partition(b"\r\n\r\n")[2])["message"]


def test_a_head_within_the_limits_is_answered(port: int) -> None:
    head = b"GET /1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + b"X: a\r\n" * 18 + b"\r\n"
    assert asked(port, head).endswith(b"/1 0")


def test_trailers_count_as_headers(port: int) -> None:
    body = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"
    assert status(asked(port, body + b"X: " + b"a" * 40_000)) == 431
    assert status(asked(port, body + b"X: a\r\n" * 30)) == 431


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([b"GET / HTTP/1.1\r\nHost: x\r\n"], 408),
        ([GET % 1, b"GET / HT"], 408),
        ([b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n12345"], 408),
        ([b""], None),
        ([b"\r\n"], None),
    ],
    ids=["half a head", "half of a second head", "half a body", "nothing", "an empty line"],
)
def test_an_unfinished_request_is_closed_in_time(port: int, parts: list[bytes], expected: int | None) -> None:
    started = time.monotonic()
    answer = asked(port, *parts)
    assert 0.3 < time.monotonic() - started < LATEST
    last = answer[answer.rfind(b"HTTP/1.1") :] if answer else b""
    assert (status(last) if last else None) == expected


def test_single_bytes_do_not_extend_the_time_of_a_head(port: int) -> None:
    started = time.monotonic()
    with connected(port) as connection, suppress(ConnectionError):
        for byte in b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 1_000:
            connection.sendall(bytes([byte]))
            time.sleep(0.05)
    assert time.monotonic() - started < LATEST


def test_an_empty_line_between_requests_does_not_hold_a_connection(port: int) -> None:
    """uvicorn alone ends its own time of idle connections with any byte."""
    with connected(port) as connection:
        connection.sendall(GET % 1)
        connection.recv(1 << 16)
        connection.sendall(b"\r\n")
        started = time.monotonic()
        assert rest(connection) == b""
        assert time.monotonic() - started < LATEST


def test_a_connection_is_reused_for_longer_than_the_time_of_one_head(port: int) -> None:
    with connected(port) as connection:
        for number in range(6):
            connection.sendall(GET % number)
            assert connection.recv(1 << 16).endswith(b"/%d 0" % number)
            time.sleep(0.2)


def test_a_client_that_does_not_read_its_answer_is_closed(port: int) -> None:
    with connected(port) as connection:
        connection.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        time.sleep(2)
        assert len(rest(connection)) < 20_000_000


def test_requests_that_wait_on_a_connection_are_few(port: int) -> None:
    assert asked(port, (GET % 1) * 500).count(b"200 OK") <= LIMITS.pipelined + 1


def test_a_client_has_so_many_connections_and_others_are_served(port: int) -> None:
    with ExitStack() as opened:
        held = [opened.enter_context(connected(port)) for _ in range(LIMITS.connections_per_client)]
        refused = asked(port)
        assert status(refused) == 429
        assert b"retry-after" in refused
        with socket.create_connection((HERE, port), timeout=20, source_address=("127.0.0.2", 0)) as other:
            other.sendall(GET % 1)
            assert status(other.recv(1 << 16)) == 200
        held[0].close()
        time.sleep(0.1)
        with connected(port) as again:
            again.sendall(GET % 1)
            assert status(again.recv(1 << 16)) == 200


def test_a_trusted_proxy_may_have_all_connections() -> None:
    with serving(bounded(LIMITS, lambda host: host == HERE)) as port, ExitStack() as opened:
        for _ in range(LIMITS.connections):
            connection = opened.enter_context(connected(port))
            connection.sendall(GET % 1)
            assert status(connection.recv(1 << 16)) == 200
        assert status(asked(port)) == 429


def test_bodies_on_their_way_are_limited_by_client(port: int) -> None:
    body = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2000\r\n\r\n" + b"a" * 2_000
    with connected(port) as slow:
        slow.sendall(body[:-1])
        time.sleep(0.1)
        assert status(asked(port, body)) == 429
        slow.sendall(body[-1:])
        assert rest(slow).endswith(b"/ 2000")
    assert asked(port, body).endswith(b"/ 2000")


def test_bytes_that_are_no_http_get_a_status(port: int) -> None:
    answer = asked(port, b"\x16\x03\x01 hello\r\n\r\n")
    assert status(answer) == 400
    assert orjson.loads(answer.partition(b"\r\n\r\n")[2])["code"] == 3


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nhOsT: y\r\n\r\n", 400),
        (b"GET / HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n", 400),
        (b"GET / HTTP/1.0\r\n\r\n", 200),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", 200),
    ],
)
def test_a_request_names_one_host(port: int, head: bytes, expected: int) -> None:
    with connected(port) as client:
        client.sendall(head)
        assert client.recv(65_536).startswith(b"HTTP/1.1 %d" % expected)


def test_an_upgrade_is_ignored(port: int) -> None:
    head = b"GET /1 HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"
    with connected(port) as connection:
        connection.sendall(head)
        assert status(connection.recv(1 << 16)) == 200


def test_a_client_of_ipv6_is_its_network() -> None:
    assert network("2001:db8:1:2::3") == network("2001:db8:1:2:ffff::") != network("2001:db8:1:3::3")
    assert network("::1%lo") == "::/64"
    assert network("192.0.2.1") == "192.0.2.1"
