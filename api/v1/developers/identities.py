"""`…/developers:merge`, `…/developers/{developer}:split`, and `…/identityDecisions` with undo."""

from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import IdentityManager, IdentityReader
from api.control.identities import identities
from api.control.identities.decisions import DecisionRecord, is_named, list_decisions
from api.control.identities.decisions import decision as find_decision
from api.control.snapshot.identities import DecisionKind
from api.http.parameters import NoQuery, Queried
from api.http.responses import private
from api.query.fields import Stored
from api.query.parameters import ControlQuery, Id, OneOf
from api.query.records import shown
from api.read.identities import known_developers
from api.services import services
from api.shapes import Shape, page_of
from api.v1.answers import answer_change, answer_record
from api.v1.control_lists import answer_list
from api.v1.developers.ids import asked_ids, known_ids
from api.v1.paths import DecisionPath, DeveloperPath

router = APIRouter(prefix="/organizations/{organization}", tags=["identities"])

KINDS = tuple(kind.name for kind in DecisionKind)
Kind = Annotated[str, OneOf(*KINDS)]


class NamedPart(Shape):
    """A developer or an address, with its name at the time of the decision."""

    id: str
    name: str = Field(examples=["Ada Lovelace"])
    email: str | None = Field(examples=["ada@acme.example"])


class IdentityDecision(Shape):
    """A merge, a split, or a dismissed suggestion."""

    id: str
    kind: Literal["MERGE", "SPLIT", "DISMISSAL"] = Field(
        description="MERGE joins developers, SPLIT separates addresses, DISMISSAL rejects a merge suggestion."
    )
    decided_at: Annotated[datetime, Stored("at")]
    decided_by: str
    developers: list[NamedPart] = Field(
        description="For a merge: the merged developers. For a dismissal: the two developers of the "
        "suggestion."
    )
    developer_id: str | None = Field(description="For a split: the developer that had the addresses before.")
    developer_name: str | None
    new_developer_id: str | None = Field(description="For a split: the developer that has the addresses now.")
    addresses: list[NamedPart] = Field(
        description="For a split: the addresses that moved to the new developer."
    )
    undone_at: datetime | None = Field(description="Null while the decision is in force.")
    undone_by: str | None


class SurvivingChange(Shape):
    """A change of a developer or membership while the decision was in force."""

    target_kind: Literal["developer", "teamMembership"] = Field(description="The kind of the changed object.")
    target_id: str = Field(description="Id of the developer or the membership.")
    developer_id: str = Field(description="The developer that keeps the change.")
    before: dict[str, Any] | None = Field(
        description="The values at the time of the decision; null for a membership that began later.",
        examples=[{"joiningDate": None}],
    )
    after: dict[str, Any] | None = Field(
        description="The current values, which stay; null for a deleted membership.",
        examples=[{"joiningDate": "2026-03-02"}],
    )
    changed_at: datetime = Field(description="The time of the last change.")
    changed_by: str = Field(examples=["ada@acme.example"])


class UndoneDecision(IdentityDecision):
    """An undone decision."""

    surviving_changes: list[SurvivingChange] = Field(
        description="Changes of attributes and team memberships of these developers that people made while "
        "the decision was in force and that stay after the undo. This includes memberships that "
        "ended because another one began. Each change stays with the developer id that the "
        "request named. After the undo of a merge, check for each change whether it belongs to "
        "that developer. Changes to the new developer of an undone split no longer apply. The "
        "audit log has the same list."
    )


IdentityDecisionPage = page_of(
    "IdentityDecisionPage", "A page of decisions.", identity_decisions=IdentityDecision
)


class Merge(Shape):
    """The developers to merge."""

    developer_ids: list[Id] = Field(min_length=2, max_length=identities.MAX_MERGED)


class Split(Shape):
    """Addresses to split off."""

    address_ids: list[Id] = Field(
        min_length=1, max_length=1000, description="Ids from the developer's `addresses`."
    )


class DecisionQuery(ControlQuery):
    """Parameters of the history."""

    kind: Kind | None = Field(None, description="Only decisions of this kind.")
    developer: Id | None = Field(
        None,
        description="Only decisions about this developer, by a current or former id. 404 for an unknown id.",
    )
    is_undone: bool | None = Field(
        None, description="true: only undone decisions; false: only decisions in force."
    )


# The path is the collection's with a verb, hence no slash before it.
@router.post("/developers:merge", summary="Merge developers", response_model=IdentityDecision)
async def merge_developers(manager: IdentityManager, body: Merge, _: NoQuery, request: Request) -> Response:
    """Merge developers into one. From the next build on, the merge applies to figures of all periods, until somebody
    undoes it.

    The developer with the earliest commit keeps its id. An attribute without a value there comes from the other
    developers. Where team memberships overlap, the later one applies. Answers FAILED_PRECONDITION for a bot and a
    human.
    """
    app, access = services(request), RowAccess(manager.organization_id)
    developers = await app.reads.value(
        access, lambda build: known_developers(build, access, body.developer_ids)
    )
    return await answer_change(request, manager, shown_decision, identities.merge_developers, developers)


@router.post("/developers/{developer}:split", summary="Split a developer", response_model=IdentityDecision)
async def split_developer(
    manager: IdentityManager, developer: DeveloperPath, body: Split, _: NoQuery, request: Request
) -> Response:
    """Make the given addresses a separate developer, from the next build on. The answer has the id of the new
    developer.

    Answers FAILED_PRECONDITION when the former developer would keep no address.
    """
    app, access = services(request), RowAccess(manager.organization_id)
    [known] = await app.reads.value(access, lambda build: known_developers(build, access, [developer]))
    return await answer_change(
        request, manager, shown_decision, identities.split_developer, known, body.address_ids
    )


@router.get(
    "/identityDecisions", summary="History of identity decisions", response_model=IdentityDecisionPage
)
async def list_identity_decisions(
    reader: IdentityReader, query: Queried[DecisionQuery], request: Request
) -> Response:
    """All merges, splits and dismissed suggestions. Default order: newest first (`at`)."""
    organization = reader.organization_id
    ids: tuple[str, ...] = ()
    if query.developer is not None:
        ids = await asked_ids(
            services(request), RowAccess(organization), query.developer,
            lambda store, of: is_named(store, organization, of),
        )  # fmt: skip
    kind = DecisionKind[query.kind] if query.kind else None
    find = partial(list_decisions, kind=kind, developer_ids=ids, is_undone=query.is_undone)
    return await answer_list(request, organization, query, "identityDecisions", find, shown_decision)


@router.get("/identityDecisions/{decision}", summary="One decision", response_model=IdentityDecision)
async def get_identity_decision(
    reader: IdentityReader, decision_id: DecisionPath, _: NoQuery, request: Request
) -> Response:
    """A merge, split or dismissed suggestion, and whether it is in force."""
    return await answer_record(request, reader, shown_decision, find_decision, decision_id)


@router.post("/identityDecisions/{decision}:undo", summary="Undo a decision", response_model=UndoneDecision)
async def undo_identity_decision(
    manager: IdentityManager, decision: DecisionPath, _: NoQuery, request: Request
) -> Response:
    """Undo a merge, split or dismissal. From the next build on, figures are as if nobody had made the decision, and a
    dismissed suggestion can appear again.
    """
    app, organization = services(request), manager.organization_id
    made = await run_sync(find_decision, app.store, organization, decision)
    named = [part.id for part in made.parts] if made.kind is DecisionKind.MERGE else []
    ids = await known_ids(app, organization, *named)
    undone = await run_sync(
        identities.undo_decision, app.store, manager.principal, organization, decision, ids
    )
    return private(
        shown_decision(undone.decision)
        | {"survivingChanges": [shown(SurvivingChange, one) for one in undone.surviving]}
    )


def shown_decision(made: DecisionRecord) -> dict[str, Any]:
    """A decision as it is answered."""
    parts = [shown(NamedPart, part) for part in made.parts]
    is_split = made.kind is DecisionKind.SPLIT
    named = {"developers": [] if is_split else parts, "addresses": parts if is_split else []}
    return shown(IdentityDecision, made, **named)
