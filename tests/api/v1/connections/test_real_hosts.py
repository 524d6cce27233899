"""The check of a token at a server on loopback over TLS, and at one that does not answer."""

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import httpx
import pytest

from api.v1.connections import checks
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.v1.connections.conftest import ADDRESS, TOKEN, FakeHost
from tests.ingest.http.certificates import authority_and_server
from tests.ingest.http.scripted_server import answer, playing

Serve = Callable[..., AbstractContextManager[str]]


def test_a_token_is_checked_over_tls_at_a_listed_host(
    deployment: Deployment, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority, context = authority_and_server(tmp_path, "127.0.0.1")
    steps = [answer({"version": "1"}), answer({"login": "ada"})]
    new = {"kind": "GITEA", "name": "Host", "secret": TOKEN}
    with (
        playing(steps, context) as host,
        serve(deployment.data_dir, EAS_PRIVATE_HOSTS="127.0.0.1") as address,
        client_for(address, deployment.key(scope="write")) as admin,
    ):
        refused = admin.post(f"{ROOT}/connections", json=new | {"address": host.address})
        assert (refused.status_code, "SSL_CERT_FILE" in refused.json()["message"]) == (400, True)
        assert host.lines == []
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
        made = admin.post(f"{ROOT}/connections", json=new | {"address": host.address})
        assert (made.status_code, made.json().get("account")) == (200, "ada"), made.text
        assert [line.split()[1] for line in host.lines] == ["/api/v1/version", "/api/v1/user"]
        assert {headers["authorization"] for headers in host.headers} == {f"token {TOKEN}"}


def test_a_host_that_does_not_answer_is_given_up_and_blocks_no_other_write(
    admin: httpx.Client, host: FakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "ANSWER_SECONDS", 2.0)
    asked, ended = threading.Event(), threading.Event()

    def wait() -> httpx.Response:
        asked.set()
        ended.wait(20)
        return httpx.Response(200, json={})

    host.refusal = wait
    answers: list[httpx.Response] = []
    new = {"kind": "GITEA", "name": "Host", "address": ADDRESS, "secret": TOKEN}
    thread = threading.Thread(target=lambda: answers.append(admin.post(f"{ROOT}/connections", json=new)))
    began = time.monotonic()
    thread.start()
    try:
        assert asked.wait(10)
        # The writer lock of the organization is free meanwhile.
        assert admin.post(f"{ROOT}/teams", json={"name": "Web"}).status_code == 200
        assert answers == []
        thread.join(20)
    finally:
        ended.set()
        thread.join(20)
    [given] = answers
    assert (given.status_code, "did not answer in time" in given.json()["message"]) == (503, True)
    assert time.monotonic() - began < 15
    assert admin.get(f"{ROOT}/connections").json()["totalSize"] == 0
