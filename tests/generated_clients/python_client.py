"""A client that openapi-python-client makes, in an environment of its own: it needs an older typer than the product."""

from __future__ import annotations

import compileall
import fcntl
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.generated_clients.lists import List

HERE = Path(__file__).parent
ENVIRONMENT = HERE / ".venv"
REQUIREMENTS = HERE / "requirements.txt"
PYTHON = ENVIRONMENT / "bin" / "python"
PACKAGE = "made_client"
# Calls the function of each operation, whose arguments are the parameters in snake case.
PROGRAM = """
import datetime, importlib, json, sys
from made_client import AuthenticatedClient
task = json.load(sys.stdin)
client = AuthenticatedClient(base_url=task["address"], token=task["key"], raise_on_unexpected_status=True)
found = {}
for one in task["lists"]:
    module = importlib.import_module(f"made_client.api.{one['tag']}.{one['module']}")
    query = {name: datetime.date.fromisoformat(day) for name, day in one["query"].items()}
    page = module.sync(*one["ids"], client=client, **query)
    found[one["operation"]] = page.to_dict()
print(json.dumps(found))
"""


def read_lists(document: dict[str, Any], address: str, key: str, lists: list[List], folder: Path) -> Any:
    """What the client got of every list, by operation. Skips the test where the generator cannot be had.

    Fails where the generator leaves something out, or the client does not compile.
    """
    _install()
    described = folder / "openapi.json"
    described.write_text(json.dumps(document), encoding="utf-8")
    made = folder / PACKAGE
    command = [PYTHON, "-m", "openapi_python_client", "generate", "--meta", "none", "--fail-on-warning"]
    config = folder / "config.json"
    # Its formatting would need ruff on the PATH, and nobody reads the code. It knows bytes, but not protobuf.
    overrides = {"application/x-protobuf": "application/octet-stream"}
    config.write_text(json.dumps({"post_hooks": [], "content_type_overrides": overrides}), encoding="utf-8")
    _run([*command, "--config", config, "--path", described, "--output-path", made], folder)
    assert compileall.compile_dir(made, quiet=1)
    task = {
        "address": address,
        "key": key,
        "lists": [
            {
                "operation": one.operation,
                "module": _snake(one.operation),
                "tag": _snake(one.tag.replace(" ", "_")),
                "ids": list(one.ids.values()),
                "query": {_snake(name): day for name, day in one.query.items()},
            }
            for one in lists
        ],
    }
    return json.loads(_run([PYTHON, "-c", PROGRAM], folder, json.dumps(task)))


def _install() -> None:
    uv = [sys.executable, "-m", "uv", "--quiet"]
    with REQUIREMENTS.open() as lock:
        # Several processes of the tests may come here at once.
        fcntl.flock(lock, fcntl.LOCK_EX)
        mark = ENVIRONMENT / ".ready"
        if mark.exists() and mark.stat().st_mtime >= REQUIREMENTS.stat().st_mtime:
            return
        commands: tuple[list[Any], ...] = (
            [*uv, "venv", "--clear", "--python", sys.executable, ENVIRONMENT],
            [*uv, "pip", "install", "--python", PYTHON, "--require-hashes", "--requirements", REQUIREMENTS],
        )
        for command in commands:
            done = subprocess.run(command, capture_output=True, text=True, timeout=600)
            if done.returncode:
                pytest.skip(f"openapi-python-client could not be installed: {done.stderr[-300:]}")
        mark.touch()


def _run(command: list[Any], folder: Path, given: str = "") -> str:
    done = subprocess.run(
        command, cwd=folder, input=given, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
