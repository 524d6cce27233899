"""`/organizations/{organization}/pullRequests`: the list, and one pull request explained."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from api.callers.dependencies import Viewer
from api.http.parameters import NoQuery, Queried
from api.read.pull_requests import explanation, pull_requests
from api.read.pull_requests.pull_requests import PullRequestQuery
from api.read.pull_requests.shapes import ExplainedPullRequest, PullRequest
from api.shapes import page_of
from api.v1.answers import answer_item, answer_page

router = APIRouter(prefix="/organizations/{organization}/pullRequests", tags=["pull requests"])

PullRequestPath = Annotated[
    str,
    Path(alias="pullRequest", min_length=1, max_length=64, description="Id of the pull request."),
]


PullRequestPage = page_of("PullRequestPage", "A page of pull requests.", pull_requests=PullRequest)


@router.get("", summary="Pull requests", response_model=PullRequestPage)
async def list_pull_requests(viewer: Viewer, query: Queried[PullRequestQuery], request: Request) -> Response:
    """Pull requests of the organization, with their times in calendar and working hours and their size. Default
    order: newest first.

    They come from the connected Git hosts; without a connection, the list is empty, and `nextStep` says what to do.
    """
    return await answer_page(request, viewer, query, "pullRequests", pull_requests.list_pull_requests)


@router.get("/{pullRequest}", summary="Explain a pull request", response_model=ExplainedPullRequest)
async def get_pull_request(
    viewer: Viewer, pull_request: PullRequestPath, _: NoQuery, request: Request
) -> Response:
    """A pull request with the events behind each of its times, its reviews, its delivered commits with their ETV, and
    its issues.
    """
    return await answer_item(
        request, viewer, lambda build: explanation.get_pull_request(build, viewer, pull_request)
    )
