"""`/organizations/{organization}/issues`: the list, and one issue with its chain and its commits."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from api.callers.dependencies import ReadService, Viewer
from api.http.parameters import NoQuery
from api.http.responses import Continuation
from api.query.filtering import parse_filter
from api.query.ordering import parse_order
from api.query.pages import Position
from api.read.alignment.issues import (
    COLUMNS,
    LAST_CHANGE_FIRST,
    IssueSelection,
    explained_issue,
    issue_page,
    next_step,
)
from api.read.alignment.objectives import visible_objective
from api.read.alignment.shapes import ExplainedIssue, Issue
from api.read.entities import REPOSITORIES, TEAMS
from api.read.ids import visible_ids, with_current_ids, with_sub_teams
from api.shapes import Page
from api.snapshot.build import Build
from api.v1.alignment.objectives import NEXT_STEP
from api.v1.alignment.parameters import IssueQuery

router = APIRouter(prefix="/organizations/{organization}/issues", tags=["issues"])


class IssuePage(Page):
    """A page of issues."""

    issues: list[Issue]
    next_step: str | None = NEXT_STEP


@router.get("", summary="Issues", operation_id="listIssues", response_model=IssuePage)
async def list_issues(
    viewer: Viewer, query: Annotated[IssueQuery, Query()], request: Request, reads: ReadService
) -> Response:
    """Issues of all connected trackers, each with the work of its commits. Default order: last change first.

    A team lead sees the issues of the teams that they lead, and those that belong to no team and to no repository
    without work of these teams. In an organization with a minimum group size, people and figures of issues are null.
    """
    terms = parse_order(query.order_by, COLUMNS, LAST_CHANGE_FIRST, COLUMNS["id"])
    condition = parse_filter(query.filter, COLUMNS)
    digest = query.digest("issues", viewer.key)

    def read(build: Build, position: Position | None) -> dict[str, Any]:
        selection = IssueSelection(
            objective=query.objective and visible_objective(build, viewer, query.objective),
            parent=query.parent,
            status_categories=tuple(query.status_category),
            teams=with_sub_teams(build, viewer, visible_ids(build, viewer, TEAMS, query.team)),
            repositories=visible_ids(build, viewer, REPOSITORIES, query.repository),
            is_bug=query.bug,
            reaches_objective=query.reaches_objective,
            search=query.search,
        )
        named = with_current_ids(build, condition)
        found = issue_page(build, viewer, selection, terms, named, query.limit, position)
        return {
            "issues": found.rows,
            "nextStep": next_step(build, viewer),
            "nextPageToken": reads.tokens.next(digest, build.id, found.next_values),
            "totalSize": found.total,
        }

    return await reads.answer(request, viewer, read, Continuation(query.page_token, digest))


@router.get("/{issue}", summary="One issue", operation_id="getIssue", response_model=ExplainedIssue)
async def get_issue(
    viewer: Viewer,
    issue: Annotated[str, Path(max_length=64, description="Id of the issue.")],
    _: Annotated[NoQuery, Query()],
    request: Request,
    reads: ReadService,
) -> Response:
    """An issue with the items above it up to the objective, and with its commits and the evidence of each link."""

    def read(build: Build, _position: Position | None) -> dict[str, Any]:
        return explained_issue(build, viewer, issue)

    return await reads.answer(request, viewer, read)
