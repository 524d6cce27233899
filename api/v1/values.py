"""Types of what the body of a request holds: JSON's own, so that "8" is no number, 1 is not true and 0 no instant.

In a query all is text, of which instants alone are of here: parameters.py.
"""

import re
from datetime import datetime
from typing import Annotated

from pydantic import AwareDatetime, BeforeValidator, Strict, WithJsonSchema


def _instant(value: object) -> object:
    # Pydantic would take days and Unix times for instants as well.
    if not isinstance(value, datetime) and not (
        isinstance(value, str) and re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:", value)
    ):
        raise ValueError("must be an instant such as 2026-11-20T09:30:00Z")
    return value


Flag = Annotated[bool, Strict()]
Whole = Annotated[int, Strict()]
Number = Annotated[float, Strict()]
Instant = Annotated[
    AwareDatetime,
    BeforeValidator(_instant),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
