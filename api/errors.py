"""What the API answers instead of a result: `google.rpc.Status`, rendered in one place.

ApiError                  code, HTTP status
├── InvalidArgument       3   400   names fields in google.rpc.BadRequest
├── NotFound              5   404
├── AlreadyExists         6   409
├── PermissionDenied      7   403
├── ResourceExhausted     8   429   with Retry-After
├── FailedPrecondition    9   400
├── Unimplemented        12   501   also a method that a path does not take, as 405
├── Unavailable          14   503
└── Unauthenticated      16   401   with WWW-Authenticate
The refusals of the control database (control/errors.py) are rendered as these.
Anything else that escapes is INTERNAL 13, 500, and is logged; its text never leaves the process.
"""

import logging
import math
from typing import Any, ClassVar

import orjson
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from api.control import errors as control
from api.read.columns import camel
from api.violations import field_of, problem_of

logger = logging.getLogger(__name__)

# What a nightly build of a middling organization takes.
SECONDS_TO_BUILD = 120
BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest"
INTERNAL = "internal error; the operator finds the cause in the server's log"
# HTTP → google.rpc.Code for what the framework itself refuses.
FRAMEWORK_CODES = {400: 3, 401: 16, 403: 7, 404: 5, 405: 12, 409: 6, 413: 3, 415: 3, 429: 8, 501: 12, 503: 14}


class ApiError(Exception):
    """An answer that is an error; the message names the thing and what to do."""

    code: ClassVar[int]
    status: ClassVar[int]

    def __init__(self, message: str, *, details: list[dict[str, Any]] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details or []
        self.headers: dict[str, str] = {}


class InvalidArgument(ApiError):
    """A parameter is malformed, whatever the state of the system; `field` names it in camelCase."""

    code, status = 3, 400

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}", details=[bad_request([(field, problem)])])


class NotFound(ApiError):
    """There is no such thing, as far as this caller may know."""

    code, status = 5, 404


class AlreadyExists(ApiError):
    """What must be unique is taken."""

    code, status = 6, 409


class ResourceExhausted(ApiError):
    """Asked too often."""

    code, status = 8, 429

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.headers = {"Retry-After": str(max(1, math.ceil(seconds)))}


class PermissionDenied(ApiError):
    """The caller is known and may not do this."""

    code, status = 7, 403


class FailedPrecondition(ApiError):
    """The system is not in a state in which this can be answered."""

    code, status = 9, 400


class Unavailable(ApiError):
    """Cannot be answered now; the same request may work later."""

    code, status = 14, 503


class Unauthenticated(ApiError):
    """No credential, or one that does not hold."""

    code, status = 16, 401

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.headers = {"WWW-Authenticate": 'Bearer realm="api"'}


def bad_request(violations: list[tuple[str, str]]) -> dict[str, Any]:
    """A google.rpc.BadRequest detail."""
    return {
        "@type": BAD_REQUEST,
        "fieldViolations": [{"field": field, "description": problem} for field, problem in violations],
    }


def status_response(
    http_status: int,
    code: int,
    message: str,
    details: list[dict[str, Any]] | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """A google.rpc.Status as an HTTP response."""
    body = orjson.dumps({"code": code, "message": message, "details": details or []})
    return Response(
        body, http_status, {"Cache-Control": "no-store", **(headers or {})}, media_type="application/json"
    )


def item_status(outcome: object) -> dict[str, Any]:
    """The google.rpc.Status of one item of a bulk call: of a refusal, else OK; any other failure is logged."""
    if not isinstance(outcome, Exception):
        return {"code": 0, "message": "", "details": []}
    refused = outcome if isinstance(outcome, ApiError) else None
    if isinstance(outcome, control.ControlError):
        refused = _refusal(outcome)
    if refused is None:
        logger.error("one item of several failed", exc_info=outcome)
        return {"code": 13, "message": INTERNAL, "details": []}
    return {"code": refused.code, "message": refused.message, "details": refused.details}


async def render_api_error(_: Request, error: Exception) -> Response:
    """Handler of ApiError."""
    assert isinstance(error, ApiError)
    return status_response(error.status, error.code, error.message, error.details, error.headers)


async def render_control_error(request: Request, error: Exception) -> Response:
    """Handler of what the control database refuses."""
    assert isinstance(error, control.ControlError)
    rendered = _refusal(error)
    if rendered is None:
        return await render_unexpected(request, error)
    return await render_api_error(request, rendered)


def _refusal(error: control.ControlError) -> ApiError | None:
    match error:
        case control.InvalidSetting():
            return InvalidArgument(camel(error.field), error.problem)
        case control.WeakPassword():
            violations = [("password", rule) for rule in error.unmet]
            refused = InvalidArgument("password", str(error))
            refused.details = [bad_request(violations)]
            return refused
        case control.TooMany():
            return ResourceExhausted(str(error), error.retry_after.total_seconds())
        case control.NotFound():
            return NotFound(str(error))
        case control.AlreadyExists():
            return AlreadyExists(str(error))
        case control.NotAllowed():
            return PermissionDenied(str(error))
        case control.NotPossible():
            return FailedPrecondition(str(error))
        case control.NotRecognized():
            return Unauthenticated(str(error))
        case _:
            return None


async def render_validation_error(request: Request, error: Exception) -> Response:
    """Handler of FastAPI's own validation: every violation with the parameter as the caller wrote it."""
    assert isinstance(error, RequestValidationError)
    return await render_api_error(
        request, _invalid([(field_of(item["loc"]), problem_of(item)) for item in error.errors()])
    )


def invalid_item(error: ValidationError) -> InvalidArgument:
    """The refusal of one item of a bulk call that misses its shape, with every violation."""
    # Without the values: one may be a secret.
    found = error.errors(include_url=False, include_input=False)
    return _invalid([(field_of(("body", *item["loc"])), problem_of(item)) for item in found])


def _invalid(violations: list[tuple[str, str]]) -> InvalidArgument:
    field, problem = violations[0]
    refused = InvalidArgument(field, problem)
    refused.message = "; ".join(f"{field}: {problem}" for field, problem in violations)
    refused.details = [bad_request(violations)]
    return refused


async def render_http_exception(request: Request, error: Exception) -> Response:
    """Handler of what Starlette raises by itself: unknown paths and methods."""
    assert isinstance(error, HTTPException)
    code = FRAMEWORK_CODES.get(error.status_code, 2)
    message = str(error.detail)
    if error.status_code == 404:
        message = f"no resource at {request.url.path}; see /openapi.json for the paths that exist"
    elif error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "another method")
        message = f"{request.method} is not supported at {request.url.path}; use {allowed}"
    return status_response(error.status_code, code, message, headers=dict(error.headers or {}))


async def render_odd_text(request: Request, error: Exception) -> Response:
    """Handler of text that has no encoding (half of a surrogate pair) or that the database cannot hold (NUL)."""
    logger.warning("%s %s: %s", request.method, request.url.path, type(error).__name__)
    problem = "holds a character that cannot be stored, such as NUL or half of a surrogate pair"
    return await render_api_error(request, InvalidArgument("request", problem))


async def render_other_release(request: Request, error: Exception) -> Response:
    """Handler of a table or column that the current build does not have: another release has published it."""
    logger.error("%s %s: %s", request.method, request.url.path, error)
    answer = Unavailable(
        "the newest published build was made by another release and lacks what this one reads; figures are back "
        "with the next build, which starts by itself within minutes where Dagster runs (else: `eas analyze`)"
    )
    answer.headers = {"Retry-After": str(SECONDS_TO_BUILD)}
    return await render_api_error(request, answer)


async def render_out_of_memory(request: Request, error: Exception) -> Response:
    """Handler of a read that takes more memory than there is for an organization's reads."""
    logger.error("%s %s: %s", request.method, request.url.path, error)
    return await render_api_error(
        request,
        Unavailable(
            "this read takes more memory than is free; try again, with fewer days or groups, or let the operator raise "
            "EAS_API_READ_MEMORY_MB"
        ),
    )


async def render_unexpected(request: Request, error: Exception) -> Response:
    """Handler of everything else: the traceback goes to the log, a reference-free message to the caller."""
    logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return status_response(500, 13, INTERNAL)
