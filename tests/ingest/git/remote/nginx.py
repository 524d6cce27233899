"""Git over real smart HTTP: nginx with TLS in front of git-http-backend, as hosts of companies have it.

The programs are those of the packages `nginx-light` and `fcgiwrap` of Debian; tests skip where they are missing.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.ingest.http.certificates import authority_and_server

RATE = "400k"
"""Bytes a second of a pack: slow enough that command lines can be sampled meanwhile."""
CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log info;
events {{}}
http {{
  client_body_temp_path {folder}/body;
  fastcgi_temp_path {folder}/fastcgi;
  proxy_temp_path {folder}/proxy;
  scgi_temp_path {folder}/scgi;
  uwsgi_temp_path {folder}/uwsgi;
  log_format seen '$server_port $status $http_authorization';
  access_log {folder}/seen.log seen;
  ssl_certificate {folder}/server.pem;
  ssl_certificate_key {folder}/server.pem;
  server {{
    listen 127.0.0.1:{port} ssl;
    location /secret/ {{ deny all; }}
    location /moved/ {{ return 302 https://localhost:{other_port}/acme/$is_args$args; }}
    location ~ ^/moved/(.*)$ {{ return 302 https://localhost:{other_port}/acme/$1$is_args$args; }}
    location /bearer/ {{
      if ($http_authorization != "Bearer {token}") {{ return 401; }}
      rewrite ^/bearer/(.*)$ /acme/$1 break;
      {backend}
    }}
    location / {{
      auth_basic "Git";
      auth_basic_user_file {folder}/logins;
      {backend}
    }}
  }}
  server {{
    listen 127.0.0.1:{other_port} ssl;
    location / {{ auth_basic "Other"; auth_basic_user_file {folder}/logins; {backend} }}
  }}
}}
"""
BACKEND = """
      fastcgi_pass unix:{folder}/fcgi.sock;
      fastcgi_param SCRIPT_FILENAME {program};
      fastcgi_param GIT_PROJECT_ROOT {root};
      fastcgi_param GIT_HTTP_EXPORT_ALL "";
      fastcgi_param PATH_INFO $uri;
      fastcgi_param QUERY_STRING $query_string;
      fastcgi_param REQUEST_METHOD $request_method;
      fastcgi_param CONTENT_TYPE $content_type;
      fastcgi_param CONTENT_LENGTH $content_length;
      fastcgi_param GIT_PROTOCOL $http_git_protocol;
      fastcgi_param REMOTE_USER $remote_user;
      limit_rate {rate};
"""


def missing() -> str | None:
    """The programs that this machine lacks, as a reason to skip."""
    absent = [name for name in ("nginx", "fcgiwrap") if shutil.which(name) is None]
    absent += [] if _backend().is_file() else ["git http-backend"]
    return f"needs {', '.join(absent)} (apt-get install nginx-light fcgiwrap)" if absent else None


def _backend() -> Path:
    answer = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True)
    return Path(answer.stdout.strip()) / "git-http-backend"


@dataclass
class Nginx:
    """Serves the repositories below `root`; use as a context manager.

    `/acme/…` wants a login of `allow`, `/bearer/…` the bearer token. `/secret/…` refuses everybody, `/moved/…` leads
    to another host of the same repositories.
    """

    root: Path
    token: str

    def __enter__(self) -> Nginx:
        # The path of a socket has at most 107 bytes.
        self.folder = Path(tempfile.mkdtemp(prefix="eas-nginx-"))
        self.port, self.other_port = _free_port(), _free_port()
        self.authority, _ = authority_and_server(self.folder, "127.0.0.1")
        self.allow("nobody", "nothing")
        backend = BACKEND.format(folder=self.folder, program=_backend(), root=self.root, rate=RATE)
        file = self.folder / "nginx.conf"
        file.write_text(
            CONFIGURATION.format(
                folder=self.folder,
                port=self.port,
                other_port=self.other_port,
                token=self.token,
                backend=backend,
            )
        )
        commands = (
            ["fcgiwrap", "-c", "2", "-s", f"unix:{self.folder}/fcgi.sock"],
            ["nginx", "-e", f"{self.folder}/start.log", "-p", str(self.folder), "-c", str(file)],
        )
        self._processes = [
            subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
            for command in commands
        ]
        self._wait()
        return self

    def __exit__(self, *exception: object) -> None:
        for process in self._processes:
            # With their workers. The processes of a test run ignore SIGTERM, and pass that on.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(20)
        shutil.rmtree(self.folder)

    def url(self, path: str) -> str:
        return f"https://127.0.0.1:{self.port}/{path}"

    def allow(self, user: str, secret: str) -> None:
        """Accept this login from now on and no other."""
        (self.folder / "logins").write_text(f"{user}:{{PLAIN}}{secret}\n")

    def seen(self, port: int) -> set[str]:
        """The Authorization headers of all requests to a port; `-` for none."""
        lines = (self.folder / "seen.log").read_text().splitlines()
        return {authorization for place, _, authorization in (line.split(" ", 2) for line in lines)
                if place == str(port)}  # fmt: skip

    def _wait(self) -> None:
        until = time.monotonic() + 30
        while time.monotonic() < until:
            try:
                with socket.create_connection(("127.0.0.1", self.port), 1):
                    break
            except OSError:
                assert self._processes[1].poll() is None, (self.folder / "start.log").read_text()
                time.sleep(0.05)
        while not (self.folder / "fcgi.sock").exists() and time.monotonic() < until:
            time.sleep(0.05)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])
