"""Where the token of a connection goes: to its host alone. Nothing that the service writes or answers has it."""

from __future__ import annotations

import base64
import json
import logging
import ssl
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import dagster as dg
import httpx
import pyarrow.parquet as pq
import pytest

from ingest.connections.erasing import CACHE_FILE
from ingest.http.cache import HttpCache
from orchestration.build import settings_snapshot
from orchestration.commands.runs import open_instance
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.graph.assets.git import extract_git
from orchestration.graph.assets.synced import SYNC_ASSETS
from orchestration.reading.readings import Readings
from orchestration.runtime.partitions import CONNECTIONS, REPOSITORIES, key, register
from orchestration.runtime.progress import Progress
from tests.api.conftest import client_for, serving
from tests.api.people import join, sign_in
from tests.git_repository import GitRepository
from tests.ingest.git.remote.http_remote import HttpRemote
from tests.ingest.http.certificates import authority_and_server

ROOT = f"/api/v1/organizations/{LOCAL_SLUG}"
WRONG, FIRST, SECOND = "wr0ng-t0ken-of-ada-4711", "f1rst-t0ken-of-ada-4712", "sec0nd-t0ken-of-ada-4713"
WHEN = "2026-03-01T10:00:00Z"


class Gitea:
    """A host that knows one token at a time. Its refusals, and a pull request, repeat the one that they got."""

    def __init__(self, clone_url: str) -> None:
        self.token, self.clone_url, self.address = FIRST, clone_url, ""
        self.seen: list[str] = []

    def answer(self, path: str, authorization: str) -> tuple[int, Any]:
        self.seen.append(authorization)
        if path == "/api/v1/version":
            return 200, {"version": "1.25.0"}
        if authorization != f"token {self.token}":
            return 401, {"message": f"{authorization} ({authorization.partition(' ')[2]}) is unknown"}
        user = {"id": 1, "login": "ada", "full_name": "Ada"}
        pull = {
            "number": 1, "title": "A page", "body": f"Read with {authorization}", "state": "open",
            "user": user, "created_at": WHEN,
            "updated_at": WHEN, "head": {"label": "page", "ref": "page", "sha": "a" * 40, "repo_id": 1},
            "base": {"ref": "main", "repo_id": 1}, "labels": [], "requested_reviewers": [],
        }  # fmt: skip
        repository = {
            "id": 1, "owner": {"login": "acme"}, "name": "web", "clone_url": self.clone_url,
            "default_branch": "main", "updated_at": WHEN,
        }  # fmt: skip
        known: dict[str, Any] = {
            "/api/v1/user": user,
            "/api/v1/user/repos": [repository],
            "/api/v1/repos/acme/web/issues": [{"number": 1}],
            "/api/v1/repos/acme/web/pulls/1": pull,
        }
        return 200, known.get(path, [])


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """Servers on loopback, whose authority this process and Git know."""
    authority, context = authority_and_server(tmp_path, "127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    monkeypatch.setenv("GIT_SSL_CAINFO", str(authority))
    monkeypatch.setenv("EAS_PRIVATE_HOSTS", "127.0.0.1")
    return context


@pytest.fixture
def clones(
    new_repository: Callable[..., GitRepository], tmp_path: Path, context: ssl.SSLContext
) -> Iterator[HttpRemote]:
    """A Git server with one repository."""
    repository = new_repository("served/acme/web.git", bare=True)
    repository.commit({"a.py": "a = 1\n"})
    with HttpRemote(tmp_path / "served") as remote:
        remote._server.socket = context.wrap_socket(remote._server.socket, server_side=True)
        yield remote


@pytest.fixture
def gitea(clones: HttpRemote, context: ssl.SSLContext) -> Iterator[Gitea]:
    host = Gitea(f"https://127.0.0.1:{clones.port}/acme/web.git")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = host.answer(self.path.partition("?")[0], self.headers.get("Authorization", ""))
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("ETag", f'"{zlib.crc32(content)}"')
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments: object) -> None:
            """Tests read `seen` instead."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    host.address = f"https://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield host
    server.shutdown()
    thread.join()
    server.server_close()


def spellings(token: str) -> set[bytes]:
    """The token as it is, in a URL, as hexadecimal digits, and in Base64 at any place of a longer text."""
    found = {token.encode(), token.encode().hex().encode()}
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + token.encode())
        # Without the characters that neighbors share.
        found.add(encoded[-(-before * 8 // 6) : -4])
    return found


def content_of(file: Path) -> bytes:
    """The bytes of a file, and what they are when they are unpacked."""
    content = file.read_bytes()
    if file.suffix == ".parquet":
        return content + repr(pq.read_table(file).to_pylist()).encode()
    if file.name == CACHE_FILE:
        stored = HttpCache.from_bytes(content).answers.values()
        return content + b"".join(zlib.decompress(one.content) for one in stored)
    with suppress(zlib.error):
        return content + zlib.decompress(content)
    return content


def materialize(
    deployment: Deployment, asset: Any, partitions: dg.DynamicPartitionsDefinition, one: str
) -> bool:
    with open_instance(deployment.settings) as instance:
        register(instance, partitions, one)
        return dg.materialize(
            [asset],
            instance=instance,
            partition_key=one,
            resources={"deployment": deployment, "readings": Readings(), "progress": Progress()},
            raise_on_error=False,
        ).success


def test_neither_files_nor_logs_nor_answers_have_a_token(
    deployment: Deployment,
    gitea: Gitea,
    clones: HttpRemote,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Refused, added, read, cloned, expired, replaced and read again, at a host that repeats each token it refuses."""
    caplog.set_level(logging.DEBUG)
    clones.authorization = "Basic " + base64.b64encode(f"x-access-token:{FIRST}".encode()).decode()
    deployment = Deployment()
    with deployment.control() as control:
        session = sign_in(control, join(control, LOCAL_ORGANIZATION, "owner"))
    answers: list[httpx.Response] = []
    with (
        serving(deployment.settings.data_dir, EAS_PRIVATE_HOSTS="127.0.0.1") as served,
        client_for(served, session) as owner,
    ):
        owner.event_hooks = {"response": [answers.append]}
        new = {"kind": "GITEA", "name": "Host", "address": gitea.address}
        assert owner.post(f"{ROOT}/connections", json=new | {"secret": WRONG}).status_code == 400
        made = owner.post(f"{ROOT}/connections", json=new | {"secret": FIRST})
        assert made.status_code == 200, made.text
        connection = made.json()["id"]
        place, partition = f"{ROOT}/connections/{connection}", key("Host", connection)

        assert materialize(deployment, SYNC_ASSETS["hosts"], CONNECTIONS, partition)
        wanted = {"repositories": [{"connection": connection, "providerId": "1"}]}
        [added] = owner.post(f"{ROOT}/repositories:batchCreate", json=wanted).json()["results"]
        repository = added["repository"]
        cloned = materialize(deployment, extract_git, REPOSITORIES, key(repository["name"], repository["id"]))
        assert cloned, caplog.text
        assert materialize(deployment, SYNC_ASSETS["hosts"], CONNECTIONS, partition)

        gitea.token = SECOND
        assert not materialize(deployment, SYNC_ASSETS["hosts"], CONNECTIONS, partition)
        failing = owner.get(place).json()
        assert (failing["health"], failing["failureReason"]) == ("FAILING", "UNAUTHORIZED")
        assert owner.patch(place, json={"secret": SECOND}).status_code == 200
        assert materialize(deployment, SYNC_ASSETS["hosts"], CONNECTIONS, partition)
        assert owner.get(place).json()["health"] == "HEALTHY"
        settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
        lists = ("connections", "auditEntries", "operations")
        for path in (place, f"{place}/history", *(f"{ROOT}/{one}" for one in lists)):
            assert owner.get(path).status_code == 200, path

    assert {f"token {one}" for one in (WRONG, FIRST, SECOND)} <= set(gitea.seen)
    assert clones.authorization in {authorization for _, _, authorization in clones.seen}
    said = capfd.readouterr()
    texts = {"log": caplog.text, "output": said.out + said.err, "answers": "".join(a.text for a in answers)}
    held = {name: text.encode() for name, text in texts.items()}
    files = [one for one in deployment.settings.data_dir.rglob("*") if one.is_file()]
    held |= {str(one): content_of(one) for one in files}
    names = " ".join(held)
    assert all(
        part in names for part in ("/raw/hosts/", "/raw/git/", "/mirrors/", "/dagster/", CACHE_FILE, ".db")
    )
    forms = {form for token in (WRONG, FIRST, SECOND) for form in spellings(token)}
    assert [name for name, content in held.items() if any(form in content for form in forms)] == []
    assert len(answers) > 10
