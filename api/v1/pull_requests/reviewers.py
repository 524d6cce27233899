"""`/organizations/{organization}/reviewers`: the load of reviewers."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import ReadService, Viewer
from api.http.responses import Continuation
from api.query.filtering import parse_filter
from api.query.ordering import parse_order
from api.query.pages import Position
from api.query.parameters import Filter, FirstDay, Id, LastDay, OrderBy, PageQuery
from api.query.periods import chosen_range
from api.read.entities import REPOSITORIES, TEAMS
from api.read.ids import visible_ids, with_current_ids, with_sub_teams
from api.read.organizations import local_date
from api.read.pull_requests.pull_requests import next_step
from api.read.pull_requests.reviewers import (
    COLUMNS,
    KEY,
    MOST_PULL_REQUESTS_FIRST,
    Reviewer,
    ReviewerSelection,
    reviewer_page,
)
from api.shapes import Days, Page
from api.snapshot.build import Build

router = APIRouter(prefix="/organizations/{organization}/reviewers", tags=["pull requests"])


class ReviewerQuery(PageQuery):
    """Parameters of the list of reviewers."""

    start_date: FirstDay = None
    end_date: LastDay = None
    repository: list[Id] = Field(
        [], max_length=50, description="Ids of repositories. Repeat the parameter for several."
    )
    team: list[Id] = Field(
        [],
        max_length=50,
        description="Ids of teams, each including its sub-teams: answers of people in one of these teams on the day of "
        "the answer.",
    )
    include_bots: bool = Field(False, description="Include bots and AI reviewers.")
    filter: Filter = ""
    order_by: OrderBy = ""


class ReviewerPage(Page, Days):
    """A page of reviewers."""

    reviewers: list[Reviewer]


@router.get("", summary="Load of reviewers", operation_id="listReviewers", response_model=ReviewerPage)
async def list_reviewers(
    viewer: Viewer, query: Annotated[ReviewerQuery, Query()], request: Request, reads: ReadService
) -> Response:
    """People who answered pull requests of others in a range of days, with the numbers of their answers. Default order:
    most pull requests first.

    Answers count on their day in the organization's time zone. Sandboxes are left out, unless `repository` names one.
    """
    viewer.refuse_closed("reviews")
    terms = parse_order(query.order_by, COLUMNS, MOST_PULL_REQUESTS_FIRST, KEY)
    condition = parse_filter(query.filter, COLUMNS)
    digest = query.digest("reviewers", viewer.key)

    def read(build: Build, position: Position | None) -> dict[str, Any]:
        days = chosen_range(query.start_date, query.end_date, local_date(build, viewer))
        selection = ReviewerSelection(
            days,
            repositories=visible_ids(build, viewer, REPOSITORIES, query.repository),
            teams=with_sub_teams(build, viewer, visible_ids(build, viewer, TEAMS, query.team)),
            with_bots=query.include_bots,
        )
        named = with_current_ids(build, condition)
        found = reviewer_page(build, viewer, selection, terms, named, query.limit, position)
        return {
            "reviewers": found.rows,
            "nextStep": next_step(build, viewer),
            "startDate": days.first,
            "endDate": days.last,
            "nextPageToken": reads.tokens.next(digest, build.id, found.next_values),
            "totalSize": found.total,
        }

    return await reads.answer(request, viewer, read, Continuation(query.page_token, digest))
