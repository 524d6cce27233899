"""`/organizations/{organization}/me`: the caller's own figures. Role and privacy settings do not restrict them.

Each list has the shape of the corresponding list of the organization, with the rows of the developer who has the
account's verified address. Keep out: the shapes (those of the lists).
"""

from contextlib import suppress
from datetime import date
from functools import partial
from typing import Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.access.self_identity import OwnTeam, known_developer
from api.callers.dependencies import Leaver, OwnReader, OwnRowAccess
from api.control.accounts import members
from api.control.list_pages import ListQuery
from api.control.teams import teams
from api.control.teams.teams import TeamRecord
from api.control.visibility import Visibility
from api.errors import FailedPrecondition, NothingPublished
from api.http.parameters import NoQuery, Queried
from api.http.responses import private
from api.query.parameters import MAX_PAGE_SIZE, PageQuery, RangeQuery
from api.query.records import shown
from api.read import me
from api.read.capex.report import CapexQuery
from api.read.commits import commits
from api.read.commits.commits import CommitQuery
from api.read.commits.shapes import ExplainedCommit
from api.read.developers import Developer
from api.read.figures import movements
from api.read.figures.movements import MovementQuery
from api.read.figures.series import SeriesQuery, list_series
from api.read.pull_requests import pull_requests
from api.read.pull_requests.explanation import get_pull_request
from api.read.pull_requests.pull_requests import PullRequestQuery
from api.read.pull_requests.shapes import ExplainedPullRequest
from api.services import services
from api.shapes import Empty, Shape
from api.v1.answers import answer_change, answer_item, answer_page
from api.v1.capex import report as capex
from api.v1.capex.report import CapexPage
from api.v1.commits.commits import CommitPage, CommitPath, FilePage, answer_commit, list_commit_files
from api.v1.metrics.metrics import SeriesPage
from api.v1.metrics.movements import MovementPage
from api.v1.pull_requests.pull_requests import PullRequestPage, PullRequestPath
from api.v1.teams.teams import Team

router = APIRouter(prefix="/organizations/{organization}/me", tags=["me"])

# Fields that only a build has.
UNBUILT: dict[str, Any] = {"developer": None, "teams": [], "startDate": None, "endDate": None}


class Me(Shape):
    """The caller in this organization."""

    start_date: date | None = Field(description="First day of the figures; null before the first build.")
    end_date: date | None = Field(description="Last day of the figures, included.")

    email: str | None = Field(
        description="Email address of the account; null for a key that the operator created.",
        examples=["ada@acme.example"],
    )
    role: str = Field(examples=["TEAM_LEAD"])
    developer: Developer | None = Field(
        description="You as a developer, with figures for the range. Null when no developer has the verified "
        "address of your account, and before the first build."
    )
    teams: list[OwnTeam] = Field(description="Your team memberships, latest first.")
    led_teams: list[Team] = Field(description="The teams that you lead, and all teams below them.")


@router.get("", summary="Your own figures", response_model=Me)
async def get_me(
    reader: OwnReader, viewer: OwnRowAccess, query: Queried[RangeQuery], request: Request
) -> Response:
    """You as a developer, your figures for a range of days, and the teams that you lead.

    Before the first build, the answer has only your account, your role and the teams that you lead.
    """
    led = await _led(request, reader.organization_id, reader.visibility)
    caller = {
        "email": reader.principal.email,
        "role": reader.role.upper() if reader.role else None,
        "ledTeams": [shown(Team, team) for team in led],
    }

    try:
        return await services(request).reads.answer(
            request,
            viewer,
            lambda build: caller | me.get_me(build, viewer, query),
            varies=repr(caller),
            needs_build=True,
        )
    except FailedPrecondition:
        return private(caller | UNBUILT)


@router.post(":leave", summary="Leave the organization", response_model=Empty)
async def leave_organization(leaver: Leaver, _: NoQuery, request: Request) -> Response:
    """End your membership at once and revoke all API keys that you created in the organization. Answers
    FAILED_PRECONDITION for an owner: another owner must change the role first.
    """
    return await answer_change(request, leaver, Empty, members.leave)


@router.get("/commits", summary="Your commits", response_model=CommitPage)
async def list_my_commits(viewer: OwnRowAccess, query: Queried[CommitQuery], request: Request) -> Response:
    """Commits that you wrote. Default order: newest delivery first."""
    await _known(request, viewer)
    return await answer_page(request, viewer, query, "commits", commits.list_commits)


@router.get("/commits/{commit}", summary="Explain one of your commits", response_model=ExplainedCommit)
async def get_my_commit(viewer: OwnRowAccess, commit: CommitPath, _: NoQuery, request: Request) -> Response:
    """One of your commits with the explanation of its score and your share of the credit."""
    await _known(request, viewer)
    return await answer_commit(request, viewer, commit)


@router.get("/commits/{commit}/files", summary="Files of one of your commits", response_model=FilePage)
async def list_my_commit_files(
    viewer: OwnRowAccess, commit: CommitPath, query: Queried[PageQuery], request: Request
) -> Response:
    """File changes of one of your commits by path, each with its line classes and factors."""
    await _known(request, viewer)
    return await list_commit_files(viewer, commit, query, request)


@router.get("/pullRequests", summary="Your pull requests", response_model=PullRequestPage)
async def list_my_pull_requests(
    viewer: OwnRowAccess, query: Queried[PullRequestQuery], request: Request
) -> Response:
    """Pull requests that you opened. Default order: newest first."""
    await _known(request, viewer)
    return await answer_page(request, viewer, query, "pullRequests", pull_requests.list_pull_requests)


@router.get(
    "/pullRequests/{pullRequest}",
    summary="Explain one of your pull requests",
    response_model=ExplainedPullRequest,
)
async def get_my_pull_request(
    viewer: OwnRowAccess, pull_request: PullRequestPath, _: NoQuery, request: Request
) -> Response:
    """One of your pull requests with the events behind its times, and your commits in it."""
    await _known(request, viewer)
    return await answer_item(request, viewer, lambda build: get_pull_request(build, viewer, pull_request))


@router.get("/metrics", summary="Your time series", response_model=SeriesPage)
async def list_my_metrics(viewer: OwnRowAccess, query: Queried[SeriesQuery], request: Request) -> Response:
    """Metrics of your own work per day, week, month, quarter or year."""
    await _known(request, viewer)
    return await answer_page(request, viewer, query, "series", list_series, resource="metrics")


@router.get("/movements", summary="Changes of your ETV", response_model=MovementPage)
async def list_my_movements(
    viewer: OwnRowAccess, query: Queried[MovementQuery], request: Request
) -> Response:
    """Each of your periods compared with the one before, newest first. `entity` is always you."""
    await _known(request, viewer)
    own = query.model_copy(update={"entity": "DEVELOPER"})
    return await answer_page(request, viewer, own, "movements", movements.list_movements)


@router.get(
    "/capex", summary="Your rows of the CapEx report", response_model=CapexPage, responses=capex.FILES
)
async def list_my_capex(viewer: OwnRowAccess, query: Queried[CapexQuery], request: Request) -> Response:
    """Your rows of the CapEx report, one per month. `includeDrafts` adds the current month. Only the report of the
    organization has the signed figures of closed months.
    """
    await _known(request, viewer)
    return await capex.list_capex(viewer, query, request)


async def _known(request: Request, viewer: RowAccess) -> None:
    """Raises FailedPrecondition where no developer has the account's verified address."""
    # Before the first build nobody is known; the answer then says what to do.
    with suppress(NothingPublished):
        await services(request).reads.value(viewer, lambda build: known_developer(build, viewer))


async def _led(request: Request, organization_id: str, seen: Visibility) -> list[TeamRecord]:
    if not seen.teams:
        return []
    found: list[TeamRecord] = []
    after: tuple[Any, ...] | None = ()
    store = services(request).store
    while after is not None:
        asked = ListQuery(MAX_PAGE_SIZE, after=after or None)
        page = await run_sync(partial(teams.list_teams, store, organization_id, asked, seen=seen))
        found += page.items
        after = tuple(page.next_values) if page.next_values else None
    return found
