"""A Git server on the loopback interface, for tests of mirrors and of connections.

Runs Git's own `http-backend` and records requests. It can require a login, redirect, fail or hang. With an `api` it is
a whole host: requests of the provider's interface get the answers of a function.
"""

from __future__ import annotations

import os
import ssl
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import httpx


@dataclass
class HttpRemote:
    """Serves the repositories below `root`; use as a context manager."""

    root: Path
    authorization: str | None = None
    """Header that every request must carry, otherwise 401."""
    redirect_to: str | None = None
    """Base address that every request is redirected to."""
    status: int | None = None
    """Answer to every request instead of the repository."""
    before_pack: Callable[[], object] = lambda: None
    """Called before a pack is sent, while the client waits."""
    api: Callable[[httpx.Request], httpx.Response] | None = None
    """Answers requests below /api/ and /graphql."""
    context: ssl.SSLContext | None = None
    """Serves https with it."""
    packs: int = 0
    """Requests for a pack."""
    seen: list[tuple[str, str, str | None]] = field(default_factory=list)
    """Method, path and Authorization header of every request."""

    def __enter__(self) -> HttpRemote:
        remote = self

        class Handler(_Handler):
            settings = remote

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        if self.context is not None:
            self._server.socket = self.context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def port(self) -> int:
        return self._server.server_address[1]

    def url(self, name: str, *, host: str = "127.0.0.1", userinfo: str = "") -> str:
        scheme = "http" if self.context is None else "https"
        return f"{scheme}://{userinfo}{host}:{self.port}/{name}"


class _Handler(BaseHTTPRequestHandler):
    settings: HttpRemote

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer(body)

    def _answer(self, body: bytes) -> None:
        remote = self.settings
        given = self.headers.get("Authorization")
        remote.seen.append((self.command, self.path, given))
        if remote.api is not None and urlsplit(self.path).path.startswith(("/api/", "/graphql")):
            self._answer_api(remote.api, body)
            return
        if remote.redirect_to:
            self._say(302, {"Location": remote.redirect_to + self.path})
        elif remote.status:
            self._say(remote.status, {})
        elif remote.authorization and given != remote.authorization:
            self._say(401, {"WWW-Authenticate": 'Basic realm="test"'})
        else:
            if b"command=fetch" in body:
                remote.packs += 1
                remote.before_pack()
            self._serve(body)

    def _answer_api(self, api: Callable[[httpx.Request], httpx.Response], body: bytes) -> None:
        place = f"http://127.0.0.1:{self.settings.port}"
        done = api(httpx.Request(self.command, place + self.path, headers=dict(self.headers), content=body))
        headers = {name: value for name, value in done.headers.items() if name.lower() != "content-length"}
        self._say(done.status_code, headers, done.content)

    def _say(self, status: int, headers: dict[str, str], body: bytes = b"") -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _serve(self, body: bytes) -> None:
        address = urlsplit(self.path)  # a proxy gets the whole address
        variables = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.settings.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
            "PATH_INFO": address.path,
            "QUERY_STRING": address.query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }
        done = subprocess.run(["git", "http-backend"], env=variables, input=body, capture_output=True)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
        self._say(int(headers.pop("Status", "200").split()[0]), headers, content)

    def log_message(self, *arguments: object) -> None:
        """Tests read `seen` instead."""
