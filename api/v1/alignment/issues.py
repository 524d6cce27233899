"""`/organizations/{organization}/issues`: the list, and one issue with its chain and its commits."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import Viewer
from api.http.parameters import NoQuery, Queried
from api.read.alignment import issues
from api.read.alignment.issue_shapes import ExplainedIssue, Issue
from api.read.alignment.parameters import IssueQuery
from api.shapes import Page
from api.v1.alignment.objectives import NEXT_STEP
from api.v1.answers import answer_item, answer_page
from api.v1.paths import IssuePath

router = APIRouter(prefix="/organizations/{organization}/issues", tags=["issues"])


class IssuePage(Page):
    """A page of issues."""

    issues: list[Issue]
    next_step: str | None = NEXT_STEP


@router.get("", summary="Issues", response_model=IssuePage)
async def list_issues(viewer: Viewer, query: Queried[IssueQuery], request: Request) -> Response:
    """Issues of all connected trackers, each with the work of its commits. Default order: last change first.

    A team lead sees the issues of the teams that they lead, and those that belong to no team and to no repository
    without work of these teams. In an organization with a minimum group size, people and figures of issues are null.
    """
    return await answer_page(request, viewer, query, "issues", issues.list_issues)


@router.get("/{issue}", summary="One issue", response_model=ExplainedIssue)
async def get_issue(viewer: Viewer, issue: IssuePath, _: NoQuery, request: Request) -> Response:
    """An issue with the items above it up to the objective, and with its commits and the evidence of each link."""
    return await answer_item(request, viewer, lambda build: issues.get_issue(build, viewer, issue))
