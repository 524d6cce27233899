"""The errors of the API, with their codes of `google.rpc` and HTTP.

ApiError                  code, HTTP status
├── InvalidArgument       3   400   names fields in google.rpc.BadRequest
├── NotFound              5   404
├── AlreadyExists         6   409
├── PermissionDenied      7   403
├── ResourceExhausted     8   429   with Retry-After
├── FailedPrecondition    9   400
│   └── NothingPublished          before the first build of an organization
├── Unavailable          14   503   with Retry-After
└── Unauthenticated      16   401   with WWW-Authenticate
The answers are made in http/statuses.py, also those for errors of the control database (control/errors.py).
"""

import math
from typing import Any, ClassVar

# A restart of PostgreSQL, or a write that holds a lock, takes less.
SECONDS_TO_RECOVER = 10
BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest"


class ApiError(Exception):
    """An error answer. Its message names the object and the remedy."""

    code: ClassVar[int]
    status: ClassVar[int]

    def __init__(self, message: str, *, details: list[dict[str, Any]] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details or []
        self.headers: dict[str, str] = {}


class InvalidArgument(ApiError):
    """A parameter is malformed in any state of the system; `field` names it in camelCase."""

    code, status = 3, 400

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}", details=[bad_request([(field, problem)])])


class NotFound(ApiError):
    """The thing does not exist, or the caller may not know of it."""

    code, status = 5, 404


class AlreadyExists(ApiError):
    """A unique value is taken."""

    code, status = 6, 409


class ResourceExhausted(ApiError):
    """Too many attempts."""

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


class NothingPublished(FailedPrecondition):
    """The organization has no published build yet."""


class Unavailable(ApiError):
    """Cannot be answered now; the same request may work later."""

    code, status = 14, 503

    def __init__(self, message: str, seconds: int = SECONDS_TO_RECOVER) -> None:
        super().__init__(message)
        self.headers = {"Retry-After": str(seconds)}


class Unauthenticated(ApiError):
    """The credential is missing or invalid."""

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
