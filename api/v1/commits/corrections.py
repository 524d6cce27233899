"""`…/me/corrections`: corrections of the caller; `…/corrections`: all corrections, for administrators."""

from collections.abc import Callable
from functools import partial
from typing import Annotated

from anyio.to_thread import run_sync
from fastapi import APIRouter, Body, Request
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import CorrectionFiler, CorrectionManager, CorrectionReader, OwnReader
from api.control.commits import categories as commit_categories
from api.control.commits import corrections
from api.control.commits import exclusions as commit_exclusions
from api.control.commits.corrections import (
    CorrectionKind,
    CorrectionRecord,
    CorrectionState,
    CorrectionTarget,
)
from api.control.commits.exclusions import ExclusionReason
from api.control.identities import identities
from api.control.principals import Principal
from api.control.store import ControlStore
from api.errors import InvalidArgument
from api.http.parameters import NoQuery, Queried
from api.read.commits.correction_targets import (
    both_of,
    corrected_commit,
    own_addresses,
    own_self,
    taken_out,
    visible_commit,
)
from api.services import services
from api.snapshot.build import Build
from api.v1.answers import answer_change, answer_record
from api.v1.commits.correction_shapes import (
    Correction,
    CorrectionPage,
    CorrectionQuery,
    Decision,
    NewCorrection,
)
from api.v1.control_lists import answer_list
from api.v1.paths import CorrectionPath

router = APIRouter(prefix="/organizations/{organization}", tags=["corrections"])

NEEDED = {
    CorrectionKind.ALIAS: ("email", "is_mine"),
    CorrectionKind.EXCLUSION: ("commit",),
    CorrectionKind.CATEGORY: ("commit", "category"),
}


@router.post("/me/corrections", summary="Request a correction of your own figures", response_model=Correction)
async def create_my_correction(
    filer: CorrectionFiler, body: NewCorrection, _: NoQuery, request: Request
) -> Response:
    """Ask an owner or admin to correct your figures. Nothing changes until one of them accepts the request.

    For the kind ALIAS, the service looks up the developer of the address only on acceptance. The answer to this
    request therefore does not reveal that developer.
    """
    kind = CorrectionKind[body.kind]
    for name in ("email", "is_mine", "commit", "category"):
        given, needed = getattr(body, name) is not None, name in NEEDED[kind]
        if given != needed:
            problem = "is required for" if needed else "is not allowed for"
            raise InvalidArgument("isMine" if name == "is_mine" else name, f"{problem} the kind {body.kind}")
    app, own = services(request), RowAccess(filer.organization_id, own=filer.visibility.own_key or "")
    requested = await app.reads.value(own, lambda build: _claim(build, own, kind, body))
    return await answer_change(request, filer, Correction, corrections.file_correction, requested)


@router.get("/me/corrections", summary="Your corrections", response_model=CorrectionPage)
async def list_my_corrections(
    reader: OwnReader, query: Queried[CorrectionQuery], request: Request
) -> Response:
    """The corrections that you requested, newest first. Sortable by filedAt, state."""
    return await _listed(reader.organization_id, query, request, filed_by=reader.principal.account_id or "")


@router.get("/me/corrections/{correction}", summary="One of your corrections", response_model=Correction)
async def get_my_correction(
    reader: OwnReader, correction: CorrectionPath, _: NoQuery, request: Request
) -> Response:
    """A correction that you requested, with its state and the administrator's answer."""
    filed_by = reader.principal.account_id or ""
    return await answer_record(
        request, reader, Correction, corrections.correction, correction, filed_by=filed_by
    )


@router.get("/corrections", summary="Corrections", response_model=CorrectionPage)
async def list_corrections(
    reader: CorrectionReader, query: Queried[CorrectionQuery], request: Request
) -> Response:
    """Corrections of all members, newest first. Sortable by filedAt, state."""
    return await _listed(reader.organization_id, query, request, filed_by=None)


@router.get("/corrections/{correction}", summary="One correction", response_model=Correction)
async def get_correction(
    reader: CorrectionReader, correction: CorrectionPath, _: NoQuery, request: Request
) -> Response:
    """A correction with its author, its state and the administrator's answer."""
    return await answer_record(request, reader, Correction, corrections.correction, correction)


@router.post("/corrections/{correction}:accept", summary="Accept a correction", response_model=Correction)
async def accept_correction(
    manager: CorrectionManager,
    correction: CorrectionPath,
    body: Annotated[Decision, Body(default_factory=Decision)],
    _: NoQuery,
    request: Request,
) -> Response:
    """Make the requested change: merge the developers, split off the address, exclude the commit, or set its
    category.

    The next build applies it to the figures. To undo the change later, use the operation that usually undoes it, such
    as `…/commits/{commit}:include`.
    """
    app, whole = services(request), RowAccess(manager.organization_id)
    found = await run_sync(corrections.correction, app.store, whole.organization_id, correction)
    change = await app.reads.value(whole, lambda build: _change(build, whole, manager.principal, found))
    return await answer_change(
        request, manager, Correction, corrections.accept_correction, correction, body.answer, change
    )


@router.post("/corrections/{correction}:reject", summary="Reject a correction", response_model=Correction)
async def reject_correction(
    manager: CorrectionManager,
    correction: CorrectionPath,
    body: Annotated[Decision, Body(default_factory=Decision)],
    _: NoQuery,
    request: Request,
) -> Response:
    """Reject the correction. Figures do not change. The author of the correction can read your answer."""
    return await answer_change(
        request, manager, Correction, corrections.reject_correction, correction, body.answer
    )


async def _listed(
    organization_id: str, query: CorrectionQuery, request: Request, *, filed_by: str | None
) -> Response:
    state = CorrectionState[query.state] if query.state else None
    find = partial(corrections.list_corrections, filed_by=filed_by, state=state)
    bound_to = f"{organization_id} {filed_by}"
    return await answer_list(
        request, organization_id, query, "corrections", find, Correction, bound_to=bound_to
    )


def _claim(build: Build, own: RowAccess, kind: CorrectionKind, body: NewCorrection) -> CorrectionTarget:
    developer = own_self(build, own)
    if kind is CorrectionKind.ALIAS:
        if not body.is_mine:
            own_addresses(developer, body.email or "")
        return CorrectionTarget(
            kind,
            developer.id,
            developer.name,
            body.text,
            email=(body.email or "").strip(),
            is_mine=body.is_mine,
        )
    commit = visible_commit(build, own, body.commit or "")
    category = body.category.lower() if body.category else None
    return CorrectionTarget(
        kind,
        developer.id,
        developer.name,
        body.text,
        commit_id=commit.id,
        commit_sha=commit.sha,
        repository_id=commit.repository_id,
        category=category,
    )


def _change(
    build: Build, whole: RowAccess, actor: Principal, found: CorrectionRecord
) -> Callable[[ControlStore], None]:
    """The change that accepting a correction makes. Raises NotFound, FailedPrecondition for a target that the build
    lacks.
    """
    organization_id = whole.organization_id
    if found.kind is CorrectionKind.ALIAS and found.is_mine:
        pair = both_of(build, whole, found)
        return lambda store: _done(identities.merge_developers(store, actor, organization_id, pair))
    if found.kind is CorrectionKind.ALIAS:
        developer, ids = taken_out(build, whole, found)
        return lambda store: _done(identities.split_developer(store, actor, organization_id, developer, ids))
    commit = corrected_commit(build, whole, found)
    if found.kind is CorrectionKind.CATEGORY:
        return lambda store: commit_categories.categorize(
            store, actor, organization_id, commit, found.category
        )
    # The text was for the administrators. The note belongs to the commit.
    reason, note = ExclusionReason.OTHER, f"accepted correction {found.id}"
    return lambda store: _done(commit_exclusions.exclude(store, actor, organization_id, commit, reason, note))


def _done(_: object) -> None:
    """The empty answer after a change; other routes show its result."""
