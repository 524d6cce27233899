"""Query parameters: the base of all queries, and the types and queries that several resources share.

A query is a value that any caller can make, not only a request. Keep out: page tokens and requests (http/).
"""

import hashlib
import re
from datetime import date
from enum import StrEnum
from typing import Annotated, Any

import orjson
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, core_schema

from api.control.categories import CATEGORIES
from api.query.periods import MAX_POINTS, Interval

DEFAULT_SIZE = 50
MAX_PAGE_SIZE = 1000
MAX_TOKEN_LENGTH = 4096
EARLIEST, LATEST = date(1970, 1, 1), date(2999, 12, 31)


class Query(BaseModel):
    """Base of every set of query parameters: camelCase names, unknown ones refused."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=False, extra="forbid", frozen=True)


PageSize = Annotated[
    int,
    Field(
        ge=0,
        le=2**31 - 1,
        description=f"Items per page. 0 means {DEFAULT_SIZE}; values above {MAX_PAGE_SIZE} mean {MAX_PAGE_SIZE}.",
        examples=[50],
    ),
]
PageToken = Annotated[
    str,
    Field(
        max_length=MAX_TOKEN_LENGTH,
        description="`nextPageToken` of the previous page. All other parameters must stay the same. A"
        " token works until 30 minutes after its build was replaced.",
    ),
]


class PageQuery(Query):
    """Parameters of every list."""

    page_size: PageSize = DEFAULT_SIZE
    page_token: PageToken = ""

    @property
    def limit(self) -> int:
        """Items on this page."""
        return min(self.page_size or DEFAULT_SIZE, MAX_PAGE_SIZE)

    def digest(self, resource: str, scope_key: str) -> bytes:
        """A digest of everything that decides the rows and their order. A page token is bound to it."""
        asked = self.model_dump(mode="json", exclude={"page_size", "page_token"})
        canonical = orjson.dumps([resource, scope_key, asked], option=orjson.OPT_SORT_KEYS)
        return hashlib.blake2b(canonical, digest_size=16).digest()


def _iso(value: object) -> object:
    # Pydantic would take Unix times and midnights for days as well.
    is_day = isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value)
    if not is_day and not isinstance(value, date):
        raise ValueError("must be a date such as 2026-11-20")
    return value


def _plausible(day: date) -> date:
    if not EARLIEST <= day <= LATEST:
        raise ValueError(f"must be between {EARLIEST} and {LATEST}")
    return day


class OneOf:
    """The type of a text that is one of these names in any case, which it gives in capitals."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def checked(self, value: str) -> str:
        """The name in capitals. Raises ValueError for any other text."""
        if value.upper() not in self.names:
            raise ValueError(f"must be one of {', '.join(self.names)}")
        return value.upper()

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """The text, then the check."""
        return core_schema.no_info_after_validator_function(self.checked, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """The document has the names."""
        return handler(schema) | {"enum": list(self.names)}


CATEGORY_NAMES = tuple(category.upper() for category in CATEGORIES)

Day = Annotated[date, BeforeValidator(_iso), AfterValidator(_plausible)]
Category = Annotated[str, OneOf(*CATEGORY_NAMES)]
Id = Annotated[str, Field(min_length=1, max_length=64)]


def several(ids: str) -> Any:
    """A parameter that a request repeats for up to fifty ids."""
    return Field([], max_length=50, description=f"{ids} Repeat the parameter for several.")


Search = Annotated[
    str,
    Field(max_length=200, description="Words that must all appear (case-insensitive).", examples=[""]),
]
OrderBy = Annotated[
    str,
    Field(
        max_length=300,
        description="Columns of the answer, each `asc` (default) or `desc`, separated by commas. "
        "Nulls come last.",
        examples=["etv desc"],
    ),
]
Filter = Annotated[
    str,
    Field(
        max_length=2000,
        description="A subset of AIP-160 over the columns of the answer: `= != < <= > >=`; `:` (a text or a "
        "list contains the value; `:*` means any value but null); `AND`, `OR` (binds tighter than "
        "AND), `NOT` and parentheses. Quote text with spaces. The former id of a merged developer "
        "matches the merged developer. An unknown id matches nothing.",
        examples=["etv > 2"],
    ),
]
IntervalName = Annotated[
    str,
    OneOf(*Interval),
    Field(
        description=f"Length of a bucket. When the range has more than {MAX_POINTS} such buckets, the answer uses "
        "longer ones, and its `interval` names their length.",
    ),
]
FirstDay = Annotated[
    Day | None,
    Field(
        description="First day, in the organization's time zone. Default when both days are missing: the last "
        "twelve complete weeks, or with a minimum group size the last three complete months."
    ),
]
FirstDayByInterval = Annotated[
    Day | None,
    Field(
        description="First day, in the organization's time zone. The default when both days are missing "
        "depends on `interval`: the last 12 complete weeks (also for DAY), 12 complete months or "
        "8 complete quarters, or the last 5 years including the current one. With a minimum group "
        "size, days and weeks cover the last three complete months, and the current month is "
        "hidden."
    ),
]
LastDay = Annotated[
    Day | None, Field(description="Last day, included. Default when only startDate is given: today.")
]


class RangeQuery(Query):
    """A range of days for one item."""

    start_date: FirstDay = None
    end_date: LastDay = None


BenchmarkId = Annotated[
    str,
    Field(
        max_length=64,
        description="The benchmark in the field `benchmark` of the answer: an id of …/benchmarks, ORGANIZATION_AVERAGE "
        "or, in time series, ZERO_DAY_INDEX. Empty: none.",
        examples=[""],
    ),
]


class FigureQuery(PageQuery):
    """Parameters of a list with figures for a range of days."""

    start_date: FirstDay = None
    end_date: LastDay = None
    search: Search = ""
    filter: Filter = ""
    order_by: OrderBy = ""
    benchmark: BenchmarkId = ""


class AuthoredQuery(PageQuery):
    """Parameters that select work by repository, author, and team of the author on the day of the work."""

    repository: list[Id] = several("Ids of repositories.")
    developer: list[Id] = several("Ids of the authors.")
    team: list[Id] = several(
        "Ids of teams, each including its sub-teams in the current tree: commits with an author in one of "
        "these teams on the day of writing."
    )


class Format(StrEnum):
    """The formats of exported tables."""

    JSON = "JSON"
    CSV = "CSV"
    XLSX = "XLSX"
    PARQUET = "PARQUET"


FileFormat = Annotated[
    str,
    OneOf(*Format),
    Field(description="JSON is paged. The other formats are one file with all selected rows."),
]


class FileQuery(PageQuery):
    """Parameters of a list that may be a file."""

    format: FileFormat = "JSON"


class ControlQuery(PageQuery):
    """Parameters of every list of the control database."""

    order_by: Annotated[
        str,
        Field(
            max_length=300,
            description="Columns, each `asc` (default) or `desc`, separated by commas. Nulls come last.",
            examples=[""],
        ),
    ] = ""
