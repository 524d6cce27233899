"""`/organizations/{organization}/commits`: the list, the explanation of one commit, and its files."""

from functools import partial
from typing import Annotated

from anyio.to_thread import run_sync
from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import Viewer
from api.control.commits.pending import pending_decisions
from api.http.parameters import NoQuery, Queried
from api.query.parameters import PageQuery
from api.query.records import shown
from api.read.commits import commits, explanation
from api.read.commits.commits import CommitQuery
from api.read.commits.hashes import MIN_DIGITS, spelled
from api.read.commits.shapes import Commit, CommitFile, ExplainedCommit, PendingDecision
from api.services import services
from api.shapes import page_of
from api.snapshot.build import Build, Row
from api.v1.answers import answer_page

router = APIRouter(prefix="/organizations/{organization}/commits", tags=["commits"])

CommitPath = Annotated[
    str,
    Path(
        min_length=1,
        max_length=64,
        description=f"Id or SHA of the commit, or the first digits of the SHA, at least {MIN_DIGITS}. If several "
        "commits begin with them, the answer is FAILED_PRECONDITION with these commits.",
    ),
]


CommitPage = page_of("CommitPage", "A page of commits.", commits=Commit)


FilePage = page_of("FilePage", "A page of file changes of one commit.", files=CommitFile)


@router.get("", summary="Commits", response_model=CommitPage)
async def list_commits(viewer: Viewer, query: Queried[CommitQuery], request: Request) -> Response:
    """Commits of the organization. Default order: newest delivery first, undelivered commits last."""
    return await answer_page(request, viewer, query, "commits", commits.list_commits)


@router.get("/{commit}", summary="Explain a commit", response_model=ExplainedCommit)
async def get_commit(viewer: Viewer, commit: CommitPath, _: NoQuery, request: Request) -> Response:
    """A commit with the explanation of its score: files, line classes with weights and factors, credits, AI
    evidence, and the issues to which it belongs, each with the chain up to its objective.

    For a very large commit, the answer has the first thousand files by path. `fileTotal` is the number of all files;
    `…/files` lists them page by page.
    """
    return await answer_commit(request, viewer, commit)


async def answer_commit(request: Request, viewer: RowAccess, commit: str) -> Response:
    """The explanation of a commit, with what is decided about it since the build."""
    app = services(request)
    decided = await run_sync(pending_decisions, app.store, viewer.organization_id)

    def read(build: Build) -> Row:
        found = explanation.get_commit(build, viewer, commit)
        found["pendingDecisions"] = [
            shown(PendingDecision, one, category=one.category and one.category.upper())
            for one in decided
            if one.commit_id == found["id"]
        ]
        return found

    varies = " ".join(one.operation_id for one in decided)
    return await app.reads.answer(request, viewer, read, varies=varies)


@router.get("/{commit}/files", summary="Files of one commit", response_model=FilePage)
async def list_commit_files(
    viewer: Viewer, commit: CommitPath, query: Queried[PageQuery], request: Request
) -> Response:
    """File changes of a commit by path, each with its line classes and factors."""
    read = partial(explanation.list_commit_files, commit=commit)
    resource = f"commits/{spelled(commit)}/files"
    return await answer_page(request, viewer, query, "files", read, resource=resource)
