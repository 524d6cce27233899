"""A server that an official OpenAPI description drives: Prism checks each request and answers with the examples."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.node_packages import installed
from tests.official_schemas.packages import HERE, MODULES

START_SECONDS = 120
"""On a busy machine; alone it takes two seconds of these small descriptions."""

Description = dict[str, Any]


@contextlib.contextmanager
def described_by(folder: Path, description: Description, paths: Iterable[str]) -> Iterator[str]:
    """The address of a server that a description drives. The folder takes the part of it that has these paths."""
    node = installed(HERE)
    file = folder / "description.json"
    file.write_text(json.dumps(part(description, paths)))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    prism = MODULES / "@stoplight/prism-cli/dist/index.js"
    command = [node, prism, "mock", "--errors", "--port", str(port), file]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait(port, process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


def part(description: Description, paths: Iterable[str]) -> Description:
    """The reading operations of some paths, with what they refer to: GitHub's whole description takes a minute to load."""
    kept = {
        path: {key: value for key, value in description["paths"][path].items() if key in ("get", "parameters")}
        for path in paths
    }
    components: dict[str, Any] = {}
    waiting: list[Any] = [kept]
    while waiting:
        for reference in _references(waiting.pop()):
            _, _, kind, name = reference.split("/")
            if name not in components.setdefault(kind, {}):
                components[kind][name] = description["components"][kind][name]
                waiting.append(components[kind][name])
    schemes = description.get("components", {}).get("securitySchemes")
    return {
        **{key: value for key, value in description.items() if not key.startswith("x-")},
        "paths": kept,
        "components": {**components, **({"securitySchemes": schemes} if schemes else {})},
    }


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(reference := value.get("$ref"), str):
            yield reference
        for each in value.values():
            yield from _references(each)
    elif isinstance(value, list):
        for each in value:
            yield from _references(each)


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    ends = time.monotonic() + START_SECONDS
    while time.monotonic() < ends and process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), 1):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server does not start")
