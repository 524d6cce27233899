"""Fixtures: the command line in a separate process with a separate data directory."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.end_to_end.eas import Eas
from tests.end_to_end.histories import varied
from tests.git_repository import GitRepository


@pytest.fixture(scope="module")
def eas(tmp_path_factory: pytest.TempPathFactory) -> Eas:
    """A deployment shared by the tests of a module."""
    return Eas(tmp_path_factory.mktemp("deployment") / "data")


@pytest.fixture
def fresh_eas(tmp_path: Path) -> Eas:
    """A deployment for one test."""
    return Eas(tmp_path / "data")


@pytest.fixture
def small_eas(tmp_path: Path) -> Eas:
    """A deployment for one test, with the small warehouse."""
    return Eas(tmp_path / "data", is_small=True)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> GitRepository:
    return varied(GitRepository(tmp_path_factory.mktemp("repositories") / "house"))


@pytest.fixture(scope="module")
def first_run(
    tmp_path_factory: pytest.TempPathFactory, eas: Eas, house: GitRepository
) -> subprocess.CompletedProcess[str]:
    """The first run over the repository `house`, without network. Other tests compare with its output."""
    prefix = _without_network()
    if prefix:
        return eas.run("analyze", house.path, prefix=prefix)
    folder = tmp_path_factory.mktemp("sitecustomize")
    (folder / "sitecustomize.py").write_text(
        "import socket\n"
        "connect = socket.socket.connect\n"
        "def refuse(*_, **__): raise OSError('the network is cut')\n"
        # Processes of this machine talk over such sockets.
        "def local(self, *address): return (connect if self.family == socket.AF_UNIX else refuse)(self, *address)\n"
        "socket.socket.connect = local\n"
        "socket.getaddrinfo = socket.create_connection = refuse\n"
    )
    return eas.run("analyze", house.path, PYTHONPATH=str(folder))


def _without_network() -> tuple[str, ...]:
    """A command prefix that disables all networks; empty if the system does not permit it."""
    prefix = ("unshare", "--map-root-user", "--net", "--")
    try:
        works = subprocess.run([*prefix, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        works = False
    return prefix if works else ()


@pytest.fixture
def copy(first_run: subprocess.CompletedProcess[str], eas: Eas, tmp_path: Path) -> Eas:
    """A separate copy of the deployment after the first run."""
    return replace(eas, data=shutil.copytree(eas.data, tmp_path / "data"))
