"""`/otlp/v1/{logs,metrics,traces}`: telemetry of AI tools, acknowledged when it is on the disk.

Answers and errors have the encoding of the request, and the statuses by which exporters decide whether they send
again: 429 and 503 they repeat, every other error they drop. Keep out: what is kept (ingest/telemetry).
"""

import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.responses import Response

from api.callers.dependencies import Sender
from api.control.telemetry.ingest_tokens import IngestTokenRecord
from api.errors import ApiError, Unavailable
from api.http.parameters import NoQuery
from api.http.statuses import invalid_request, without_control_database
from api.http.violations import field_of, problem_of
from api.operator.full_disks import is_full_disk
from api.services import services
from ingest.telemetry import accept

logger = logging.getLogger(__name__)
# Bytes of a body that is decoded in milliseconds even if it inflates as far as it can: a thread would take longer.
SMALL = 4_096
BYTES = {"schema": {"type": "string", "format": "binary"}}
# The body is read as it was sent, so the framework does not parse it.
DOCUMENTED: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "An export request of OTLP 1, as protobuf or JSON, with or without gzip.",
        "content": {
            "application/x-protobuf": BYTES,
            "application/json": {"schema": {"type": "object"}},
        },
    }
}
ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "An export response of OTLP 1 in the encoding of the request. `partialSuccess` counts the "
        "records that cannot be used and says why.",
        "content": {
            "application/json": {"schema": {"type": "object"}},
            "application/x-protobuf": BYTES,
        },
    }
}


class TelemetryRoute(APIRoute):
    """A route whose errors have the encoding of the request."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def answered(request: Request) -> Response:
            try:
                return await handle(request)
            except ApiError as error:
                refused = accept.Refused(error.status, error.code, error.message)
                return _refusal(request, refused, error.headers)
            except RequestValidationError as error:
                problems = [(field_of(item["loc"]), problem_of(item)) for item in error.errors()]
                return _refusal(request, accept.Refused(400, 3, invalid_request(problems).message), {})
            except accept.Refused as error:
                return _refusal(request, error, {})
            except (DBAPIError, PoolTimeout) as error:
                lost = without_control_database(error)
                return _refusal(request, accept.Refused(lost.status, lost.code, lost.message), lost.headers)

        return answered


router = APIRouter(tags=["telemetry"], route_class=TelemetryRoute)


@router.post(
    "/logs", summary="Send events", response_class=Response, responses=ANSWERS, openapi_extra=DOCUMENTED
)
async def export_logs(sender: Sender, request: Request, _: NoQuery) -> Response:
    """Take log records of OTLP. Kept are events that stand for a model request, and ids of commits that a session
    names; prompts, answers, commands, files and every other attribute are dropped before anything is stored.
    """
    return await _received(accept.Signal.LOGS, sender, request)


@router.post(
    "/metrics", summary="Send metrics", response_class=Response, responses=ANSWERS, openapi_extra=DOCUMENTED
)
async def export_metrics(sender: Sender, request: Request, _: NoQuery) -> Response:
    """Take data points of OTLP, delta or cumulative. Kept are counters of sessions, lines, commits, pull requests,
    active time and decisions about edits; tokens come from events and spans alone.
    """
    return await _received(accept.Signal.METRICS, sender, request)


@router.post(
    "/traces", summary="Send traces", response_class=Response, responses=ANSWERS, openapi_extra=DOCUMENTED
)
async def export_traces(sender: Sender, request: Request, _: NoQuery) -> Response:
    """Take spans of OTLP. Kept are spans of a model request of tools that report their tokens nowhere else."""
    return await _received(accept.Signal.TRACES, sender, request)


async def _received(signal: accept.Signal, token: IngestTokenRecord, request: Request) -> Response:
    app = services(request)
    encoding = accept.encoding_of(request.headers.get("content-type", ""))
    app.intake.count(token.id)
    body = await _body(request)
    read = partial(
        accept.accept,
        signal,
        encoding,
        request.headers.get("content-encoding", ""),
        body,
        accept.Sender(token.id, token.developer_email),
        app.store.now(),
    )
    accepted = read() if len(body) <= SMALL else await run_sync(read, limiter=app.intake.decoding)
    if accepted.line is not None:
        try:
            await app.intake.keep(token.organization_id, accepted.line)
        except OSError as error:
            logger.error("telemetry cannot be stored: %s", error)
            what = "the disk is full" if is_full_disk(error) else "telemetry cannot be stored now"
            raise Unavailable(f"{what}; send it again later") from error
    return Response(accepted.answer, 200, {"Cache-Control": "no-store"}, media_type=encoding)


async def _body(request: Request) -> bytes:
    """The raw body. Raises Refused for a large one, by its declared size or as soon as it is too large."""
    declared = request.headers.get("content-length", "")
    too_large = accept.Refused(
        413,
        3,
        f"the body has more than {accept.MAX_BODY} bytes; send smaller batches, or compress them with gzip",
    )
    if declared.isdigit() and int(declared) > accept.MAX_BODY:
        raise too_large
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > accept.MAX_BODY:
            raise too_large
    return bytes(body)


def _refusal(request: Request, refused: accept.Refused, headers: dict[str, str]) -> Response:
    try:
        encoding = accept.encoding_of(request.headers.get("content-type", ""))
    except accept.Refused:
        encoding = accept.Encoding.JSON
    content = accept.status(refused, encoding)
    headers = {"Cache-Control": "no-store", **headers}
    return Response(content, refused.http_status, headers, media_type=encoding)
