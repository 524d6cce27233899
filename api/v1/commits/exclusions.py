"""`…/commits/{commit}:exclude`, `:include` and `:reanalyze`, their bulk forms, and the list of exclusions."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import CommitManager, ExclusionReader
from api.control import errors as control_errors
from api.control import models
from api.control.batches import write_each
from api.control.commits import exclusions as commit_exclusions
from api.control.commits import reanalyses
from api.control.commits.exclusions import ExclusionReason, NamedCommit
from api.control.operations import operations
from api.errors import FailedPrecondition
from api.http.parameters import NoQuery, Queried
from api.http.responses import private
from api.http.statuses import item_status
from api.query.parameters import ControlQuery, Id, OneOf
from api.query.records import shown
from api.read.commits.commits import named_commits
from api.read.commits.correction_targets import commit_of, visible_commit
from api.read.commits.hashes import commit_id, unknown_commit
from api.services import services
from api.shapes import ItemStatus, Shape, page_of
from api.snapshot.build import Build
from api.v1.answers import answer_change
from api.v1.commits.commits import CommitPath
from api.v1.control_lists import answer_list
from api.v1.organizations.operations import Operation, sees_all, shown_operation

router = APIRouter(prefix="/organizations/{organization}", tags=["commits"])

REASONS = tuple(reason.name for reason in ExclusionReason)
MAX_COMMITS = 500
Reason = Annotated[
    str,
    OneOf(*REASONS),
    Field(description="OTHER needs a note.", examples=["IMPORT"]),
]
Note = Annotated[
    str | None,
    Field(max_length=commit_exclusions.MAX_NOTE_LENGTH, description="The reason in words.", examples=[None]),
]


class CommitExclusion(Shape):
    """The manual decision about a commit. The next build applies it to the figures."""

    commit_id: str
    commit_sha: str
    repository_id: str
    subject: str = Field(examples=["Import the parser of 2019"])
    is_excluded: bool = Field(
        description="true: excluded from every metric; false: counted against a rule that excludes it."
    )
    reason: (
        Literal["GENERATED_CODE", "IMPORT", "REVERT", "MIGRATION", "FORMATTING", "DUPLICATE", "OTHER"] | None
    ) = Field(description="The reason for an exclusion; null for an inclusion.")
    note: str | None
    import_burst_id: str | None = Field(
        description="The import burst that somebody included; null for a decision about this commit alone."
    )
    decided_by: str = Field(examples=["ada@example.org"])
    decided_at: datetime


class Exclusion(Shape):
    """The reason for excluding a commit."""

    reason: Reason
    note: Note = None


class BatchExclusion(Exclusion):
    """Commits to exclude for the same reason."""

    commits: list[Id] = Field(
        min_length=1, max_length=MAX_COMMITS, description="Ids, SHAs, or first digits of SHAs, at least 7."
    )


class Inclusion(Shape):
    """The manual decision about a commit after the call."""

    exclusion: CommitExclusion | None = Field(description="The manual category. Null: the rules decide.")


class BatchItem(Shape):
    """The outcome for one commit of a bulk call."""

    commit: str = Field(description="The id or SHA from the request.")
    status: ItemStatus
    exclusion: CommitExclusion | None


class BatchAnswer(Shape):
    """The outcome for each commit, in the given order."""

    results: list[BatchItem]


ExclusionPage = page_of("ExclusionPage", "A page of decisions.", commit_exclusions=CommitExclusion)


class ExclusionQuery(ControlQuery):
    """The requested decisions."""

    repository: Id | None = Field(
        None, description="Only decisions about commits of this repository. 404 for an unknown repository."
    )
    excluded: bool | None = Field(
        None, description="true: only exclusions; false: only inclusions against a rule."
    )


@router.post("/commits/{commit}:exclude", summary="Exclude a commit", response_model=CommitExclusion)
async def exclude_commit(
    manager: CommitManager, commit: CommitPath, body: Exclusion, _: NoQuery, request: Request
) -> Response:
    """Exclude a commit from all figures of all periods: totals, credits, daily figures, CapEx and performance. Lists
    still show it, with the reason.

    A second call replaces the reason.
    """
    organization = manager.organization_id
    found = await _named(request, organization, commit)
    reason = ExclusionReason[body.reason]
    return await answer_change(
        request, manager, CommitExclusion, commit_exclusions.exclude, found, reason, body.note
    )


@router.post("/commits/{commit}:include", summary="Include a commit", response_model=Inclusion)
async def include_commit(
    manager: CommitManager, commit: CommitPath, _: NoQuery, request: Request
) -> Response:
    """Remove a manual exclusion; all figures are then exactly as before it. For a commit that a rule excludes as an
    import or duplicate: count it from the next build on.

    For a commit that has no ETV for another reason, the answer is FAILED_PRECONDITION with that reason.
    """
    store, organization = services(request).store, manager.organization_id
    found = await _named(request, organization, commit)
    left = await run_sync(commit_exclusions.include, store, manager.principal, organization, found)
    return private({"exclusion": shown(CommitExclusion, left) if left else None})


@router.post("/commits:batchExclude", summary="Exclude several commits", response_model=BatchAnswer)
async def batch_exclude_commits(
    manager: CommitManager, body: BatchExclusion, _: NoQuery, request: Request
) -> Response:
    """Exclude up to 500 commits. Each succeeds or fails on its own. `status.code` is 0 for an excluded commit."""
    store, organization = services(request).store, manager.organization_id
    found = await services(request).reads.value(
        RowAccess(organization), lambda build: _each_named(build, RowAccess(organization), body.commits)
    )
    reason = ExclusionReason[body.reason]

    def exclude(one: NamedCommit) -> models.CommitExclusion:
        return commit_exclusions.exclude(store, manager.principal, organization, one, reason, body.note)

    outcomes = await run_sync(write_each, found, exclude)
    results = [
        {
            "commit": given,
            "status": item_status(outcome),
            "exclusion": shown(CommitExclusion, outcome)
            if isinstance(outcome, models.CommitExclusion)
            else None,
        }
        for given, outcome in zip(body.commits, outcomes, strict=True)
    ]
    return private({"results": results})


@router.post("/commits/{commit}:reanalyze", summary="Analyse a commit again", response_model=Operation)
async def reanalyze_commit(
    manager: CommitManager, commit: CommitPath, _: NoQuery, request: Request
) -> Response:
    """Analyse the whole repository of the commit again from scratch. Until that ends, answers have the present
    figures.

    The answer is an operation; at its end, its `result` lists the facts of the commit that changed. Answers
    FAILED_PRECONDITION while the repository is disabled or stopped.
    """
    store, organization = services(request).store, manager.organization_id
    found = await _named(request, organization, commit)
    made = await run_sync(reanalyses.reanalyze, store, manager.principal, organization, found)
    begun = await run_sync(operations.operation, store, organization, made)
    return private(shown_operation(begun, in_full=sees_all(manager)))


@router.get("/commitExclusions", summary="Commit exclusions and inclusions", response_model=ExclusionPage)
async def list_commit_exclusions(
    reader: ExclusionReader, query: Queried[ExclusionQuery], request: Request
) -> Response:
    """Manual exclusions and inclusions of commits with their author, time and reason, newest first. Sortable by
    decidedAt, commitId, isExcluded.
    """
    find = partial(
        commit_exclusions.list_exclusions, repository_id=query.repository, is_excluded=query.excluded
    )
    return await answer_list(
        request, reader.organization_id, query, "commitExclusions", find, CommitExclusion
    )


async def _named(request: Request, organization_id: str, given: str) -> NamedCommit:
    """The commit in the newest build. Callers who decide about commits see all of them."""
    access = RowAccess(organization_id)
    return await services(request).reads.value(access, lambda build: visible_commit(build, access, given))


def _each_named(
    build: Build, access: RowAccess, commits: Sequence[str]
) -> list[NamedCommit | control_errors.ControlError]:
    """Every commit as the caller named it, or its error."""
    wanted: list[str | control_errors.ControlError] = []
    for given in commits:
        try:
            wanted.append(commit_id(build, access, given))
        except FailedPrecondition as error:
            wanted.append(control_errors.NotPossible(error.message))
    known = named_commits(build, access, [one for one in wanted if isinstance(one, str)])
    return [
        one
        if not isinstance(one, str)
        else commit_of(known[one])
        if one in known
        else control_errors.NotFound(unknown_commit(access, given).message)
        for given, one in zip(commits, wanted, strict=True)
    ]
