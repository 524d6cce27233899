"""Types of values in request bodies. JSON types are strict: "8" is not a number, 1 is not true, 0 is not an instant.

Query parameters are text and have their types in query/parameters.py; only instants are shared.
"""

import re
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Strict, WithJsonSchema

from api.query.parameters import EARLIEST, LATEST


def _instant(value: object) -> object:
    # Pydantic would take days and Unix times for instants as well.
    if not isinstance(value, datetime) and not (
        isinstance(value, str) and re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:", value)
    ):
        raise ValueError("must be an instant such as 2026-11-20T09:30:00Z")
    return value


def _plausible(instant: datetime) -> datetime:
    # Check the year first: at the ends of the calendar the instant may not exist in UTC.
    is_near = EARLIEST.year - 1 <= instant.year <= LATEST.year + 1
    if not (is_near and EARLIEST <= instant.astimezone(UTC).date() <= LATEST):
        raise ValueError(f"must be between {EARLIEST} and {LATEST}")
    return instant


Flag = Annotated[bool, Strict()]
Whole = Annotated[int, Strict()]
Number = Annotated[float, Strict()]
Instant = Annotated[
    AwareDatetime,
    BeforeValidator(_instant),
    AfterValidator(_plausible),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
