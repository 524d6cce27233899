"""A proxy on loopback that records what it is asked for: requests with whole addresses, and CONNECT."""

from __future__ import annotations

import base64
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


@dataclass
class RecordingProxy:
    """Leads every name to this machine; use as a context manager. With a `login` others get 407."""

    login: str | None = None
    seen: list[tuple[str, str]] = field(default_factory=list)
    """Method, and host with port, of every request."""
    headers: list[Mapping[str, str]] = field(default_factory=list)

    def __enter__(self) -> RecordingProxy:
        proxy = self

        class Handler(_Handler):
            settings = proxy

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def url(self, userinfo: str = "") -> str:
        return f"http://{userinfo}127.0.0.1:{self._server.server_address[1]}"

    def is_welcome(self, given: str | None) -> bool:
        if self.login is None:
            return True
        return given == "Basic " + base64.b64encode(self.login.encode()).decode()


class _Handler(BaseHTTPRequestHandler):
    settings: RecordingProxy
    # After 407 curl sends the login on the same connection.
    protocol_version = "HTTP/1.1"

    def do_CONNECT(self) -> None:
        if self._is_refused(self.path):
            return
        with socket.create_connection(("127.0.0.1", int(self.path.rpartition(":")[2]))) as upstream:
            self.send_response(200, "Connection established")
            self.end_headers()
            back = threading.Thread(target=_copy, args=(upstream, self.connection), daemon=True)
            back.start()
            _copy(self.connection, upstream)
            back.join(10)
        self.close_connection = True

    def do_GET(self) -> None:
        self._forward()

    def do_POST(self) -> None:
        self._forward()

    def _forward(self) -> None:
        place = urlsplit(self.path)
        if self._is_refused(place.netloc):
            return
        length = int(self.headers.get("Content-Length", 0))
        kept = {k: v for k, v in self.headers.items() if k.lower() not in ("connection", "proxy-connection")}
        head = [f"{self.command} {self.path.partition(place.netloc)[2] or '/'} HTTP/1.0"]
        head += [f"{name}: {value}" for name, value in kept.items()] + ["Connection: close", "", ""]
        with socket.create_connection(("127.0.0.1", place.port or 80)) as upstream:
            upstream.sendall("\r\n".join(head).encode() + self.rfile.read(length))
            _copy(upstream, self.connection)
        self.close_connection = True

    def _is_refused(self, place: str) -> bool:
        self.settings.seen.append((self.command, place))
        self.settings.headers.append({name.lower(): value for name, value in self.headers.items()})
        if self.settings.is_welcome(self.headers.get("Proxy-Authorization")):
            return False
        self.send_response(407)
        self.send_header("Proxy-Authenticate", 'Basic realm="proxy"')
        self.send_header("Content-Length", "0")
        self.end_headers()
        return True

    def log_message(self, *arguments: object) -> None:
        """Tests read `seen` instead."""


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while content := source.recv(65536):
            target.sendall(content)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        return
