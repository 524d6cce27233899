"""`/organizations/{organization}/checkOccurrences`: what the checks found, and the decisions of people about it."""

from functools import partial
from typing import Annotated, Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Path, Request
from pydantic import Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.access import Access
from api.callers.dependencies import CheckManager, Viewer
from api.control.checks import decisions
from api.control.checks.decisions import MAX_NOTE_LENGTH, NamedOccurrence
from api.control.checks.standings import Standing
from api.http.parameters import NoQuery, Queried
from api.query.parameters import Day
from api.query.records import shown
from api.read.checks import occurrences
from api.read.checks.occurrences import GroupQuery, OccurrenceQuery
from api.read.checks.shapes import CheckDecision, CheckOccurrence, ExplainedOccurrence, OccurrenceGroup
from api.services import services
from api.shapes import Shape, page_of
from api.snapshot.build import Build
from api.v1.answers import answer_change, answer_page

router = APIRouter(prefix="/organizations/{organization}/checkOccurrences", tags=["checks"])

OccurrencePath = Annotated[
    str, Path(alias="checkOccurrence", min_length=1, max_length=64, description="Id of the occurrence.")
]
CheckOccurrencePage = page_of(
    "CheckOccurrencePage", "A page of occurrences.", check_occurrences=CheckOccurrence
)


class OccurrenceGroups(Shape):
    """Counts of occurrences by group."""

    groups: list[OccurrenceGroup] = Field(description="The groups, those with most open occurrences first.")


class Snooze(Shape):
    """How long an occurrence stays out of the open ones."""

    until_date: Day = Field(
        description="First day on which it is open again, in the organization's time zone.",
        examples=["2026-12-01"],
    )


class Resolution(Shape):
    """Why an occurrence needs nothing more."""

    note: str = Field(
        description="The reason in words.",
        min_length=1,
        max_length=MAX_NOTE_LENGTH,
        examples=["Reviewed in the meeting of the team"],
    )


@router.get("", summary="Occurrences of checks", response_model=CheckOccurrencePage)
async def list_check_occurrences(
    viewer: Viewer, query: Queried[OccurrenceQuery], request: Request
) -> Response:
    """What the checks found, the last opened first. Without `status`, resolved ones are there too.

    A team lead sees the occurrences of people and issues in the led teams, of objectives of the whole organization,
    and of repositories and files, which name nobody, where the led teams have delivered. In an organization that hides
    individual figures, only those are there that are about objectives, issues without an owner, and teams of enough
    people.
    """
    standing = await _standing(viewer, request)
    read = partial(occurrences.list_occurrences, standing=standing)
    return await answer_page(request, viewer, query, "checkOccurrences", read, varies=standing.key)


# The path is the collection's with a verb, hence no slash before it.
@router.get(":group", summary="Occurrences by group", response_model=OccurrenceGroups)
async def group_check_occurrences(viewer: Viewer, query: Queried[GroupQuery], request: Request) -> Response:
    """How many occurrences are open, snoozed and resolved, by kind, repository, team or developer."""
    standing = await _standing(viewer, request)

    def read(build: Build) -> dict[str, Any]:
        return {"groups": occurrences.groups(build, viewer, query, standing)}

    return await services(request).reads.answer(request, viewer, read, varies=standing.key)


@router.get("/{checkOccurrence}", summary="Explain an occurrence", response_model=ExplainedOccurrence)
async def get_check_occurrence(
    viewer: Viewer, check_occurrence: OccurrencePath, _: NoQuery, request: Request
) -> Response:
    """An occurrence with every time at which the data showed it, and every decision about it."""
    app, standing = services(request), await _standing(viewer, request)
    decided = await run_sync(
        decisions.decisions_of, app.store, viewer.organization_id, check_occurrence.lower()
    )

    def read(build: Build) -> dict[str, Any]:
        found = occurrences.get_occurrence(build, viewer, check_occurrence, standing)
        return found | {"decisions": [shown(CheckDecision, one) for one in decided]}

    return await app.reads.answer(request, viewer, read, varies=f"{standing.key} {len(decided)}")


@router.post("/{checkOccurrence}:snooze", summary="Snooze an occurrence", response_model=CheckDecision)
async def snooze_check_occurrence(
    manager: CheckManager, check_occurrence: OccurrencePath, body: Snooze, _: NoQuery, request: Request
) -> Response:
    """Take an occurrence out of the open ones until a day. It opens by itself on that day if the data still shows it.

    Answers FAILED_PRECONDITION for one that the data no longer shows.
    """
    found = await _named(manager, check_occurrence, request)
    return await answer_change(request, manager, CheckDecision, decisions.snooze, found, body.until_date)


@router.post("/{checkOccurrence}:resolve", summary="Resolve an occurrence", response_model=CheckDecision)
async def resolve_check_occurrence(
    manager: CheckManager, check_occurrence: OccurrencePath, body: Resolution, _: NoQuery, request: Request
) -> Response:
    """Resolve an occurrence with a note. If it ends and comes back later, it is open again."""
    found = await _named(manager, check_occurrence, request)
    return await answer_change(request, manager, CheckDecision, decisions.resolve, found, body.note)


@router.post("/{checkOccurrence}:reopen", summary="Reopen an occurrence", response_model=CheckDecision)
async def reopen_check_occurrence(
    manager: CheckManager, check_occurrence: OccurrencePath, _: NoQuery, request: Request
) -> Response:
    """Take back a snooze or a resolution."""
    found = await _named(manager, check_occurrence, request)
    return await answer_change(request, manager, CheckDecision, decisions.reopen, found)


async def _standing(access: RowAccess, request: Request) -> Standing:
    return await run_sync(services(request).standings.of, access.organization_id)


async def _named(manager: Access, wanted: str, request: Request) -> NamedOccurrence:
    """The occurrence, if the caller sees it."""
    access = RowAccess.of(manager.organization_id, manager.visibility)
    return await services(request).reads.value(
        access, lambda build: occurrences.named_occurrence(build, access, wanted)
    )
