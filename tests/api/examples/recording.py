"""Answers of the application during tests: what each operation answered, by status.

A test process writes them where `EXAMPLES_FOLDER` names a folder. Keep out: the choice of an example (choice.py).
"""

import json
import os
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

from fastapi.routing import APIRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.openapi.answers import example_name
from api.http.openapi.texts import operation_id

FOLDER = "EXAMPLES_FOLDER"
# Longer answers are lists that an example would cut anyway.
MAX_BYTES = 200_000
JSON, SVG = b"application/json", b"image/svg+xml"


class Recorder:
    """ASGI middleware that appends the JSON answers and pictures of documented operations to a file of this process."""

    def __init__(self, app: ASGIApp, folder: Path) -> None:
        self._app = app
        self._file = folder / f"{os.getpid()}.jsonl"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started: MutableMapping[str, Any] = {}
        pieces: list[bytes] = []

        async def seen(message: Message) -> None:
            if message["type"] == "http.response.start":
                started.update(message)
            elif message["type"] == "http.response.body":
                pieces.append(message.get("body", b""))
            await send(message)

        await self._app(scope, receive, seen)
        route = scope.get("route")
        if scope["type"] == "http" and started and isinstance(route, APIRoute):
            self._write(route, dict(started), b"".join(pieces))

    def _write(self, route: APIRoute, started: dict[str, Any], body: bytes) -> None:
        headers = {name.lower(): value for name, value in started["headers"]}
        media_type = headers.get(b"content-type", b"")
        if media_type not in (JSON, SVG) or len(body) > MAX_BYTES or not route.include_in_schema:
            return
        answer = {
            "operation": example_name(operation_id(route), media_type.decode()),
            "status": started["status"],
            "headers": sorted(name.decode() for name in headers),
            "body": json.loads(body) if media_type == JSON else body.decode(),
        }
        with self._file.open("a") as file:
            file.write(json.dumps(answer) + "\n")


def recorded(app: ASGIApp) -> ASGIApp:
    """The application, with its answers recorded where the environment names a folder."""
    folder = os.environ.get(FOLDER)
    return Recorder(app, Path(folder)) if folder else app
