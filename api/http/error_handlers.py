"""The handlers that turn every exception of a request into a `google.rpc.Status`."""

import logging

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from api.control import errors as control
from api.control.database import is_out_of_reach
from api.errors import ApiError, InvalidArgument, Unavailable
from api.http.statuses import (
    INTERNAL,
    api_error_of,
    invalid_request,
    status_response,
    without_control_database,
)
from api.http.violations import field_of, problem_of

logger = logging.getLogger(__name__)

# The duration of a nightly build of a medium organization.
SECONDS_TO_BUILD = 120

# HTTP → google.rpc.Code for what the framework itself refuses.
FRAMEWORK_CODES = {400: 3, 401: 16, 403: 7, 404: 5, 405: 12, 409: 6, 413: 3, 415: 3, 429: 8, 501: 12, 503: 14}


async def render_api_error(_: Request, error: Exception) -> Response:
    """Handler of ApiError."""
    assert isinstance(error, ApiError)
    return status_response(error.status, error.code, error.message, error.details, error.headers)


async def render_control_error(request: Request, error: Exception) -> Response:
    """Handler of the errors of the control database."""
    assert isinstance(error, control.ControlError)
    rendered = api_error_of(error)
    if rendered is None:
        return await render_unexpected(request, error)
    return await render_api_error(request, rendered)


async def render_validation_error(request: Request, error: Exception) -> Response:
    """Handler of FastAPI's own validation: every violation with the parameter as the caller wrote it."""
    assert isinstance(error, RequestValidationError)
    return await render_api_error(
        request, invalid_request([(field_of(item["loc"]), problem_of(item)) for item in error.errors()])
    )


async def render_http_exception(request: Request, error: Exception) -> Response:
    """Handler of errors that Starlette raises itself: unknown paths and methods."""
    assert isinstance(error, HTTPException)
    code = FRAMEWORK_CODES.get(error.status_code, 2)
    message = str(error.detail)
    headers = dict(error.headers or {})
    if error.status_code == 404:
        message = f"no resource at {request.url.path}; /openapi.json lists all paths"
    elif error.status_code == 405:
        # The framework names the methods of one route, and a path has several.
        headers["Allow"] = ", ".join(sorted(request.app.state.methods.of(request.scope["path"])))
        message = f"{request.method} is not supported at {request.url.path}; use {headers['Allow']}"
    return status_response(error.status_code, code, message, headers=headers)


async def render_odd_text(request: Request, error: Exception) -> Response:
    """Handler of text without an encoding (half of a surrogate pair), or with a character that the database refuses
    (NUL).
    """
    logger.warning("%s %s: %s", request.method, request.url.path, type(error).__name__)
    problem = "contains a character that cannot be stored, such as NUL or half of a surrogate pair"
    return await render_api_error(request, InvalidArgument("request", problem))


async def render_control_database(request: Request, error: Exception) -> Response:
    """Handler of the driver's errors of the control database."""
    if not is_out_of_reach(error):
        return await render_unexpected(request, error)
    return await render_api_error(request, without_control_database(error))


async def render_other_release(request: Request, error: Exception) -> Response:
    """Handler of a table or column that the current build does not have: another release has published it."""
    what = "comes from another release and lacks tables that this release reads"
    return await _render_unusable_build(request, error, f"the newest published build {what}")


async def render_damaged_build(request: Request, error: Exception) -> Response:
    """Handler of a build whose file was damaged or deleted while it is open. The blocks of the file have checksums."""
    what = "the published build cannot be read, because its file is damaged"
    return await _render_unusable_build(request, error, what)


async def _render_unusable_build(request: Request, error: Exception, what: str) -> Response:
    logger.error("%s %s: %s", request.method, request.url.path, error)
    remedy = "the next build restores the figures. It starts within minutes while Dagster runs; else run `eas analyze`"
    answer = Unavailable(f"{what}; {remedy}", SECONDS_TO_BUILD)
    return await render_api_error(request, answer)


async def render_out_of_memory(request: Request, error: Exception) -> Response:
    """Handler of a read that needs more memory than the reads of an organization may take."""
    logger.error("%s %s: %s", request.method, request.url.path, error)
    return await render_api_error(
        request,
        Unavailable(
            "this read needs more memory than is free; try again, select fewer days or groups, or ask the operator "
            "to raise EAS_API_READ_MEMORY_MB"
        ),
    )


async def render_unexpected(request: Request, error: Exception) -> Response:
    """Handler of all other exceptions: the traceback goes to the log, a generic message to the caller."""
    logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return status_response(500, 13, INTERNAL)
