"""Fixtures: an Enterprise Server and a Linear workspace on loopback over TLS, which this deployment may reach."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from ingest.git.supervision import Readers
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from tests.git_repository import GitRepository
from tests.ingest.git.remote.http_remote import HttpRemote
from tests.ingest.http.certificates import authority_and_server
from tests.orchestration.connections.places import TOKEN, GitHubPlace, LinearPlace, github, linear


@pytest.fixture
def deployment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Deployment:
    """A deployment that may reach this machine."""
    monkeypatch.setenv("EAS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("EAS_WORKERS", "1")
    monkeypatch.setenv("EAS_PRIVATE_HOSTS", "127.0.0.1")
    deployment = Deployment()
    with deployment.control() as control:
        control.ensure_organization("Local", organization_id=LOCAL_ORGANIZATION, slug=LOCAL_SLUG)
    return deployment


@pytest.fixture
def instance(stored_instance: dg.DagsterInstance) -> dg.DagsterInstance:
    return stored_instance


@pytest.fixture
def shop(new_repository: Callable[..., GitRepository]) -> GitRepository:
    """The bare repository `acme/shop` below `served`."""
    repository = new_repository("served/acme/shop.git", bare=True)
    repository.commit({"a.py": "a = 1\n"})
    return repository


@pytest.fixture
def host(tmp_path: Path, shop: GitRepository, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHubPlace]:
    """A host whose interface and Git repositories accept `TOKEN` alone."""
    authority, context = authority_and_server(tmp_path, "127.0.0.1")
    for variable in ("SSL_CERT_FILE", "GIT_SSL_CAINFO"):
        monkeypatch.setenv(variable, str(authority))
    login = base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()
    with HttpRemote(tmp_path / "served", f"Basic {login}", context=context) as remote:
        yield github(remote)


@pytest.fixture
def tracker(tmp_path: Path, host: GitHubPlace) -> Iterator[LinearPlace]:
    """A tracker with the certificate of the host."""
    with HttpRemote(tmp_path / "served", context=host.remote.context) as remote:
        yield linear(remote)


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections are read in the process of the test, which may replace parts of it."""

    class Told:
        def __init__(self, tell: Callable[..., None] | None) -> None:
            self.send = tell or (lambda _: None)

    def run(self: Readers, name: str, work: Any, on_progress: Any = None, **_: Any) -> Any:
        return work(Told(on_progress))

    monkeypatch.setattr("ingest.connection_reading.die_with_parent", lambda: None)
    monkeypatch.setattr(Readers, "run", run)
