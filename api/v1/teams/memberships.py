"""`/organizations/{organization}/teamMemberships`: team memberships with their dates."""

from collections.abc import Sequence
from datetime import date
from functools import partial
from typing import Annotated, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import TeamManager, TeamReader
from api.control.changes import UNCHANGED
from api.control.teams import memberships
from api.control.teams.memberships import MembershipRecord
from api.errors import InvalidArgument
from api.http.parameters import Mask, NoQuery, Queried
from api.http.responses import private
from api.query.fields import Stored
from api.query.parameters import ControlQuery, Day, Id
from api.query.records import ShownAs, show, shown
from api.read.identities import known_developers, names_of
from api.services import Services, services
from api.shapes import Empty, Shape, page_of
from api.v1.answers import answer_change
from api.v1.control_lists import answer_named_list
from api.v1.developers.ids import asked_ids, known_ids
from api.v1.paths import MembershipPath

router = APIRouter(prefix="/organizations/{organization}/teamMemberships", tags=["teams"])


class MembershipQuery(ControlQuery):
    """Parameters of the list."""

    team: Id | None = Field(
        None, description="Only memberships in this team, without its sub-teams. 404 for an unknown team."
    )
    developer: Id | None = Field(
        None,
        description="Only memberships of this developer, by a current or former id. 404 for an unknown id.",
    )
    on: Day | None = Field(
        None, description="Only memberships in force on this day. Default: past and current ones."
    )


class TeamMembership(Shape):
    """A developer's membership in a team."""

    id: str
    team_id: str
    team_name: str = Field(examples=["Platform"])
    developer_id: str
    developer_name: str | None = Field(
        description="Name of the developer in the newest build; null before they are in one.",
        examples=["Ada Lovelace"],
    )
    state: Literal["PLANNED", "ACTIVE", "HISTORICAL"] = Field(
        description="Whether today, in the organization's time zone, is before, within or after the membership."
    )
    start_date: Annotated[date, Stored("start_on")] = Field(description="First day in the team.")
    end_date: Annotated[date | None, Stored("end_on")] = Field(
        description="Last day in the team; null: no end."
    )


TeamMembershipPage = page_of("TeamMembershipPage", "A page of memberships.", team_memberships=TeamMembership)


class NewMembership(Shape):
    """A developer, a team and a first day."""

    team_id: Id
    developer_id: Id
    start_date: Day | None = Field(
        None,
        description="First day in the team, required. A membership in another team ends the day before; without a date "
        "the error says which one.",
        examples=["2026-11-02"],
    )


class MembershipChange(Shape):
    """The dates of a membership."""

    start_date: Day | None = None
    end_date: Day | None = Field(None, description="Null: no end.")


@router.get("", summary="Team memberships", response_model=TeamMembershipPage)
async def list_team_memberships(
    reader: TeamReader, query: Queried[MembershipQuery], request: Request
) -> Response:
    """Past and current memberships, latest first. Sortable by startDate, endDate, developerId.

    A team lead sees memberships in the teams that they lead. For any other `team` or `developer`, also for one that
    does not exist, the answer is 403.
    """
    organization, seen = reader.organization_id, reader.visibility
    access = RowAccess.of(organization, seen)
    ids: tuple[str, ...] = ()
    if query.developer is not None:
        ids = await asked_ids(
            services(request), access, query.developer,
            lambda store, of: memberships.has_memberships(store, organization, of, seen=seen),
        )  # fmt: skip
    find = partial(
        memberships.list_memberships, team_id=query.team, developer_ids=ids, holding_on=query.on, seen=seen
    )
    shape_of = partial(_shape, services(request), access)
    return await answer_named_list(
        request, organization, query, "teamMemberships", find, shape_of, bound_to=access.key
    )


@router.post("", summary="Add a team membership", response_model=TeamMembership)
async def create_team_membership(
    manager: TeamManager, body: NewMembership, _: NoQuery, request: Request
) -> Response:
    """Add a developer to a team. A developer has one team at a time: the membership in another team on the start date
    ends the day before.

    Earlier work stays with the earlier team.
    """
    app, access = services(request), RowAccess(manager.organization_id)
    [known] = await app.reads.value(
        access, lambda build: known_developers(build, access, [body.developer_id])
    )
    given = body.team_id, known.id, body.start_date, known.known_ids
    shape = await _shape_for(app, access, [known.id])
    return await answer_change(request, manager, shape, memberships.add_membership, *given)


@router.get("/{membership}", summary="One membership", response_model=TeamMembership)
async def get_team_membership(
    reader: TeamReader, membership: MembershipPath, _: NoQuery, request: Request
) -> Response:
    """A membership with its dates."""
    access = RowAccess.of(reader.organization_id, reader.visibility)
    app = services(request)
    find = partial(memberships.membership, seen=reader.visibility)
    found = await run_sync(find, app.store, reader.organization_id, membership)
    return private(show(await _shape(app, access, [found]), found))


@router.patch("/{membership}", summary="Change the dates of a membership", response_model=TeamMembership)
async def update_team_membership(
    manager: TeamManager,
    membership: MembershipPath,
    body: MembershipChange,
    query: Queried[Mask[MembershipChange]],
    request: Request,
) -> Response:
    """Change the dates. FAILED_PRECONDITION names the team of an overlapping membership."""
    chosen = query.chosen(body)
    if "start_date" in chosen and body.start_date is None:
        raise InvalidArgument(
            "startDate", "a membership needs a first day; to remove the membership, delete it"
        )
    app, organization = services(request), manager.organization_id
    known = await run_sync(memberships.membership, app.store, organization, membership)
    ids = await known_ids(app, organization, known.developer_id)
    return await answer_change(
        request,
        manager,
        await _shape(app, RowAccess(organization), [known]),
        memberships.change_membership,
        membership,
        start_on=body.start_date or UNCHANGED if "start_date" in chosen else UNCHANGED,
        end_on=body.end_date if "end_date" in chosen else UNCHANGED,
        known_ids=ids,
    )


@router.delete("/{membership}", summary="Remove a membership", response_model=Empty)
async def delete_team_membership(
    manager: TeamManager, membership: MembershipPath, _: NoQuery, request: Request
) -> Response:
    """Delete a membership. Work of the developer on its days then belongs to no team. To end a membership instead,
    set its `endDate`.

    An earlier membership that ended because of this one keeps its end date. To extend it, set its `endDate` to null.
    """
    return await answer_change(request, manager, Empty, memberships.remove_membership, membership)


async def _shape(
    app: Services, access: RowAccess, found: Sequence[MembershipRecord]
) -> ShownAs[MembershipRecord]:
    """Shows these memberships with the names of developers whom the caller may see."""
    return await _shape_for(app, access, [one.developer_id for one in found])


async def _shape_for(
    app: Services, access: RowAccess, developer_ids: Sequence[str]
) -> ShownAs[MembershipRecord]:
    """Shows memberships of these developers. To read the names of all 50,000 took 150 ms."""
    names = await app.reads.value(access, lambda build: names_of(build, access, developer_ids), or_empty=True)
    return lambda one: shown(TeamMembership, one, developer_name=names.get(one.developer_id))
