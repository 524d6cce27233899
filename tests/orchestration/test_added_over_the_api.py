"""An address added over the API is extracted with real Git over https, only from the checked address."""

import shutil
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from api.control.principals import OPERATOR
from api.control.repositories import sync_status
from api.control.repositories.repositories import (
    ManagedRepository,
    NewRepository,
    add_repository,
    managed_repository,
)
from api.control.repositories.settings import Settings as RepositorySettings
from api.operator.readers import host_list
from ingest.probe import AddressRefused, Reach, probe_address
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.graph.assets.git import extract_git
from orchestration.reading.readings import Readings
from orchestration.runtime.partitions import REPOSITORIES, key, register
from orchestration.runtime.progress import Progress
from tests.git_repository import GitRepository
from tests.ingest.git.remote.http_remote import HttpRemote

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="makes a certificate with openssl")
HOST = "git.example"


@pytest.fixture
def remote(
    new_repository: Callable[..., GitRepository], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[HttpRemote]:
    """A repository at https://git.example:port; only this process resolves the name, to this machine."""
    repository = new_repository("served/acme/web.git", bare=True)
    repository.commit({"a.py": "a = 1\n"})
    repository.commit({"b.py": "b = 2\n"})
    pem = tmp_path / "server.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={HOST}", "-days", "2",
         "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", str(pem), "-out", str(tmp_path / "ca.pem")],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "ca.pem", pem)
    monkeypatch.setenv("GIT_SSL_CAINFO", str(tmp_path / "ca.pem"))
    real = socket.getaddrinfo

    def known(host: Any, *arguments: Any, **options: Any) -> Any:
        return real("127.0.0.1" if host == HOST else host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", known)
    with HttpRemote(tmp_path / "served") as served:
        served._server.socket = context.wrap_socket(served._server.socket, server_side=True)
        yield served


def add(deployment: Deployment, url: str, listed: str) -> ManagedRepository:
    probed = probe_address(url, LOCAL_ORGANIZATION, Reach(*host_list(listed)))
    wanted = NewRepository(probed.repository_id, probed.origin, probed.url, RepositorySettings(probed.name))
    with deployment.control() as control:
        return add_repository(control, OPERATOR, LOCAL_ORGANIZATION, wanted)


def read(deployment: Deployment, repository: ManagedRepository) -> bool:
    partition = key(repository.name, repository.id)
    with dg.DagsterInstance.ephemeral() as instance:
        register(instance, REPOSITORIES, partition)
        return dg.materialize(
            [extract_git],
            instance=instance,
            partition_key=partition,
            resources={"deployment": deployment, "readings": Readings(), "progress": Progress()},
            raise_on_error=False,
        ).success


def test_an_added_repository_is_read_and_healthy(
    deployment: Deployment, remote: HttpRemote, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"https://{HOST}:{remote.port}/acme/web.git"
    with pytest.raises(AddressRefused):
        add(deployment, url, "")
    monkeypatch.setenv("EAS_PRIVATE_HOSTS", "127.0.0.0/8")
    added = add(deployment, url, "127.0.0.0/8")
    assert read(Deployment(), added)
    source = deployment.lake.source("git", LOCAL_ORGANIZATION, added.id)
    assert source.read("commits").num_rows == 2
    with deployment.control() as control:
        found = managed_repository(control, LOCAL_ORGANIZATION, added.id)
        assert (found.health, found.commit_total) == ("HEALTHY", 2)
        assert sync_status.waiting(control, 5) == []
    entry = deployment.run_state.repository(LOCAL_ORGANIZATION, added.id)
    assert entry is not None
    assert entry.target == url


def test_an_address_that_the_operator_no_longer_lists_is_not_reached(
    deployment: Deployment, remote: HttpRemote
) -> None:
    """For example, a public name now resolves to a private address."""
    added = add(deployment, f"https://{HOST}:{remote.port}/acme/web.git", "127.0.0.0/8")
    assert not read(deployment, added)
    assert remote.seen == []
    with deployment.control() as control:
        found = managed_repository(control, LOCAL_ORGANIZATION, added.id)
    assert found.health == "FAILING"
    assert "EAS_PRIVATE_HOSTS" in (found.failure or "")
