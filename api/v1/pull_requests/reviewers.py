"""`/organizations/{organization}/reviewers`: the load of reviewers."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import Viewer
from api.http.parameters import Queried
from api.read.pull_requests import reviewers
from api.read.pull_requests.reviewers import ReviewerQuery
from api.read.pull_requests.shapes import Reviewer
from api.shapes import Days, Page
from api.v1.answers import answer_page

router = APIRouter(prefix="/organizations/{organization}/reviewers", tags=["pull requests"])


class ReviewerPage(Page, Days):
    """A page of reviewers."""

    reviewers: list[Reviewer]


@router.get("", summary="Load of reviewers", response_model=ReviewerPage)
async def list_reviewers(viewer: Viewer, query: Queried[ReviewerQuery], request: Request) -> Response:
    """People who answered pull requests of others in a range of days, with the numbers of their answers. Default order:
    most pull requests first.

    Answers count on their day in the organization's time zone. Sandboxes are left out, unless `repository` names one.
    """
    return await answer_page(request, viewer, query, "reviewers", reviewers.list_reviewers)
