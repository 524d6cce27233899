"""`/organizations/{organization}/mergeSuggestions`: possible duplicates, to accept or to dismiss."""

from typing import Annotated, Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import IdentityManager, IdentityReader, ReadService
from api.control.identities import identities
from api.control.identities.decisions import decided_pairs
from api.control.identities.known_developers import KnownDeveloper
from api.http.parameters import NoQuery
from api.http.responses import Continuation, Reads, private
from api.query.filtering import parse_filter
from api.query.ordering import parse_order
from api.query.pages import Position
from api.query.parameters import Filter, OrderBy, PageQuery
from api.read.identities import (
    BY_NAME,
    SUGGESTIONS,
    MergeSuggestion,
    known_developers,
    suggestion,
    suggestion_page,
)
from api.read.ids import with_current_ids
from api.services import services
from api.shapes import Page
from api.snapshot.build import Build
from api.v1.developers.identities import IdentityDecision, shown

router = APIRouter(prefix="/organizations/{organization}/mergeSuggestions", tags=["identities"])

SuggestionPath = Annotated[str, Path(alias="suggestion", max_length=64, description="Id of the suggestion.")]


class MergeSuggestionPage(Page):
    """A page of suggestions."""

    merge_suggestions: list[MergeSuggestion]


class SuggestionQuery(PageQuery):
    """Parameters of the list."""

    filter: Filter = ""
    order_by: OrderBy = ""


@router.get(
    "",
    summary="Merge suggestions",
    operation_id="listMergeSuggestions",
    response_model=MergeSuggestionPage,
)
async def list_merge_suggestions(
    reader: IdentityReader,
    query: Annotated[SuggestionQuery, Query()],
    request: Request,
    reads: ReadService,
) -> Response:
    """Open suggestions of the newest build, by name.

    Anybody can choose any author name in Git. An equal name alone therefore never merges an address of a member or of
    a provider login; it only gives a suggestion.
    """
    access = RowAccess(reader.organization_id)
    terms = parse_order(query.order_by, SUGGESTIONS, BY_NAME, SUGGESTIONS["id"])
    condition = parse_filter(query.filter, SUGGESTIONS)
    digest = query.digest("merge-suggestions", access.key)
    pairs = await run_sync(decided_pairs, services(request).store, access.organization_id)
    decided = sorted(identities.suggestion_id(access.organization_id, *pair) for pair in pairs)

    def read(build: Build, position: Position | None) -> dict[str, Any]:
        named = with_current_ids(build, condition)
        found = suggestion_page(build, access, named, decided, terms, query.limit, position)
        return {
            "mergeSuggestions": found.rows,
            "nextPageToken": reads.tokens.next(digest, build.id, found.next_values),
            "totalSize": found.total,
        }

    continuation = Continuation(query.page_token, digest)
    return await reads.answer(request, access, read, continuation, varies=" ".join(decided))


@router.post(
    "/{suggestion}:accept",
    summary="Accept a suggestion",
    operation_id="acceptMergeSuggestion",
    response_model=IdentityDecision,
)
async def accept_merge_suggestion(
    manager: IdentityManager,
    suggestion_id: SuggestionPath,
    _: Annotated[NoQuery, Query()],
    request: Request,
) -> Response:
    """Merge the two developers. The answer is the decision; `…/identityDecisions/{decision}:undo` undoes it."""
    app, access = services(request), RowAccess(manager.organization_id)
    pair = await _pair(app.reads, access, suggestion_id)
    made = await run_sync(
        identities.merge_developers, app.store, manager.principal, access.organization_id, pair
    )
    return private(shown(made))


@router.post(
    "/{suggestion}:dismiss",
    summary="Dismiss a suggestion",
    operation_id="dismissMergeSuggestion",
    response_model=IdentityDecision,
)
async def dismiss_merge_suggestion(
    manager: IdentityManager,
    suggestion_id: SuggestionPath,
    _: Annotated[NoQuery, Query()],
    request: Request,
) -> Response:
    """Dismiss a suggestion. The service does not suggest the two developers again until somebody undoes this
    decision.
    """
    app, access = services(request), RowAccess(manager.organization_id)
    pair = await _pair(app.reads, access, suggestion_id)
    made = await run_sync(
        identities.dismiss_suggestion, app.store, manager.principal, access.organization_id, pair
    )
    return private(shown(made))


async def _pair(reads: Reads, access: RowAccess, suggestion_id: str) -> list[KnownDeveloper]:
    def read(build: Build) -> list[KnownDeveloper]:
        return known_developers(build, access, suggestion(build, access, suggestion_id))

    found: list[KnownDeveloper] = await reads.value(access, read)
    return found
