"""What several resources answer with: the base of every shape, pages, the metric fields.

Shapes document; on the hot path rows become JSON without them, and tests hold the two together.
"""

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class Shape(BaseModel):
    """Base of what is answered: camelCase in JSON, nothing undocumented."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


class Page(Shape):
    """Base of every list answer."""

    next_page_token: str = Field(description="Send it as `pageToken` for the next page; empty on the last.")
    total_size: int = Field(description="Items on all pages together.", examples=[1])
