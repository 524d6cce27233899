"""What the OpenAPI document says of answers: the statuses of each operation, their headers, and an example.

The examples are answers to requests of the tests (`python -m tests.api.examples`). Keep out: texts (texts.py).
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any

# By status: google.rpc.Code and meaning.
ERRORS = {
    "400": (
        "INVALID_ARGUMENT: a parameter or field is wrong; `details` names it. FAILED_PRECONDITION: the state of the "
        "object does not permit this."
    ),
    "401": "UNAUTHENTICATED: there is no credential, or it is unknown, expired or revoked.",
    "403": "PERMISSION_DENIED: the caller's role does not permit this.",
    "404": "NOT_FOUND: the object does not exist, or the caller may not know of it.",
    "409": "ALREADY_EXISTS: there is such an object; the message names it.",
    "413": "INVALID_ARGUMENT: the body is too large.",
    "429": "RESOURCE_EXHAUSTED: too many attempts. `Retry-After` says when the next one is possible.",
    "500": "INTERNAL: a defect. The server's log has the cause.",
    "503": "UNAVAILABLE: a database or provider does not answer. `Retry-After` says when to try again.",
}
RETRY_AFTER = {"description": "Seconds until the next attempt.", "schema": {"type": "integer", "minimum": 1}}
ALWAYS_RETRIED = ("429", "503")
BUILD_HEADERS = {
    "ETag": {
        "description": "Changes when the answer does. `If-None-Match` with it gets 304 without a body. Missing before "
        "the first build.",
        "schema": {"type": "string"},
    },
    "X-Warehouse-Build": {
        "description": "Id of the build that the figures are from. Missing before the first build.",
        "schema": {"type": "string"},
    },
}
OPERATION_HEADERS = {
    "X-Operation": {
        "description": "Ids of the operations that this change started, with commas; missing when it started none. A "
        "later build applies them to the figures: see getOperation.",
        "schema": {"type": "string"},
    }
}
UNCHANGED = "The answer is the one that `If-None-Match` names."
# Without a credential of their own, these judge one that is in the body or signed.
JUDGING_A_CREDENTIAL = {
    *(
        "signIn",
        "signUp",
        "completeSignIn",
        "verifyEmail",
        "resetPassword",
        "impersonate",
        "createBillingEvent",
    ),
    "lookUpInvitation",
}


# These answer from a build for callers of other rights than a reader of figures.
ALSO_FROM_A_BUILD = {
    *("listOrganizations", "getOrganization", "listMergeSuggestions", "listImportBursts", "getImportBurst"),
    "previewSummary",
}
# Definitions are the same in every build.
NEVER_FROM_A_BUILD = {"describeMetrics", "describePullRequestMetrics"}
# These change an organization that is in the body or in an invitation, not in the path.
ALSO_STARTING_OPERATIONS = {"createBillingEvent", "acceptInvitation", "signIn", "completeSignIn"}
ALSO_NOT_FOUND = {"createBillingEvent", "startSignIn", "switchOrganization"}


def describe_answers(document: dict[str, Any], readers: set[str]) -> None:
    """Give every operation its statuses, headers and example. The operations of `readers` read rows of figures."""
    from_a_build = readers - NEVER_FROM_A_BUILD | ALSO_FROM_A_BUILD
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            _describe(operation, path, method, operation["operationId"] in from_a_build)


def _describe(operation: dict[str, Any], path: str, method: str, has_figures: bool) -> None:
    answers = operation["responses"]
    refused = answers.pop("default")
    for status in _refusals(operation, path, method):
        answers.setdefault(status, refused | {"description": ERRORS[status]})
        if status in ALWAYS_RETRIED:
            answers[status]["headers"] = {"Retry-After": RETRY_AFTER}
    if has_figures:
        answers["200"]["headers"] = BUILD_HEADERS
        answers["304"] = {"description": UNCHANGED, "headers": BUILD_HEADERS}
    elif method != "get" and (
        "{organization}" in path or operation["operationId"] in ALSO_STARTING_OPERATIONS
    ):
        answers["200"]["headers"] = OPERATION_HEADERS
    for media_type, content in answers["200"].get("content", {}).items():
        example = examples().get(example_name(operation["operationId"], media_type))
        if example is not None:
            content["example"] = example


def _refusals(operation: dict[str, Any], path: str, method: str) -> list[str]:
    """The statuses of errors that the operation can answer."""
    writes, is_secured = method != "get", bool(operation.get("security"))
    possible = {
        "400": True,
        "401": is_secured or operation["operationId"] in JUDGING_A_CREDENTIAL,
        "403": is_secured or operation["operationId"] in JUDGING_A_CREDENTIAL,
        "404": "{" in path or operation["operationId"] in ALSO_NOT_FOUND,
        "409": writes,
        "413": "requestBody" in operation,
        "429": writes,
        "500": True,
        "503": True,
    }
    return [status for status, is_possible in possible.items() if is_possible]


def example_name(operation: str, media_type: str) -> str:
    """The name of an example: that of the operation, and for a picture its type."""
    return operation if media_type == "application/json" else f"{operation} as {media_type}"


@cache
def examples() -> dict[str, Any]:
    """The example of each operation that has one, by its name."""
    found: dict[str, Any] = json.loads(
        files(__package__).joinpath("examples.json").read_text(encoding="utf-8")
    )
    return found
