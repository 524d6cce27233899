"""Query parameters that several resources share."""

import re
from collections.abc import Callable
from datetime import date
from typing import Annotated, ClassVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, field_validator

from api.control.categories import CATEGORIES
from api.http.paging import PageQuery, Query
from api.http.values import EARLIEST, LATEST


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


def enum_name(allowed: tuple[str, ...]) -> Callable[[str], str]:
    """A validator that takes one of these names in any case and gives it in capitals."""

    def checked(value: str) -> str:
        if value.upper() not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}")
        return value.upper()

    return checked


CATEGORY_NAMES = tuple(category.upper() for category in CATEGORIES)

Day = Annotated[date, BeforeValidator(_iso), AfterValidator(_plausible)]
Category = Annotated[
    str,
    AfterValidator(enum_name(CATEGORY_NAMES)),
    Field(json_schema_extra={"enum": list(CATEGORY_NAMES)}),
]
Id = Annotated[str, Field(min_length=1, max_length=64)]
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


class NoQuery(Query):
    """No parameters."""


class UpdateMask(Query):
    """Parameters of a partial update: the fields of the body to change; without a mask, the sent ones.

    A subclass lists the allowed fields in `names`.
    """

    names: ClassVar[tuple[str, ...]] = ()
    update_mask: Annotated[str, Field(max_length=500)] = ""

    @classmethod
    def __pydantic_init_subclass__(cls, **_: object) -> None:
        """Document the fields of the mask."""
        mask = cls.model_fields["update_mask"]
        mask.description = (
            f"Fields to change, separated by commas: {', '.join(cls.names)}. Default: the fields in the body."
        )
        mask.examples = [cls.names[0]]
        cls.model_rebuild(force=True)

    @field_validator("update_mask")
    @classmethod
    def _known(cls, value: str) -> str:
        unknown = [name for name in value.split(",") if name and name not in cls.names]
        if unknown:
            raise ValueError(
                f"there is no field {unknown[0]!r} to update; choose from {', '.join(cls.names)}"
            )
        return value


def chosen_fields(query: UpdateMask, body: BaseModel) -> set[str]:
    """Names of the fields of `body` that a mask lets through: those of the mask, or those sent."""
    masked = {name for name in query.update_mask.split(",") if name}
    shown = {field.alias or name: name for name, field in type(body).model_fields.items()}
    return {shown[name] for name in masked} if masked else body.model_fields_set


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


class CommitSelectionQuery(PageQuery):
    """Parameters that select commits by repository, author and team."""

    repository: list[Id] = Field(
        [], max_length=50, description="Ids of repositories. Repeat the parameter for several."
    )
    developer: list[Id] = Field(
        [], max_length=50, description="Ids of the authors. Repeat the parameter for several."
    )
    team: list[Id] = Field(
        [],
        max_length=50,
        description="Ids of teams, each including its sub-teams in the current tree: commits with an author in one "
        "of these teams on the day of writing. Repeat the parameter for several.",
    )
