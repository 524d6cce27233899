"""`eas mcp` where another program answers: a sentence that says what to do, and no stack."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from api.mcp.__main__ import main

ANOTHER = "is another program (200)"


@contextmanager
def answering(status: int, body: bytes, **headers: str) -> Iterator[str]:
    """Address of a program that gives one answer to each request."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EAS_API_KEY", "service_key")


def refused(address: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as ended:
        main([address])
    assert ended.value.code in (1, 2)
    out, err = capsys.readouterr()
    assert out == ""
    assert "service_key" not in err
    return err


@pytest.mark.parametrize(
    "body", [b"<html>Sign in</html>", b"[]", b"{}", b'{"organizations": []}', b"", b"\xff"]
)
def test_another_program_is_named(body: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    with answering(200, body) as address:
        assert ANOTHER in refused(address, capsys)


def test_a_redirect_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with answering(301, b"", Location="https://eas.example.org/") as address:
        assert "sends elsewhere" in refused(address, capsys)


def test_the_message_of_the_service_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with answering(403, b'{"code": 7, "message": "the key was revoked"}') as address:
        assert refused(address, capsys) == "Error: the key was revoked\n"


@pytest.mark.parametrize(
    "address", ["eas.example.org", "http://", "http://[bad", "ftp://x", "http://127.0.0.1:9"]
)
def test_an_address_without_a_service_is_named(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "name its address with --address" in refused(address, capsys)


def test_a_key_that_no_header_takes_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EAS_API_KEY", "service_é")
    assert "put an API key" in refused("http://127.0.0.1:9", capsys)
