"""`/scim/v2`: SCIM 2.0 for directories. Every answer is `application/scim+json`, errors included.

Keep out: the protocol (protocol.py), limits other than that of the body (limits.py).
"""

import logging
from collections.abc import Callable, Coroutine
from functools import cache, partial
from importlib import import_module
from typing import Any
from urllib.parse import parse_qsl

import anyio.to_thread
import orjson
from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from api.callers.dependencies import Provisioner
from api.errors import ApiError
from api.http.statuses import INTERNAL, without_control_database
from api.services import services

logger = logging.getLogger(__name__)
PREFIX = "/scim/v2"
MEDIA_TYPE = "application/scim+json"
ERROR = "urn:ietf:params:scim:api:messages:2.0:Error"
# Bytes of a body: a group with some 8,000 members.
MAX_BODY = 1_000_000
TOO_LARGE = f"the body has more than {MAX_BODY} bytes; split the request"
Handle = Callable[[Request], Coroutine[Any, Any, Response]]


class ScimRoute(APIRoute):
    """A route whose errors are those of SCIM."""

    def get_route_handler(self) -> Handle:
        handle = super().get_route_handler()

        async def answered(request: Request) -> Response:
            try:
                return await handle(request)
            except ApiError as error:
                return _error(error.status, error.message, error.headers)
            except (DBAPIError, PoolTimeout) as error:
                lost = without_control_database(error)
                return _error(lost.status, lost.message, lost.headers)
            except ClientDisconnect:
                # Nobody reads this answer.
                return _error(400, "the connection ended within the body")
            except Exception:
                logger.exception("a request of a directory failed")
                return _error(500, INTERNAL)

        return answered


router = APIRouter(tags=["scim"], route_class=ScimRoute, include_in_schema=False)


@router.api_route(
    PREFIX + "/{path:path}",
    methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
    summary="Provision as a directory",
    response_class=Response,
)
async def provision(directory: Provisioner, path: str, request: Request) -> Response:
    """Take one request of SCIM 2.0. A thread answers it, because groups may have thousands of members."""
    body = await _body(request)
    if body is None:
        return _error(413, TOO_LARGE)
    answer = partial(
        await anyio.to_thread.run_sync(_protocol),
        services(request).store,
        directory,
        method=request.method,
        base_url=services(request).app_url.rstrip("/") + PREFIX,
        path=f"/{path}",
        query=dict(parse_qsl(request.url.query, keep_blank_values=True)),
        headers=list(request.headers.items()),
        body=body,
    )
    made = await anyio.to_thread.run_sync(answer)
    return Response(made.body, made.status, made.headers)


@cache
def _protocol() -> Any:
    """What answers. Its library takes most of a second to import, so only servers that are asked import it."""
    return import_module("api.scim.protocol").answer


async def _body(request: Request) -> bytes | None:
    """The body; None for one that is too large, by its declared size or as soon as it is."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > MAX_BODY:
        return None
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BODY:
            return None
    return bytes(body)


def _error(status: int, detail: str, headers: dict[str, str] | None = None) -> Response:
    body = {"schemas": [ERROR], "status": str(status), "detail": detail}
    given = {"Cache-Control": "no-store", **(headers or {})}
    return Response(orjson.dumps(body), status, given, media_type=MEDIA_TYPE)
