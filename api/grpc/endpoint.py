"""Answers every method with the answer of REST: one handler asks the same application within the process.

Permissions, limits, errors and figures are those of REST, since there is no second implementation.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NoReturn
from urllib.parse import unquote

import grpc
import httpx
from google.protobuf.json_format import ParseDict
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status
from starlette.types import ASGIApp

from api.errors import ApiError, InvalidArgument
from api.grpc.contract import Method, methods
from api.grpc.translation import address_of, answer_of, body_of, query_of
from api.http.inner_requests import inner_transport
from api.http.media_types import JSON

# The metadata that become headers. All other metadata stay with gRPC.
FORWARDED = ("authorization", "accept-language", "x-forwarded-for", "x-forwarded-proto")
RETURNED = ("retry-after", "www-authenticate")
UNKNOWN = 2
# The detail of a wrong field is read with the descriptor that this module registers.
assert error_details_pb2.BadRequest

Context = grpc.aio.ServicerContext[bytes, bytes]


class Methods(grpc.GenericRpcHandler):
    """Every method of the service over one application with its services."""

    def __init__(self, app: ASGIApp, state: Mapping[str, Any]) -> None:
        self._app = app
        self._state = state
        self._methods = methods()

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        """The handler of a call; none for a method that the service does not have."""
        method = self._methods.get(handler_call_details.method)
        # Without functions that read and write: what cannot be read is answered here, by its own code.
        return grpc.unary_unary_rpc_method_handler(partial(self._answer, method)) if method else None

    async def _answer(self, method: Method, sent: bytes, context: Context) -> bytes:
        try:
            asked = _request(method, sent, context)
        except ApiError as error:
            await _refuse(context, _status(error))
        transport = inner_transport(self._app, self._state, _client(context))
        answer = await transport.handle_async_request(asked)
        await answer.aread()
        if answer.is_error or not answer.headers.get("content-type", "").startswith(JSON):
            await _refuse(context, _error_of(answer), answer.headers)
        return answer_of(method, answer.json()).SerializeToString()


def _request(method: Method, sent: bytes, context: Context) -> httpx.Request:
    """The request of REST. Raises InvalidArgument."""
    try:
        request = method.request.FromString(sent)
        address = httpx.URL(
            f"http://localhost{address_of(method, request)}", params=query_of(method, request)
        )
    except DecodeError as error:
        raise InvalidArgument(
            "request", "is no message of this method; compile the protos of this release"
        ) from error
    except (UnicodeEncodeError, httpx.InvalidURL) as error:
        raise InvalidArgument("request", "is too long, or has a control character") from error
    return httpx.Request(
        method.verb.upper(), address, headers=_headers(context), json=body_of(method, request)
    )


def _headers(context: Context) -> list[tuple[str, str]]:
    sent = context.invocation_metadata() or ()
    texts = [(key, value) for key, value in sent if key in FORWARDED and isinstance(value, str)]
    return [("accept", JSON), *texts]


def _client(context: Context) -> tuple[str, int] | None:
    """The address of the other end: `ipv4:10.0.0.1:4711`, `ipv6:%5B::1%5D:4711`."""
    family, _, address = context.peer().partition(":")
    host, _, port = unquote(address).rpartition(":")
    if not family.startswith("ipv") or not port.isdigit():
        return None
    return host.strip("[]"), int(port)


def _status(error: ApiError) -> Status:
    content = {"code": error.code, "message": error.message, "details": error.details}
    return ParseDict(content, Status(), ignore_unknown_fields=True)


def _error_of(answer: httpx.Response) -> Status:
    """The google.rpc.Status that REST answers with."""
    if answer.is_success:
        return _status(
            InvalidArgument("format", "a file is no message; read it over REST, or leave the format out")
        )
    if not answer.headers.get("content-type", "").startswith(JSON):
        return Status(code=UNKNOWN, message=f"the service answered {answer.status_code}; try again later")
    return ParseDict(answer.json(), Status(), ignore_unknown_fields=True)


async def _refuse(context: Context, status: Status, headers: Mapping[str, str] | None = None) -> NoReturn:
    given = rpc_status.to_status(status)
    returned = tuple((name, headers[name]) for name in RETURNED if name in headers) if headers else ()
    await context.abort(given.code, given.details, (*(given.trailing_metadata or ()), *returned))
