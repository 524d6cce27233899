"""Queries of objectives and issues."""

from typing import Annotated

from pydantic import Field

from api.query.parameters import (
    MAX_PAGE_SIZE,
    Day,
    Filter,
    Id,
    IntervalName,
    OneOf,
    OrderBy,
    PageQuery,
    Query,
    Search,
    several,
)  # fmt: skip

# More than any tracker holds: the list has no cap of its own.
MAX_OBJECTIVES = 2**31 - 1
LEVELS = ("OBJECTIVE", "SUB_OBJECTIVE")
STATUS_CATEGORIES = ("TODO", "DOING", "DONE", "CANCELED")

LevelParameter = Annotated[str, OneOf(*LEVELS)]
StatusParameter = Annotated[str, OneOf(*STATUS_CATEGORIES)]


class ItemQuery(PageQuery):
    """Parameters of both lists."""

    status_category: list[StatusParameter] = Field(
        [], max_length=4, description="Categories of the status. Repeat the parameter for several."
    )
    team: list[Id] = several(
        "Ids of teams, each including its sub-teams: items of trackers' teams that are mapped to them."
    )
    parent: Id | None = Field(None, description="Id of the item directly above.")
    search: Search = ""
    filter: Filter = ""
    order_by: OrderBy = ""


class ObjectiveQuery(ItemQuery):
    """Parameters of the list of objectives, which has all of them where no size of a page is given."""

    page_size: Annotated[
        int,
        Field(
            ge=0,
            le=2**31 - 1,
            description=f"Items per page. 0 means all of them; values above {MAX_PAGE_SIZE} mean {MAX_PAGE_SIZE}.",
        ),
    ] = 0

    level: list[LevelParameter] = Field(
        [], max_length=2, description="Levels. Repeat the parameter for both."
    )
    overdue: bool | None = Field(
        None, description="true: only open ones after their target date; false: only others."
    )

    @property
    def limit(self) -> int:
        """Items on this page."""
        return min(self.page_size, MAX_PAGE_SIZE) or MAX_OBJECTIVES


class IssueQuery(ItemQuery):
    """Parameters of the list of issues."""

    objective: Id | None = Field(
        None, description="Id of an objective or sub-objective: issues below it, at any depth."
    )
    repository: list[Id] = several("Ids of the repositories of issues on Git hosts.")
    bug: bool | None = Field(None, description="true: only bugs; false: only others.")
    reaches_objective: bool | None = Field(
        None, description="true: only issues below an objective; false: only issues below none."
    )


class TimeQuery(Query):
    """Parameters of one objective."""

    interval: IntervalName = "MONTH"
    start_date: Day | None = Field(
        None,
        description="First day of `etvOverTime`, in the organization's time zone. Default: the first day with work.",
    )
    end_date: Day | None = Field(
        None, description="Last day of `etvOverTime`, included. Default: the last day with work."
    )
