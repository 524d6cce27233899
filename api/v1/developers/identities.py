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
from api.read.identities import known_developers
from api.services import services
from api.shapes import Page, Shape
from api.v1.control_lists import answer_list
from api.v1.developers.ids import asked_ids, known_ids

router = APIRouter(prefix="/organizations/{organization}", tags=["identities"])

KINDS = tuple(kind.name for kind in DecisionKind)
DecisionPath = Annotated[str, Path(max_length=64, description="Id of the decision.")]
DeveloperPath = Annotated[str, Path(max_length=64, description="Id of the developer.")]
Kind = Annotated[str, AfterValidator(enum_name(KINDS)), Field(json_schema_extra={"enum": list(KINDS)})]


class NamedPart(Shape):
    """A developer or an address, with its name at the time of the decision."""

    id: str
    name: str = Field(examples=["Ada Lovelace"])
    email: str | None = Field(examples=["ada@acme.example"])


class IdentityDecision(Shape):
    """A merge, a split, or a dismissed suggestion."""

    id: str
    kind: Literal["MERGE", "SPLIT", "DISMISSAL"]
    decided_at: datetime
    decided_by: str
    developers: list[NamedPart] = Field(
        description="For a merge: the developers who are one person. For a dismissal: the two who are not."
    )
    developer_id: str | None = Field(description="For a split: the former developer of the addresses.")
    developer_name: str | None
    new_developer_id: str | None = Field(description="For a split: the new developer of the addresses.")
    addresses: list[NamedPart] = Field(description="For a split: the addresses.")
    undone_at: datetime | None = Field(description="Null while the decision is in force.")
    undone_by: str | None


class SurvivingChange(Shape):
    """A change of a developer or membership that was made while the decision was in force."""

    target_kind: Literal["developer", "teamMembership"] = Field(description="As in the audit log.")
    target_id: str = Field(description="Id of the developer or the membership.")
    developer_id: str = Field(description="The developer who keeps it.")
    before: dict[str, Any] | None = Field(
        description="The value at the time of the decision; null for a later membership.",
        examples=[{"joiningDate": None}],
    )
    after: dict[str, Any] | None = Field(
        description="The current value, which stays; null for a deleted membership.",
        examples=[{"joiningDate": "2026-03-02"}],
    )
    changed_at: datetime = Field(description="The time of the last change.")
    changed_by: str = Field(examples=["ada@acme.example"])


class UndoneDecision(IdentityDecision):
    """An undone decision."""

    kept_changes: list[SurvivingChange] = Field(
        description="Changes that were made to these developers while the decision was in force and "
        "that survive its undoing: dates and other attributes, and team memberships, "
        "including those that ended because others began. Each stays with the id under "
        "which it was made. After the undo of a merge, review them, because only a person"
        " knows which developer each was meant for. Changes to the developer of an undone"
        " split no longer apply. The audit log has the list too."
    )


class IdentityDecisionPage(Page):
    """A page of decisions."""

    identity_decisions: list[IdentityDecision]


class Merge(Shape):
    """Developers who are one person."""

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
@router.post(
    "/developers:merge",
    summary="Merge developers",
    operation_id="mergeDevelopers",
    response_model=IdentityDecision,
)
async def merge_developers(
    manager: IdentityManager, body: Merge, _: Annotated[NoQuery, Query()], request: Request
) -> Response:
    """From the next build on, these developers are one in figures of all periods, until the decision is undone.

    The developer with the earliest commit keeps its id. Attributes of the others apply where that developer has none;
    of overlapping team memberships the later one applies. Answers FAILED_PRECONDITION for a bot and a person.
    """
    app, access = services(request), RowAccess(manager.organization_id)
    developers = await app.reads.value(
        access, lambda build: known_developers(build, access, body.developer_ids)
    )
    made = await run_sync(
        identities.merge_developers, app.store, manager.principal, access.organization_id, developers
    )
    return private(shown(made))


@router.post(
    "/developers/{developer}:split",
    summary="Split a developer",
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
    """From the next build on, the addresses are a developer of their own. The answer has the new developer's id.

    Answers FAILED_PRECONDITION when no address would remain.
    """
    app, access = services(request), RowAccess(manager.organization_id)
    [known] = await app.reads.value(access, lambda build: known_developers(build, access, [developer]))
    made = await run_sync(
        identities.split_developer,
        app.store,
        manager.principal,
        access.organization_id,
        known,
        body.address_ids,
    )
    return private(shown(made))


@router.get(
    "/identityDecisions",
    summary="History of identity decisions",
    operation_id="listIdentityDecisions",
    response_model=IdentityDecisionPage,
)
async def list_identity_decisions(
    reader: IdentityReader, query: Annotated[DecisionQuery, Query()], request: Request
) -> Response:
    """All merges, splits and dismissed suggestions. Default order: newest first (`at`)."""
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
    """A merge, split or dismissed suggestion, and whether it is in force."""
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
    """From the next build on, figures are as if the decision had never been made. A dismissed suggestion can return."""
    app, organization = services(request), manager.organization_id
    made = await run_sync(find_decision, app.store, organization, decision)
    named = [part.id for part in made.parts] if made.kind is DecisionKind.MERGE else []
    ids = await known_ids(app, organization, *named)
    undone = await run_sync(
        identities.undo_decision, app.store, manager.principal, organization, decision, ids
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
