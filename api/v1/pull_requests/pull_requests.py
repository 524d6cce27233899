"""`/organizations/{organization}/pullRequests`: the list, and one pull request explained."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from pydantic import AfterValidator, Field
from starlette.responses import Response

from api.callers.dependencies import ReadService, Viewer
from api.http.parameters import NoQuery
from api.http.responses import Continuation
from api.query.filtering import parse_filter
from api.query.ordering import parse_order
from api.query.pages import Position
from api.query.parameters import Day, Filter, Id, OrderBy, PageQuery, enum_name
from api.query.periods import refuse_backwards
from api.read.entities import DEVELOPERS, REPOSITORIES, TEAMS
from api.read.ids import visible_ids, with_current_ids, with_sub_teams
from api.read.pull_requests.explanation import one_pull_request
from api.read.pull_requests.pull_requests import (
    COLUMNS,
    DAYS,
    NEWEST_FIRST,
    PullRequestSelection,
    next_step,
    pull_request_page,
)
from api.read.pull_requests.shapes import ExplainedPullRequest, PullRequest
from api.shapes import Page
from api.snapshot.build import Build

router = APIRouter(prefix="/organizations/{organization}/pullRequests", tags=["pull requests"])

STATES = ("OPEN", "MERGED", "CLOSED")
State = Annotated[str, AfterValidator(enum_name(STATES)), Field(json_schema_extra={"enum": list(STATES)})]
DayOf = Annotated[str, AfterValidator(enum_name(tuple(DAYS))), Field(json_schema_extra={"enum": list(DAYS)})]
PullRequestPath = Annotated[
    str,
    Path(alias="pullRequest", min_length=1, max_length=64, description="Id of the pull request."),
]


class PullRequestQuery(PageQuery):
    """Parameters of the list of pull requests."""

    repository: list[Id] = Field(
        [], max_length=50, description="Ids of repositories. Repeat the parameter for several."
    )
    developer: list[Id] = Field(
        [], max_length=50, description="Ids of the authors. Repeat the parameter for several."
    )
    team: list[Id] = Field(
        [],
        max_length=50,
        description="Ids of teams, each including its sub-teams in the current tree: pull requests of authors in one "
        "of these teams on the day of creation. Repeat the parameter for several.",
    )
    reviewer: list[Id] = Field(
        [],
        max_length=50,
        description="Ids of developers, at least one of whom answered. Repeat the parameter for several.",
    )
    state: list[State] = Field([], max_length=3, description="States. Repeat the parameter for several.")
    start_date: Day | None = Field(
        None, description="First day of the event of `dateOf`, in the organization's time zone."
    )
    end_date: Day | None = Field(None, description="Last day of that event, included.")
    date_of: DayOf = Field("CREATED", description="The event to which `startDate` and `endDate` apply.")
    draft: bool | None = Field(None, description="true: only drafts; false: only those ready for review.")
    ai_assisted: bool | None = Field(
        None,
        description="true: only pull requests with evidence of AI assistance; false: only those without.",
    )
    search: str = Field(
        "",
        max_length=200,
        description="Part of the title or of the source branch (case-insensitive), or the number.",
    )
    filter: Filter = ""
    order_by: OrderBy = ""


class PullRequestPage(Page):
    """A page of pull requests."""

    pull_requests: list[PullRequest]


@router.get("", summary="Pull requests", operation_id="listPullRequests", response_model=PullRequestPage)
async def list_pull_requests(
    viewer: Viewer, query: Annotated[PullRequestQuery, Query()], request: Request, reads: ReadService
) -> Response:
    """Pull requests of the organization, with their times in calendar and working hours and their size. Default
    order: newest first.

    They come from the connected Git hosts; without a connection, the list is empty, and `nextStep` says what to do.
    """
    refuse_backwards(query.start_date, query.end_date)
    viewer.refuse_closed("pull_requests")
    terms = parse_order(query.order_by, COLUMNS, NEWEST_FIRST, COLUMNS["id"])
    condition = parse_filter(query.filter, COLUMNS)
    digest = query.digest("pullRequests", viewer.key)

    def read(build: Build, position: Position | None) -> dict[str, Any]:
        selection = PullRequestSelection(
            repositories=visible_ids(build, viewer, REPOSITORIES, query.repository),
            developers=visible_ids(build, viewer, DEVELOPERS, query.developer),
            teams=with_sub_teams(build, viewer, visible_ids(build, viewer, TEAMS, query.team)),
            reviewers=visible_ids(build, viewer, DEVELOPERS, query.reviewer),
            states=tuple(query.state),
            first_day=query.start_date,
            last_day=query.end_date,
            day_of=query.date_of,
            is_draft=query.draft,
            is_ai_assisted=query.ai_assisted,
            search=query.search,
        )
        named = with_current_ids(build, condition)
        found = pull_request_page(build, viewer, selection, terms, named, query.limit, position)
        return {
            "pullRequests": found.rows,
            "nextStep": next_step(build, viewer),
            "nextPageToken": reads.tokens.next(digest, build.id, found.next_values),
            "totalSize": found.total,
        }

    return await reads.answer(request, viewer, read, Continuation(query.page_token, digest))


@router.get(
    "/{pullRequest}",
    summary="Explain a pull request",
    operation_id="getPullRequest",
    response_model=ExplainedPullRequest,
)
async def get_pull_request(
    viewer: Viewer,
    pull_request: PullRequestPath,
    _: Annotated[NoQuery, Query()],
    request: Request,
    reads: ReadService,
) -> Response:
    """A pull request with the events behind each of its times, its reviews, its delivered commits with their ETV, and
    its issues.
    """
    viewer.refuse_closed("pull_requests")

    def read(build: Build, _position: Position | None) -> dict[str, Any]:
        found = one_pull_request(build, viewer, pull_request)
        if found is None:
            raise viewer.unknown(f"pull request {pull_request!r}")
        return found

    return await reads.answer(request, viewer, read)
