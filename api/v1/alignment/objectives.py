"""`/organizations/{organization}/objectives`: the list, the tree, and one objective with all that reaches it."""

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import Viewer
from api.http.parameters import NoQuery, Queried
from api.read.alignment import objective_details, objectives
from api.read.alignment.parameters import ObjectiveQuery, TimeQuery
from api.read.alignment.shapes import ExplainedObjective, Objective, TreeObjective
from api.shapes import Page, Shape
from api.v1.answers import answer_item, answer_page
from api.v1.paths import ObjectivePath

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


@router.get("", summary="Objectives", response_model=ObjectivePage)
async def list_objectives(viewer: Viewer, query: Queried[ObjectiveQuery], request: Request) -> Response:
    """Objectives and sub-objectives of all connected trackers, each with the delivered work that reaches it. Default
    order: earliest target date first.

    A team lead sees the objectives of the whole organization and those of the teams that they lead, with the figures
    of the work written in these teams. In an organization with a minimum group size, figures cover complete months.
    """
    return await answer_page(request, viewer, query, "objectives", objectives.list_objectives)


# The path is the collection's with a verb, hence no slash before it.
@router.get(":tree", summary="The tree of objectives", response_model=ObjectiveTree)
async def list_objective_tree(viewer: Viewer, _: NoQuery, request: Request) -> Response:
    """All objectives and sub-objectives that the caller may see, each with the id of the one above, by target date."""
    return await answer_item(request, viewer, lambda build: objectives.list_tree(build, viewer))


@router.get("/{objective}", summary="One objective", response_model=ExplainedObjective)
async def get_objective(
    viewer: Viewer, objective: ObjectivePath, query: Queried[TimeQuery], request: Request
) -> Response:
    """An objective with its sub-objectives, its issues, its contributors, and its ETV over time.

    For an objective of another team, a team lead gets PERMISSION_DENIED with the reason. In an organization with a
    minimum group size, the range covers complete months, and the answer names no contributors.
    """
    return await answer_item(
        request, viewer, lambda build: objective_details.get_objective(build, viewer, query, objective)
    )
