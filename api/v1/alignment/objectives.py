"""`/organizations/{organization}/objectives`: the list, the tree, and one objective with all that reaches it."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import ReadService, Viewer
from api.http.parameters import NoQuery
from api.http.responses import Continuation
from api.query.filtering import parse_filter
from api.query.ordering import parse_order
from api.query.pages import Position
from api.query.parameters import Day
from api.query.parameters import Query as Parameters
from api.query.periods import Interval
from api.read.alignment.objective_details import TimeQuery, explained_objective
from api.read.alignment.objectives import (
    BY_TARGET_DATE,
    COLUMNS,
    ObjectiveSelection,
    next_step,
    objective_page,
    tree,
    visible_objective,
)
from api.read.alignment.shapes import ExplainedObjective, Objective, TreeObjective
from api.read.entities import TEAMS
from api.read.ids import visible_ids, with_current_ids, with_sub_teams
from api.shapes import Page, Shape
from api.snapshot.build import Build
from api.v1.alignment.parameters import ObjectiveQuery
from api.v1.metrics.shapes import IntervalName

router = APIRouter(prefix="/organizations/{organization}/objectives", tags=["objectives"])

NEXT_STEP = Field(
    description="What to do where there is nothing to list, such as connecting an issue tracker; null otherwise.",
    examples=[None],
)


class ObjectivePage(Page):
    """A page of objectives. It has no totals, because an objective contains the work of those below it."""

    objectives: list[Objective]
    next_step: str | None = NEXT_STEP


class ObjectiveTree(Shape):
    """All visible objectives and sub-objectives, without figures."""

    objectives: list[TreeObjective]
    next_step: str | None = NEXT_STEP


class TimeParameters(Parameters):
    """Parameters of one objective."""

    interval: IntervalName = "MONTH"
    start_date: Day | None = Field(
        None,
        description="First day of `etvOverTime`, in the organization's time zone. Default: the first day with work.",
    )
    end_date: Day | None = Field(
        None, description="Last day of `etvOverTime`, included. Default: the last day with work."
    )


@router.get("", summary="Objectives", operation_id="listObjectives", response_model=ObjectivePage)
async def list_objectives(
    viewer: Viewer, query: Annotated[ObjectiveQuery, Query()], request: Request, reads: ReadService
) -> Response:
    """Objectives and sub-objectives of all connected trackers, each with the delivered work that reaches it. Default
    order: earliest target date first.

    A team lead sees the objectives of the whole organization and those of the teams that they lead, with the figures
    of the work written in these teams. In an organization with a minimum group size, figures cover complete months.
    """
    terms = parse_order(query.order_by, COLUMNS, BY_TARGET_DATE, COLUMNS["id"])
    condition = parse_filter(query.filter, COLUMNS)
    digest = query.digest("objectives", viewer.key)

    def read(build: Build, position: Position | None) -> dict[str, Any]:
        selection = ObjectiveSelection(
            levels=tuple(query.level),
            status_categories=tuple(query.status_category),
            teams=with_sub_teams(build, viewer, visible_ids(build, viewer, TEAMS, query.team)),
            parent=query.parent and visible_objective(build, viewer, query.parent),
            is_overdue=query.overdue,
            search=query.search,
        )
        named = with_current_ids(build, condition)
        found = objective_page(build, viewer, selection, terms, named, query.limit, position)
        return {
            "objectives": found.rows,
            "nextStep": next_step(build, viewer),
            "nextPageToken": reads.tokens.next(digest, build.id, found.next_values),
            "totalSize": found.total,
        }

    return await reads.answer(request, viewer, read, Continuation(query.page_token, digest))


# The path is the collection's with a verb, hence no slash before it.
@router.get(
    ":tree", summary="The tree of objectives", operation_id="listObjectiveTree", response_model=ObjectiveTree
)
async def list_objective_tree(
    viewer: Viewer, _: Annotated[NoQuery, Query()], request: Request, reads: ReadService
) -> Response:
    """All objectives and sub-objectives that the caller may see, each with the id of the one above, by target date."""

    def read(build: Build, _position: Position | None) -> dict[str, Any]:
        return {"objectives": tree(build, viewer), "nextStep": next_step(build, viewer)}

    return await reads.answer(request, viewer, read)


@router.get(
    "/{objective}", summary="One objective", operation_id="getObjective", response_model=ExplainedObjective
)
async def get_objective(
    viewer: Viewer,
    objective: Annotated[str, Path(max_length=64, description="Id of the objective or sub-objective.")],
    query: Annotated[TimeParameters, Query()],
    request: Request,
    reads: ReadService,
) -> Response:
    """An objective with its sub-objectives, its issues, its contributors, and its ETV over time.

    For an objective of another team, a team lead gets PERMISSION_DENIED with the reason. In an organization with a
    minimum group size, the range covers complete months, and the answer names no contributors.
    """
    asked = TimeQuery(Interval(query.interval), query.start_date, query.end_date)

    def read(build: Build, _: Position | None) -> dict[str, Any]:
        return explained_objective(build, viewer, objective, asked)

    return await reads.answer(request, viewer, read)
