"""`…/developers:merge`, `…/developers/{developer}:split`, and `…/identityDecisions` with undo."""

from datetime import datetime
from typing import Annotated, Any, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Path, Query, Request
from pydantic import AfterValidator, Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import IdentityManager, IdentityReader
from api.control.identities import identities, surviving_changes
from api.control.identities.decisions import DecisionRecord, is_named, list_decisions
from api.control.identities.decisions import decision as find_decision
from api.control.snapshot.identities import DecisionKind
from api.http.parameters import ControlQuery, Id, NoQuery, enum_name
from api.http.responses import private
from api.http.shapes import Page, Shape
from api.read.identities import known_developers
from api.services import services
from api.v1.control_lists import answer_list
from api.v1.developers.ids import asked_ids, known_ids

router = APIRouter(prefix="/organizations/{organization}", tags=["identities"])

KINDS = tuple(kind.name for kind in DecisionKind)
DecisionPath = Annotated[str, Path(max_length=64, description="Id of the decision.")]
DeveloperPath = Annotated[str, Path(max_length=64, description="Id of the developer.")]
Kind = Annotated[str, AfterValidator(enum_name(KINDS)), Field(json_schema_extra={"enum": list(KINDS)})]


class NamedPart(Shape):
    """A developer or an address, as it was called when it was decided."""

    id: str
    name: str = Field(examples=["Ada Lovelace"])
    email: str | None = Field(examples=["ada@acme.example"])


class IdentityDecision(Shape):
    """A merge, a split, or a suggestion that was dismissed."""

    id: str
    kind: Literal["MERGE", "SPLIT", "DISMISSAL"]
    decided_at: datetime
    decided_by: str
    developers: list[NamedPart] = Field(
        description="Of a merge those who are one person, of a dismissal the two who are not."
    )
    developer_id: str | None = Field(description="Of a split: whom the addresses were taken from.")
    developer_name: str | None
    new_developer_id: str | None = Field(
        description="Of a split: the developer that the addresses are since."
    )
    addresses: list[NamedPart] = Field(description="Of a split: what was taken out.")
    undone_at: datetime | None = Field(description="Null while the decision holds.")
    undone_by: str | None


class SurvivingChange(Shape):
    """What differs of a developer or membership from when the decision was made."""

    target_kind: Literal["developer", "teamMembership"] = Field(description="As in the audit log.")
    target_id: str = Field(description="Of the developer or the membership.")
    developer_id: str = Field(description="With whom it stays.")
    before: dict[str, Any] | None = Field(
        description="As it was when the decision was made; null for a membership that was not there.",
        examples=[{"joiningDate": None}],
    )
    after: dict[str, Any] | None = Field(
        description="As it is and stays; null for a membership that is not there any more.",
        examples=[{"joiningDate": "2026-03-02"}],
    )
    changed_at: datetime = Field(description="When it was changed last.")
    changed_by: str = Field(examples=["ada@acme.example"])


class UndoneDecision(IdentityDecision):
    """A decision that holds no more."""

    kept_changes: list[SurvivingChange] = Field(
        description="What people decided meanwhile about the developers of a merge, or the one that a split made, and "
        "what stays with the ids of which they said it: dates and other attributes, and memberships in teams, with "
        "those that ended because others began. Whose it is after the undoing only a person knows: look through it. "
        "What was said of the developer of a split counts for nobody any more. The entry of the audit log has it too."
    )


class IdentityDecisionPage(Page):
    """A page of decisions."""

    identity_decisions: list[IdentityDecision]


class Merge(Shape):
    """Who is one person."""

    developer_ids: list[Id] = Field(min_length=2, max_length=identities.MAX_MERGED)


class Split(Shape):
    """What is somebody else's."""

    address_ids: list[Id] = Field(
        min_length=1, max_length=1000, description="Ids among the developer's `addresses`."
    )


class DecisionQuery(ControlQuery):
    """Parameters of the history."""

    kind: Kind | None = Field(None, description="Only decisions of this kind.")
    developer: Id | None = Field(
        None,
        description="Only decisions that name this developer, by any id that they have or had; 404 for an unknown one.",
    )
    is_undone: bool | None = Field(None, description="Only those that were undone, or only those that hold.")


# The path is the collection's with a verb, hence no slash before it.
@router.post(
    "/developers:merge",
    summary="Merge developers",
    operation_id="mergeDevelopers",
    response_model=IdentityDecision,
)
async def merge_developers(
    manager: IdentityManager, body: Merge, _: Annotated[NoQuery, Query()], request: Request
) -> Response:
    """From the next build on these developers are one, in figures of all periods, until the decision is undone.

    The one who was seen first gives the id. What was said about the others holds where nothing is said about that
    one; of memberships in teams that overlap the later one holds. FAILED_PRECONDITION for a bot and a person.
    """
    held, access = services(request), RowAccess(manager.organization_id)
    developers = await held.reads.value(
        access, lambda build: known_developers(build, access, body.developer_ids)
    )
    made = await run_sync(
        identities.merge_developers, held.store, manager.principal, access.organization_id, developers
    )
    return private(shown(made))


@router.post(
    "/developers/{developer}:split",
    summary="Take addresses out of a developer",
    operation_id="splitDeveloper",
    response_model=IdentityDecision,
)
async def split_developer(
    manager: IdentityManager,
    developer: DeveloperPath,
    body: Split,
    _: Annotated[NoQuery, Query()],
    request: Request,
) -> Response:
    """From the next build on the addresses are a developer of their own, whose id is answered already.

    FAILED_PRECONDITION where none would be left to the present one.
    """
    held, access = services(request), RowAccess(manager.organization_id)
    [known] = await held.reads.value(access, lambda build: known_developers(build, access, [developer]))
    made = await run_sync(
        identities.split_developer,
        held.store,
        manager.principal,
        access.organization_id,
        known,
        body.address_ids,
    )
    return private(shown(made))


@router.get(
    "/identityDecisions",
    summary="The history of who is who",
    operation_id="listIdentityDecisions",
    response_model=IdentityDecisionPage,
)
async def list_identity_decisions(
    reader: IdentityReader, query: Annotated[DecisionQuery, Query()], request: Request
) -> Response:
    """Every merge, split and dismissed suggestion, newest first unless `orderBy` says otherwise (`at`)."""
    organization = reader.organization_id
    ids: tuple[str, ...] = ()
    if query.developer is not None:
        ids = await asked_ids(
            services(request), RowAccess(organization), query.developer,
            lambda store, of: is_named(store, organization, of),
        )  # fmt: skip
    return await answer_list(
        request, query, "identityDecisions", organization,
        lambda store, asked: list_decisions(
            store, organization, asked, kind=DecisionKind[query.kind] if query.kind else None,
            developer_ids=ids, is_undone=query.is_undone,
        ),
        shown,
    )  # fmt: skip


@router.get(
    "/identityDecisions/{decision}",
    summary="One decision",
    operation_id="getIdentityDecision",
    response_model=IdentityDecision,
)
async def get_identity_decision(
    reader: IdentityReader,
    decision_id: Annotated[str, Path(alias="decision", max_length=64, description="Id of the decision.")],
    _: Annotated[NoQuery, Query()],
    request: Request,
) -> Response:
    """A merge, split or dismissed suggestion, and whether it still holds."""
    return private(
        shown(await run_sync(find_decision, services(request).store, reader.organization_id, decision_id))
    )


@router.post(
    "/identityDecisions/{decision}:undo",
    summary="Undo a decision",
    operation_id="undoIdentityDecision",
    response_model=UndoneDecision,
)
async def undo_identity_decision(
    manager: IdentityManager, decision: DecisionPath, _: Annotated[NoQuery, Query()], request: Request
) -> Response:
    """Figures are from the next build on as if it had never been made; a dismissed suggestion may come again.

    What was said of its developers meanwhile is not undone: `keptChanges` lists it. FAILED_PRECONDITION where a later
    decision builds on the developer that a split or merge made: undo that first.
    """
    held, organization = services(request), manager.organization_id
    made = await run_sync(find_decision, held.store, organization, decision)
    named = [part.id for part in made.parts] if made.kind is DecisionKind.MERGE else []
    ids = await known_ids(held, organization, *named)
    undone = await run_sync(
        identities.undo_decision, held.store, manager.principal, organization, decision, ids
    )
    return private(shown(undone.decision) | {"keptChanges": [_kept(one) for one in undone.kept]})


def shown(made: DecisionRecord) -> dict[str, Any]:
    """A decision as it is answered."""
    parts = [{"id": part.id, "name": part.name, "email": part.email} for part in made.parts]
    is_split = made.kind is DecisionKind.SPLIT
    return {
        "id": made.id,
        "kind": made.kind.name,
        "decidedAt": made.at,
        "decidedBy": made.decided_by,
        "developers": [] if is_split else parts,
        "developerId": made.developer_id,
        "developerName": made.developer_name,
        "newDeveloperId": made.new_developer_id,
        "addresses": parts if is_split else [],
        "undoneAt": made.undone_at,
        "undoneBy": made.undone_by,
    }


def _kept(one: surviving_changes.SurvivingChange) -> dict[str, Any]:
    return {
        "targetKind": one.target_kind,
        "targetId": one.target_id,
        "developerId": one.developer_id,
        "before": one.before,
        "after": one.after,
        "changedAt": one.changed_at,
        "changedBy": one.changed_by,
    }
