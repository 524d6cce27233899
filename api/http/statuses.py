"""`google.rpc.Status` for whole requests and for single items of a bulk call."""

import logging
from typing import Any

import orjson
from pydantic import ValidationError
from starlette.responses import Response

from api.control import errors as control
from api.control.database import is_out_of_reach
from api.errors import (
    AlreadyExists,
    ApiError,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
    Unauthenticated,
    Unavailable,
    bad_request,
)
from api.http.violations import field_of, problem_of
from api.operator.full_disks import is_full_disk
from api.query.columns import camel

logger = logging.getLogger(__name__)

INTERNAL = "internal error; the operator finds the cause in the server's log"


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
        refused = api_error_of(outcome)
    elif is_out_of_reach(outcome):
        refused = without_control_database(outcome)
    if refused is None:
        logger.error("one item of several failed", exc_info=outcome)
        return {"code": 13, "message": INTERNAL, "details": []}
    return {"code": refused.code, "message": refused.message, "details": refused.details}


def without_control_database(error: Exception) -> Unavailable:
    """The answer where the control database cannot be used. The log has the reason, which may name hosts and paths."""
    logger.error("the control database cannot be used: %s", getattr(error, "orig", None) or error)
    return Unavailable(
        "the disk of the control database is full; try again when the operator has freed some space"
        if is_full_disk(error)
        else "the control database does not answer or is damaged; try again in some seconds. The operator finds the "
        "reason in the server's log and with `eas doctor`"
    )


def api_error_of(error: control.ControlError) -> ApiError | None:
    """The HTTP error of an error of the control database; None where it has none."""
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
        case control.NotPossible() | control.BadSecretKey() | control.SecretUnreadable():
            return FailedPrecondition(str(error))
        case control.NotRecognized():
            return Unauthenticated(str(error))
        case _:
            return None


def invalid_item(error: ValidationError) -> InvalidArgument:
    """The refusal of one item of a bulk call that misses its shape, with every violation."""
    # Without the values: one may be a secret.
    found = error.errors(include_url=False, include_input=False)
    return invalid_request([(field_of(("body", *item["loc"])), problem_of(item)) for item in found])


def invalid_request(violations: list[tuple[str, str]]) -> InvalidArgument:
    """One error for these problems of fields."""
    field, problem = violations[0]
    refused = InvalidArgument(field, problem)
    refused.message = "; ".join(f"{field}: {problem}" for field, problem in violations)
    refused.details = [bad_request(violations)]
    return refused
