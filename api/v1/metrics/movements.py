"""`/organizations/{organization}/movements`: changes of ETV since the period before."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import AfterValidator, Field
from starlette.responses import Response

from api.access.group_privacy.groups import shown_interval, shown_range
from api.callers.dependencies import ReadService, Viewer
from api.http.responses import Continuation
from api.query.conditions import both
from api.query.filtering import parse_filter
from api.query.ordering import parse_order
from api.query.pages import Position, page
from api.query.parameters import Filter, FirstDayByInterval, Id, LastDay, OrderBy, PageQuery, enum_name
from api.query.periods import Interval, Range
from api.read.figures.movements import (
    COLUMNS,
    ENTITIES,
    NEWEST_FIRST,
    UNIQUE,
    Movement,
    MovementSelection,
    condition,
    refuse_closed,
    source,
)
from api.read.ids import visible_ids, with_current_ids
from api.read.organizations import local_date
from api.shapes import Page
from api.snapshot.build import Build

router = APIRouter(prefix="/organizations/{organization}/movements", tags=["movements"])

INTERVALS = ("WEEK", "MONTH", "QUARTER", "YEAR")


class MovementQuery(PageQuery):
    """Parameters of a list of movements."""

    entity: Annotated[
        str,
        AfterValidator(enum_name(tuple(ENTITIES))),
        Field(
            json_schema_extra={"enum": list(ENTITIES)},
            description="The kind of the compared entities: the organization, repositories, developers or teams.",
        ),
    ] = "ORGANIZATION"
    id: list[Id] = Field([], max_length=50, description="Ids of entities. Repeat the parameter for several.")
    interval: Annotated[
        str,
        AfterValidator(enum_name(INTERVALS)),
        Field(
            json_schema_extra={"enum": list(INTERVALS)},
            description="The length of the compared periods.",
        ),
    ] = "MONTH"
    start_date: FirstDayByInterval = None
    end_date: LastDay = None
    include_drafts: bool = Field(
        False, description="Include the current period. Without `endDate`, the range then ends today."
    )
    filter: Filter = ""
    order_by: OrderBy = ""


class MovementPage(Page):
    """A page of movements."""

    movements: list[Movement]


@router.get("", summary="Changes of ETV", operation_id="listMovements", response_model=MovementPage)
async def list_movements(
    viewer: Viewer, query: Annotated[MovementQuery, Query()], request: Request, reads: ReadService
) -> Response:
    """ETV of each period compared with the period before, newest first. The difference has five parts: number of
    changes, size of changes, mix of categories, rework, and value per point.

    The parts are computed with logarithmic means. They add up to the difference and do not depend on the order of the
    factors.
    """
    requested = Interval(query.interval)
    interval = shown_interval(viewer, requested)
    refuse_closed(viewer, query.entity)
    terms = parse_order(query.order_by, COLUMNS, NEWEST_FIRST, *UNIQUE)
    filtered = parse_filter(query.filter, COLUMNS)
    digest = query.digest("movements", viewer.key)

    def read(build: Build, position: Position | None) -> dict[str, Any]:
        today = local_date(build, viewer)
        days = shown_range(viewer, query.start_date, query.end_date, today, requested)
        if query.include_drafts and query.end_date is None and viewer.has_individuals:
            days = Range(days.first, max(days.last, today))
        ids = visible_ids(build, viewer, ENTITIES[query.entity], query.id)
        selection = MovementSelection(query.entity, ids, interval, days, query.include_drafts)
        found = page(
            build,
            source=source(build, viewer, query.entity, days, interval),
            shown=COLUMNS.values(),
            condition=both(condition(selection), with_current_ids(build, filtered)),
            terms=terms,
            limit=query.limit,
            position=position,
        )
        return {
            "movements": found.rows,
            "nextPageToken": reads.tokens.next(digest, build.id, found.next_values),
            "totalSize": found.total,
        }

    return await reads.answer(request, viewer, read, Continuation(query.page_token, digest))
