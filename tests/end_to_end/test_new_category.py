"""A new category of connections is its files and the line of its provider."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest

from ingest.settings import CHECKOUT
from orchestration.deployment import LOCAL_ORGANIZATION
from tests.ingest.git.remote.http_remote import HttpRemote
from tests.ingest.http.certificates import authority_and_server

HERE = Path(__file__).parent / "new_category"
TOKEN = "t0kenOfThePager"
# By file: an entry and its import, after the last ones.
LINES = {
    "ingest/providers/registry.py": {
        "from ingest.providers.linear.tracker import Linear\n": "from ingest.providers.pager.tool import Pager\n",
        "    Linear(),\n": "    Pager(),\n",
    },
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the new category."""
    copied = tmp_path_factory.mktemp("project")
    left_out = shutil.ignore_patterns("__pycache__", "target", "training")
    for name in ("api", "dbt_project", "ingest", "orchestration"):
        shutil.copytree(CHECKOUT / name, copied / name, ignore=left_out)
    shutil.copytree(HERE, copied, ignore=left_out, dirs_exist_ok=True)
    for name in ("dagster.yaml", "pyproject.toml"):
        shutil.copyfile(CHECKOUT / name, copied / name)
    for name, additions in LINES.items():
        text = (copied / name).read_text()
        for last, addition in additions.items():
            assert text.count(last) == 1, (name, last)
            text = text.replace(last, last + addition)
        (copied / name).write_text(text)
    return copied


@dataclass
class Server:
    """A pager with incidents."""

    titles: dict[str, str]

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.headers.get("authorization") != TOKEN:
            return httpx.Response(401, json={"message": "unknown token"})
        if request.url.path == "/api/user":
            return httpx.Response(200, json={"name": "ada"})
        rows = [
            {"id": key, "title": title, "updated_at": "2026-03-04T05:06:07Z"}
            for key, title in self.titles.items()
        ]
        return httpx.Response(200, json=rows)


@pytest.fixture
def pager(tmp_path: Path) -> Iterator[tuple[Server, str, Path]]:
    """The server, its address, and the certificate of its authority."""
    authority, context = authority_and_server(tmp_path, "127.0.0.1")
    server = Server({"1": "Database is down", "2": "Disk is full"})
    with HttpRemote(tmp_path, api=server, context=context) as remote:
        yield server, remote.url("").rstrip("/"), authority


@pytest.fixture
def eas(
    project: Path, pager: tuple[Server, str, Path], tmp_path: Path
) -> Callable[..., subprocess.CompletedProcess[str]]:
    environment = os.environ | {
        "EAS_DATA_DIR": str(tmp_path / "data"),
        "EAS_PRIVATE_HOSTS": "127.0.0.1",
        "EAS_WORKERS": "1",
        "PYTHONPATH": str(project),
        "SSL_CERT_FILE": str(pager[2]),
    }

    def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", "from orchestration.cli import main; main()", *arguments],
            cwd=project, env=environment, input=stdin, text=True, capture_output=True, timeout=600, check=False,
        )  # fmt: skip

    return run


def published(data: Path, query: str) -> list[tuple[Any, ...]]:
    folder = data / "published" / LOCAL_ORGANIZATION
    file = folder / json.loads((folder / "current.json").read_text())["file"]
    with duckdb.connect(str(file), read_only=True) as connection:
        return connection.execute(query).fetchall()


# A trial of the recipe: the path of rows is that of every category, which test_connections.py takes.
@pytest.mark.release
def test_rows_of_a_new_category_pass_from_the_connection_to_the_published_table(
    eas: Callable[..., subprocess.CompletedProcess[str]], pager: tuple[Server, str, Path], tmp_path: Path
) -> None:
    server, address, _ = pager
    connected = eas("connect", "pager", address, "--name", "On call", stdin=f"{TOKEN}\n")
    assert connected.returncode == 0, connected.stderr
    assert "Connected On call as ada" in connected.stdout
    query = "select incident_id, title from incidents order by all"
    for titles in ({"1": "Database is down", "2": "Disk is full"}, {"2": "Disk was full", "3": "Slow"}):
        server.titles = titles
        read = eas("sync")
        assert read.returncode == 0, read.stdout + read.stderr
        assert published(tmp_path / "data", query) == sorted(titles.items())


def test_the_api_names_a_new_category(project: Path) -> None:
    code = (
        "import json\n"
        "from api.app import create_app\n"
        "from api.settings import ApiSettings\n"
        "kind = create_app(ApiSettings()).openapi()['components']['schemas']['ConnectionKind']\n"
        "print(json.dumps(kind['properties']['category']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=project, env=os.environ | {"PYTHONPATH": str(project)},
        text=True, capture_output=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    known = ["AI_TOOL", "GIT_HOST", "INCIDENT_TOOL", "MODEL_ENDPOINT", "ISSUE_TRACKER"]
    assert shown["enum"] == known
    assert "INCIDENT_TOOL: incidents." in shown["description"]
