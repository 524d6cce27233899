"""Base classes of answers: camelCase in JSON, no undocumented field."""

from datetime import date
from types import GenericAlias
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.alias_generators import to_camel

IntervalOfAnswer = Literal["DAY", "WEEK", "MONTH", "QUARTER", "YEAR"]


class Shape(BaseModel):
    """Base of all answers: camelCase in JSON, no undocumented field."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


class Empty(Shape):
    """An empty answer: the request succeeded."""


class Page(Shape):
    """Base of every list answer."""

    next_page_token: str = Field(
        description="The `pageToken` of the next page; empty on the last page.", examples=[""]
    )
    total_size: int = Field(description="The number of items on all pages.", examples=[1])
    next_step: str | None = Field(
        None,
        description="What to do where there is nothing to list yet; null or missing otherwise.",
        examples=[None],
    )


def page_of(name: str, description: str, **items: type[Shape]) -> type[Page]:
    """The shape `name` of a page, whose one list of items has the name and shape of the keyword."""
    fields: dict[str, Any] = {field: (GenericAlias(list, shape), ...) for field, shape in items.items()}
    return create_model(name, __base__=Page, __doc__=description, **fields)


class ItemStatus(Shape):
    """google.rpc.Status of one item of a bulk call."""

    code: int = Field(description="google.rpc.Code; 0 means success.", examples=[0])
    message: str = Field(
        description="The reason for a failure and the remedy; empty after success.", examples=[""]
    )
    details: list[dict[str, Any]]


class Days(Shape):
    """A range of days, both included."""

    start_date: date = Field(description="First day of the figures, in the organization's time zone.")
    end_date: date = Field(description="Last day of the figures, included.")
