"""`/organizations/{organization}/mergeSuggestions`: possible duplicates, to accept or to dismiss."""

from functools import partial

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import IdentityManager, IdentityReader
from api.control.identities import identities
from api.control.identities.decisions import decided_pairs
from api.control.identities.known_developers import KnownDeveloper
from api.http.parameters import NoQuery, Queried
from api.http.responses import Reads
from api.read import identities as identity_reads
from api.read.identities import (
    MergeSuggestion,
    SuggestionQuery,
    known_developers,
    suggestion,
)
from api.services import services
from api.shapes import page_of
from api.snapshot.build import Build
from api.v1.answers import answer_change, answer_page
from api.v1.developers.identities import IdentityDecision, shown_decision
from api.v1.paths import SuggestionPath

router = APIRouter(prefix="/organizations/{organization}/mergeSuggestions", tags=["identities"])


MergeSuggestionPage = page_of(
    "MergeSuggestionPage", "A page of suggestions.", merge_suggestions=MergeSuggestion
)


@router.get("", summary="Merge suggestions", response_model=MergeSuggestionPage)
async def list_merge_suggestions(
    reader: IdentityReader, query: Queried[SuggestionQuery], request: Request
) -> Response:
    """Open suggestions of the newest build, by name.

    Anybody can choose any author name in Git. An equal name alone therefore never merges an address of a member or of
    a provider login; it only gives a suggestion.
    """
    access = RowAccess(reader.organization_id)
    pairs = await run_sync(decided_pairs, services(request).store, access.organization_id)
    decided = sorted(identities.suggestion_id(access.organization_id, *pair) for pair in pairs)

    read = partial(identity_reads.list_merge_suggestions, decided=decided)
    return await answer_page(request, access, query, "mergeSuggestions", read, varies=" ".join(decided))


@router.post("/{suggestion}:accept", summary="Accept a suggestion", response_model=IdentityDecision)
async def accept_merge_suggestion(
    manager: IdentityManager, suggestion_id: SuggestionPath, _: NoQuery, request: Request
) -> Response:
    """Merge the two developers. The answer is the decision; `…/identityDecisions/{decision}:undo` undoes it."""
    app, access = services(request), RowAccess(manager.organization_id)
    pair = await _pair(app.reads, access, suggestion_id)
    return await answer_change(request, manager, shown_decision, identities.merge_developers, pair)


@router.post("/{suggestion}:dismiss", summary="Dismiss a suggestion", response_model=IdentityDecision)
async def dismiss_merge_suggestion(
    manager: IdentityManager, suggestion_id: SuggestionPath, _: NoQuery, request: Request
) -> Response:
    """Dismiss a suggestion. The service does not suggest the two developers again until somebody undoes this
    decision.
    """
    app, access = services(request), RowAccess(manager.organization_id)
    pair = await _pair(app.reads, access, suggestion_id)
    return await answer_change(request, manager, shown_decision, identities.dismiss_suggestion, pair)


async def _pair(reads: Reads, access: RowAccess, suggestion_id: str) -> list[KnownDeveloper]:
    def read(build: Build) -> list[KnownDeveloper]:
        return known_developers(build, access, suggestion(build, access, suggestion_id))

    return await reads.value(access, read)
