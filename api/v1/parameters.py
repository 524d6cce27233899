"""Query parameters that several resources share."""

import re
from collections.abc import Callable
from datetime import date
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from api.paging import PageQuery, Query

EARLIEST, LATEST = date(1970, 1, 1), date(2999, 12, 31)


def _iso(value: object) -> object:
    # Pydantic would take Unix times and midnights for days as well.
    if isinstance(value, str) and not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        raise ValueError("must be a date such as 2026-11-20")
    return value


def _plausible(day: date) -> date:
    if not EARLIEST <= day <= LATEST:
        raise ValueError(f"must be between {EARLIEST} and {LATEST}")
    return day


def enum_name(allowed: tuple[str, ...]) -> Callable[[str], str]:
    """A validator that takes one of these names in any case and gives it in capitals."""

    def checked(value: str) -> str:
        if value.upper() not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}")
        return value.upper()

    return checked


CATEGORY_NAMES = ("FEATURES", "MAINTENANCE", "TESTS", "DOCUMENTATION", "FIXES")

Day = Annotated[date, BeforeValidator(_iso), AfterValidator(_plausible)]
Category = Annotated[
    str,
    AfterValidator(enum_name(CATEGORY_NAMES)),
    Field(json_schema_extra={"enum": list(CATEGORY_NAMES)}),
]
Id = Annotated[str, Field(min_length=1, max_length=64)]
Search = Annotated[
    str,
    Field(max_length=200, description="Words that must all appear, without case.", examples=[""]),
]
OrderBy = Annotated[
    str,
    Field(
        max_length=300,
        description="Columns of the answer, each `asc` (default) or `desc`, with commas; nulls come last.",
        examples=["etv desc"],
    ),
]
Filter = Annotated[
    str,
    Field(
        max_length=2000,
        description="A subset of AIP-160 over the columns of the answer: `= != < <= > >=`, `:` (text contains, list "
        "holds; `:*` has a value), `AND`, `OR` (binds tighter), `NOT`, parentheses; quote text with spaces.",
        examples=["etv > 2"],
    ),
]
FirstDay = Annotated[
    Day | None,
    Field(
        description="First day, local to the organization. Without both days: the last twelve complete weeks."
    ),
]
LastDay = Annotated[Day | None, Field(description="Last day, included. Today where only startDate is given.")]


class NoQuery(Query):
    """No parameters."""


class RangeQuery(Query):
    """A range of days for one item."""

    start_date: FirstDay = None
    end_date: LastDay = None


class FigureQuery(PageQuery):
    """Parameters of a list with figures for a range of days."""

    start_date: FirstDay = None
    end_date: LastDay = None
    search: Search = ""
    filter: Filter = ""
    order_by: OrderBy = ""
