"""Limits of requests, checked before anything is parsed by the library, and the rewriting of what it cannot parse.

Every limit is far above what directories send, and keeps a request below a second. Keep out: the size of bodies
(endpoint.py).
"""

import re
from typing import Any

import orjson
from scim2_models import (
    InvalidFilterException,
    InvalidSyntaxException,
    InvalidValueException,
    TooManyException,
)
from scim2_server.service import SEARCH_REQUEST_PARAMETERS

from api.scim.member_patches import MEMBERS, ONE_MEMBER

# Characters of a filter or path. Entra's are below 200.
MAX_EXPRESSION = 4_000
# Characters of all paths of a PATCH.
MAX_PATHS = 32_000
MAX_TERMS = 100
MAX_NESTING = 20
MAX_OPERATIONS = 500
# Operations with a filter in their path, those that name one member apart: each looks through all entries.
MAX_SELECTIONS = 50
# Entries of a list other than members, and attributes of an object.
MAX_ENTRIES = 100
MAX_MEMBERS = 20_000
MAX_VALUE = 8_000
MAX_DEPTH = 12
MAX_QUERY = 16_000
# Entra repeats on every request what an administrator appends to the address of the tenant.
ENTRAS_FLAGS = "aadOptscim"
TERM = re.compile(r"(?<![\w.])(?:and|or)(?![\w.])", re.IGNORECASE)
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"?')
LONG_LISTS = frozenset({"members", "operations"})
ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:user"


def checked_query(query: dict[str, str]) -> dict[str, str]:
    """The parameters of a query. Raises SCIMException for an unknown one, and for a filter over the limits."""
    if "filter" in query:
        check_expression(query["filter"])
    if sum(len(name) + len(value) for name, value in query.items()) > MAX_QUERY:
        raise TooManyException(detail=f"the query has more than {MAX_QUERY} characters; shorten the filter")
    known = SEARCH_REQUEST_PARAMETERS
    if unknown := [name for name in query if name not in known and not name.startswith(ENTRAS_FLAGS)]:
        raise InvalidValueException(detail=f"no parameter {unknown[0][:64]!r}; use {', '.join(known)}")
    for name, value in query.items():
        if "\0" in value or "\0" in name:
            raise InvalidValueException(detail="a query must not contain the NUL character")
    return query


def check_expression(text: str) -> None:
    """Raise InvalidFilterException for an expression that is long, nested deep or has many terms."""
    if len(text) > MAX_EXPRESSION:
        raise InvalidFilterException(
            detail=f"a filter has at most {MAX_EXPRESSION} characters; split the request"
        )
    bare = QUOTED.sub('""', text)
    if len(TERM.findall(bare)) >= MAX_TERMS:
        raise InvalidFilterException(detail=f"a filter has at most {MAX_TERMS} terms; split the request")
    depth = 0
    for letter in bare:
        depth += (letter in "([") - (letter in ")]")
        if depth > MAX_NESTING:
            raise InvalidFilterException(detail=f"a filter is nested at most {MAX_NESTING} deep")


def readable(body: bytes) -> bytes:
    """The body of a request as the library can read it. An empty one stays empty.

    Raises SCIMException for text that is no JSON, and for values and operations over the limits.
    """
    if not body.strip():
        return body
    try:
        payload = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InvalidSyntaxException(detail=f"the body is not JSON: {error}") from error
    _check_values(payload)
    if isinstance(payload, dict):
        named = {name.lower(): value for name, value in payload.items()}
        if isinstance(named.get("filter"), str):
            check_expression(named["filter"])
        if isinstance(named.get("operations"), list):
            _check_operations(named["operations"])
        _mend(payload, named)
    return orjson.dumps(payload)


def _check_values(payload: Any) -> None:
    waiting = [(payload, 1)]
    while waiting:
        value, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise InvalidSyntaxException(detail=f"the body is nested more than {MAX_DEPTH} deep")
        if isinstance(value, str):
            _check_text(value)
        elif isinstance(value, list):
            waiting += ((one, depth + 1) for one in value)
        elif isinstance(value, dict):
            if len(value) > MAX_ENTRIES:
                raise InvalidValueException(detail=f"an object has at most {MAX_ENTRIES} attributes")
            long = LONG_LISTS | ({"value"} if _is_of_members(value) else set())
            for name, one in value.items():
                _check_text(name)
                if isinstance(one, list) and len(one) > (
                    MAX_MEMBERS if name.lower() in long else MAX_ENTRIES
                ):
                    raise InvalidValueException(detail=f"{name[:64]}: at most {MAX_ENTRIES} values")
                waiting.append((one, depth + 1))


def _is_of_members(operation: dict[str, Any]) -> bool:
    path = next((value for name, value in operation.items() if name.lower() == "path"), None)
    return isinstance(path, str) and MEMBERS.fullmatch(path) is not None


def _check_text(text: str) -> None:
    if len(text) > MAX_VALUE:
        raise InvalidValueException(detail=f"a value has at most {MAX_VALUE} characters")
    if "\0" in text:
        raise InvalidValueException(detail="a value must not contain the NUL character")


def _check_operations(operations: list[Any]) -> None:
    if len(operations) > MAX_OPERATIONS:
        raise TooManyException(detail=f"a PATCH has at most {MAX_OPERATIONS} operations; split the request")
    paths = [
        value
        for operation in operations
        if isinstance(operation, dict)
        for name, value in operation.items()
        if name.lower() == "path" and isinstance(value, str)
    ]
    for path in paths:
        check_expression(path)
    if sum("[" in path and ONE_MEMBER.fullmatch(path) is None for path in paths) > MAX_SELECTIONS:
        raise TooManyException(
            detail=f"a PATCH has at most {MAX_SELECTIONS} paths with a filter; split the request"
        )
    if sum(map(len, paths)) > MAX_PATHS:
        raise TooManyException(
            detail=f"the paths of a PATCH have at most {MAX_PATHS} characters; split the request"
        )


def _mend(payload: dict[str, Any], named: dict[str, Any]) -> None:
    """Write as the standard has it what Entra sends otherwise: a manager that is a plain string, and members to remove
    with an empty `$ref`, which would match nobody.
    """
    _mend_manager(payload)
    for operation in named.get("operations") or ():
        if not isinstance(operation, dict):
            continue
        spelled = {name.lower(): name for name in operation}
        value = operation.get(spelled.get("value", ""))
        path = operation.get(spelled.get("path", ""))
        if isinstance(path, str) and path.lower() in (f"{ENTERPRISE}:manager", "manager"):
            if isinstance(value, str):
                operation[spelled["value"]] = {"value": value} if value else None
        elif isinstance(value, list) and str(operation.get(spelled.get("op", ""))).lower() == "remove":
            operation[spelled["value"]] = [_identified(one) for one in value]
        elif isinstance(value, dict):
            _mend_manager(value)
            if isinstance(path, str) and path.lower() == ENTERPRISE:
                _mend_entry(value, "manager")


def _identified(item: Any) -> Any:
    return {"value": item["value"]} if isinstance(item, dict) and "value" in item else item


def _mend_manager(attributes: dict[str, Any]) -> None:
    for name, value in attributes.items():
        if name.lower() == ENTERPRISE and isinstance(value, dict):
            _mend_entry(value, "manager")
    _mend_entry(attributes, f"{ENTERPRISE}:manager")


def _mend_entry(attributes: dict[str, Any], wanted: str) -> None:
    for name, value in list(attributes.items()):
        if name.lower() == wanted and isinstance(value, str):
            attributes[name] = {"value": value} if value else None
