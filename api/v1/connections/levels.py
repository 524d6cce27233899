"""`…/connections/{connection}/levels` and `/teams`: how the items of a tracker become objectives and issues."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import ConnectionManager, ConnectionReader
from api.control.connections import connections, levels, tracker_teams
from api.control.connections.levels import Level, Levels
from api.control.connections.tracker_teams import MAX_KEY_LENGTH, MAX_TEAMS, MappedTeam
from api.control.store import ControlStore
from api.errors import FailedPrecondition, InvalidArgument
from api.http.parameters import NoQuery
from api.http.responses import private
from api.query.parameters import Id, OneOf
from api.query.records import shown
from api.services import services
from api.shapes import Shape
from api.v1.answers import answer_change, answer_record
from api.v1.connections.checks import known_kind
from api.v1.paths import ConnectionPath

router = APIRouter(prefix="/organizations/{organization}/connections/{connection}", tags=["connections"])

MAX_KINDS = 100
LevelName = Annotated[
    str,
    OneOf(*(level.name for level in Level)),
    Field(description="IGNORED items are in no figure."),
]


class WantedLevel(Shape):
    """The level of a kind of item."""

    item_kind: str = Field(max_length=64, examples=["project"])
    level: LevelName


class WantedLevels(Shape):
    """Levels by kind of item. Kinds that are left out get the default of the provider."""

    levels: list[WantedLevel] = Field(max_length=MAX_KINDS)


class KindLevel(Shape):
    """A kind of item with its level."""

    item_kind: str = Field(examples=["project"])
    level: LevelName
    default_level: LevelName
    items: int | None = Field(description="Number of items at the last sync; null before the first one.")


class TrackerLevels(Shape):
    """The levels of a tracker."""

    levels: list[KindLevel]
    is_editable: bool = Field(description="true: the levels of this tracker can be changed.")
    counted_at: datetime | None = Field(description="The sync that counted the items.")


class LevelChange(Shape):
    """A level before and after the change."""

    level: LevelName
    items_before: int = Field(description="Number of items of this level now.")
    items_after: int = Field(description="Number of items of this level after the change.")
    leaving: int = Field(description="Number of items that would leave this level.")
    joining: int = Field(description="Number of items that would come to this level.")


class LevelPreview(Shape):
    """The effect of other levels."""

    levels: list[LevelChange]
    counted_at: datetime | None = Field(
        description="The sync that counted the items; null before the first one, when all numbers are 0."
    )


class WantedTeam(Shape):
    """The team that owns the objectives of a team, project or space of the tracker."""

    team_key: str = Field(min_length=1, max_length=MAX_KEY_LENGTH, examples=["WEB"])
    team_id: Id


class WantedTeams(Shape):
    """The mapping. Objectives of teams that are left out are visible in the whole organization."""

    teams: list[WantedTeam] = Field(max_length=MAX_TEAMS)


class TrackerTeam(Shape):
    """A team, project or space of the tracker."""

    team_key: str = Field(examples=["WEB"])
    team_name: str | None = Field(description="Its name in the tracker; null before it was synced.")
    team_id: str | None = Field(description="The team that owns its objectives; null: the organization.")
    name: str | None = Field(description="Name of the team that owns its objectives.")


class TrackerTeams(Shape):
    """The teams of a tracker."""

    teams: list[TrackerTeam]


@router.get("/levels", summary="Levels of a tracker", response_model=TrackerLevels)
async def get_connection_levels(
    reader: ConnectionReader, connection: ConnectionPath, _: NoQuery, request: Request
) -> Response:
    """The level of each kind of item: objective, sub-objective, issue or ignored."""
    store, organization = services(request).store, reader.organization_id

    def read() -> Response:
        found = levels.levels(store, organization, connection)
        return private(
            _shown(found, is_editable=_kind(request, organization, connection).levels_are_editable)
        )

    return await run_sync(read)


@router.put("/levels", summary="Change the levels of a tracker", response_model=TrackerLevels)
async def put_connection_levels(
    manager: ConnectionManager, connection: ConnectionPath, body: WantedLevels, _: NoQuery, request: Request
) -> Response:
    """Replace the edited levels. The next build restates figures of all periods; `:preview` counts what would move."""

    def put(store: ControlStore, organization: str, wanted: Mapping[str, Level]) -> dict[str, Any]:
        changed = levels.put_levels(store, manager.principal, organization, connection, wanted)
        return _shown(changed, is_editable=True)

    return await _answer_to_levels(request, manager, connection, body, put)


@router.post("/levels:preview", summary="Preview other levels", response_model=LevelPreview)
async def preview_connection_levels(
    manager: ConnectionManager, connection: ConnectionPath, body: WantedLevels, _: NoQuery, request: Request
) -> Response:
    """Count the items that these levels would move, as the last sync found them. Nothing is changed."""

    def preview(store: ControlStore, organization: str, wanted: Mapping[str, Level]) -> dict[str, Any]:
        changes, at = levels.preview_levels(store, organization, connection, wanted)
        rows = [shown(LevelChange, one, items_before=one.before, items_after=one.after) for one in changes]
        return {"levels": rows, "countedAt": at}

    return await _answer_to_levels(request, manager, connection, body, preview)


@router.get("/teams", summary="Teams of a tracker", response_model=TrackerTeams)
async def get_connection_teams(
    reader: ConnectionReader, connection: ConnectionPath, _: NoQuery, request: Request
) -> Response:
    """Teams, projects or spaces of the tracker, and the teams that own their objectives."""
    return await answer_record(request, reader, _shown_teams, tracker_teams.tracker_teams, connection)


@router.put("/teams", summary="Map the teams of a tracker", response_model=TrackerTeams)
async def put_connection_teams(
    manager: ConnectionManager, connection: ConnectionPath, body: WantedTeams, _: NoQuery, request: Request
) -> Response:
    """Replace the mapping. Objectives of a mapped team are visible to its leads and to readers of the whole
    organization; others to every lead.
    """
    wanted = {one.team_key: one.team_id for one in body.teams}
    if len(wanted) < len(body.teams):
        raise InvalidArgument("teams", "give each teamKey only once")
    return await answer_change(
        request, manager, _shown_teams, tracker_teams.put_tracker_teams, connection, wanted
    )


def _kind(request: Request, organization_id: str, connection: str) -> Any:
    found = connections.connection(services(request).store, organization_id, connection)
    return known_kind(found.kind)


def _refuse_fixed(request: Request, organization_id: str, connection: str) -> None:
    # Named first where it is no tracker or unknown.
    levels.levels(services(request).store, organization_id, connection)
    kind = _kind(request, organization_id, connection)
    if not kind.levels_are_editable:
        raise FailedPrecondition(
            f"the levels of {kind.title} follow from its own hierarchy and cannot be changed"
        )


async def _answer_to_levels(
    request: Request,
    manager: ConnectionManager,
    connection: str,
    body: WantedLevels,
    answer: Callable[[ControlStore, str, Mapping[str, Level]], dict[str, Any]],
) -> Response:
    """The answer to levels that someone wants. Raises InvalidArgument, FailedPrecondition for a fixed hierarchy."""
    store, organization = services(request).store, manager.organization_id
    wanted = {one.item_kind: Level[one.level] for one in body.levels}
    if len(wanted) < len(body.levels):
        raise InvalidArgument("levels", "give each itemKind only once")

    def found() -> Response:
        _refuse_fixed(request, organization, connection)
        return private(answer(store, organization, wanted))

    return await run_sync(found)


def _shown(found: Levels, *, is_editable: bool) -> dict[str, Any]:
    rows = [shown(KindLevel, one) for one in found.kinds]
    return {"levels": rows, "isEditable": is_editable, "countedAt": found.counted_at}


def _shown_teams(found: list[MappedTeam]) -> dict[str, Any]:
    return {"teams": [shown(TrackerTeam, one) for one in found]}
