"""A server that an official OpenAPI description drives: Prism checks each request and answers with the examples."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx

from tests.node_packages import installed
from tests.official_schemas.packages import HERE, MODULES

START_SECONDS = 120
"""On a busy machine; alone it takes two seconds of these small descriptions."""

Description = dict[str, Any]


class Described:
    """The server. `get` fails the test whose request does not fit the description."""

    def __init__(self, address: str, description: Description) -> None:
        self._described = {
            re.compile(re.sub(r"\{[^/]+\}", "[^/]+", path)): _query_names(description, operations)
            for path, operations in description["paths"].items()
        }
        self._plain = httpx.Client(base_url=address, timeout=60)

    def get(self, path: str, query: str, headers: dict[str, str]) -> httpx.Response:
        """The answer to a request. Its example may break the description, which is the provider's affair."""
        answer = self._plain.get(f"{path}?{query}", headers=headers)
        violations = json.loads(answer.headers.get("sl-violations", "[]"))
        wrong = [each["message"] for each in violations if each["location"][0] == "request"]
        # Prism lets parameters pass that the description does not have.
        known = next(names for pattern, names in self._described.items() if pattern.fullmatch(path))
        wrong += [f"{name} is no parameter" for name, _ in parse_qsl(query) if name not in known]
        assert not wrong, f"{path}: {wrong}"
        return answer

    def close(self) -> None:
        self._plain.close()


@contextlib.contextmanager
def described_by(folder: Path, description: Description, paths: Iterable[str]) -> Iterator[Described]:
    """A server that a description drives. The folder takes the part of it that has these paths."""
    node = installed(HERE)
    file = folder / "description.json"
    described = part(description, paths)
    file.write_text(json.dumps(described))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    prism = MODULES / "@stoplight/prism-cli/dist/index.js"
    command = [node, str(prism), "mock", "--port", str(port), str(file)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait(port, process)
            with contextlib.closing(Described(f"http://127.0.0.1:{port}", described)) as server:
                yield server
        finally:
            process.kill()


def part(description: Description, paths: Iterable[str]) -> Description:
    """The reading operations of some paths and what they refer to. Prism loads GitHub's whole one for minutes."""
    kept = {
        path: {
            key: value for key, value in description["paths"][path].items() if key in ("get", "parameters")
        }
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


def _query_names(description: Description, operations: dict[str, Any]) -> set[str]:
    parameters = [*operations.get("parameters", []), *operations["get"].get("parameters", [])]
    named = description["components"].get("parameters", {})
    found = [named[each["$ref"].split("/")[-1]] if "$ref" in each else each for each in parameters]
    return {each["name"] for each in found if each["in"] == "query"}


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
