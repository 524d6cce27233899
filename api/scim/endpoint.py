"""`/scim/v2`: one request of a directory, answered by the SCIM library in a thread.

Every answer is `application/scim+json`, errors included. Keep out: what is stored (storage.py), limits (limits.py).
"""

import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

import anyio.to_thread
import orjson
from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from scim2_models import PayloadTooLargeException, PreconditionFailedException, SCIMException
from scim2_server.handler import ScimHandler
from scim2_server.requests import ScimRequest
from scim2_server.responses import SCIM_MEDIA_TYPE, ScimResponse
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from api.callers.dependencies import Provisioner
from api.control import errors as control
from api.control.principals import Principal
from api.control.store import ControlStore
from api.errors import ApiError
from api.http.statuses import INTERNAL, api_error_of, without_control_database
from api.scim.limits import MAX_BODY, checked_query, readable
from api.scim.service import service
from api.scim.storage import DirectoryStorage
from api.services import services

logger = logging.getLogger(__name__)
PREFIX = "/scim/v2"
# Times that a change is made again after another one came between its read and its write.
MAX_TRIES = 5
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
            except SCIMException as error:
                return _answer(service().error_response(error))
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
    "/scim/v2/{path:path}",
    methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
    summary="Provision as a directory",
    response_class=Response,
)
async def provision(directory: Provisioner, path: str, request: Request) -> Response:
    """Take one request of SCIM 2.0."""
    body = await _body(request)
    asked = ScimRequest(
        method=request.method,
        base_url=services(request).app_url.rstrip("/") + PREFIX,
        path=f"/{path}",
        query=dict(parse_qsl(request.url.query, keep_blank_values=True)),
        headers=list(request.headers.items()),
        body=body,
        subject=directory,
    )
    answer = partial(_handled, services(request).store, directory, asked)
    return _answer(await anyio.to_thread.run_sync(answer))


def _handled(store: ControlStore, directory: Principal, asked: ScimRequest) -> ScimResponse:
    """Answer a request. A change that lost against another one is made again, unless the client named a version."""
    asked.query = checked_query(dict(asked.query))
    asked.body = readable(asked.body)
    handler = ScimHandler(service(), DirectoryStorage(store, directory))
    for left in reversed(range(MAX_TRIES)):
        try:
            return handler.handle(asked)
        except (PreconditionFailedException, IntegrityError):
            if asked.header("If-Match") is not None or not left:
                raise
        except control.ControlError as error:
            raise (api_error_of(error) or error) from error
    raise AssertionError


async def _body(request: Request) -> bytes:
    """The body. Raises PayloadTooLargeException by its declared size, or as soon as it is too large."""
    too_large = PayloadTooLargeException(detail=f"the body has more than {MAX_BODY} bytes; split the request")
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > MAX_BODY:
        raise too_large
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BODY:
            raise too_large
    return bytes(body)


def _answer(made: ScimResponse) -> Response:
    headers = {"Cache-Control": "no-store", **made.headers}
    content = b"" if made.body is None else orjson.dumps(made.body)
    if made.body is None:
        headers.pop("Content-Type", None)
    return Response(content, int(made.status), headers)


def _error(status: int, detail: str, headers: dict[str, str] | None = None) -> Response:
    body = {
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:Error"],
        "status": str(status),
        "detail": detail,
    }
    given = {"Cache-Control": "no-store", **(headers or {})}
    return Response(orjson.dumps(body), status, given, media_type=SCIM_MEDIA_TYPE)
