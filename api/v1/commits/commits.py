"""`/organizations/{organization}/commits`: the list, the explanation of one commit, and its files."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from anyio.to_thread import run_sync
from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import FigureReader, Viewer
from api.control.commits.pending import pending_decisions
from api.control.permissions import Permission
from api.control.repositories.sync_status import origin_of
from api.http.parameters import Queried
from api.query.parameters import PageQuery
from api.query.records import shown
from api.read.commits import commits, explanation
from api.read.commits.commits import CommitQuery
from api.read.commits.hashes import MIN_DIGITS, spelled
from api.read.commits.lines import NO_CLONE, NOT_DELIVERED, ExplanationQuery, lines_of, wanted_file
from api.read.commits.shapes import Commit, CommitFile, ExplainedCommit, PendingDecision
from api.services import services
from api.shapes import page_of
from api.snapshot.build import Build, Row
from api.v1.answers import answer_page
from ingest.lines import DeliveredFile

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
async def get_commit(
    viewer: Viewer,
    reader: FigureReader,
    commit: CommitPath,
    query: Queried[ExplanationQuery],
    request: Request,
) -> Response:
    """A commit with the explanation of its score: files, line classes with weights and factors, credits, AI
    evidence, and the issues to which it belongs, each with the chain up to its objective.

    For a very large commit, the answer has the first thousand files by path. `fileTotal` is the number of all files;
    `…/files` lists them page by page. With `file`, `lines` has each changed line of one file with its number, class and
    weight. The service stores no line, so they are read from the clone on this machine; owners and admins get the text
    of the lines too.
    """
    if not query.file:
        return await answer_commit(request, viewer, commit)
    lines = await _lines(request, viewer, commit, query.file)
    shows_text = reader.may(Permission.MANAGE_REPOSITORIES)
    return await answer_commit(request, viewer, commit, _FileLines(query.file, lines, shows_text))


@dataclass(frozen=True, slots=True)
class _FileLines:
    """The lines of a file as the clone has them, or why it has none."""

    file: str
    found: DeliveredFile | str
    shows_text: bool

    @property
    def varies(self) -> str:
        return f"{self.shows_text} {self.found if isinstance(self.found, str) else 'READ'}"


async def _lines(request: Request, viewer: RowAccess, commit: str, file: str) -> DeliveredFile | str:
    """The lines of a file of a commit in the clone of its repository, or why they are not at hand."""
    app = services(request)
    wanted = await app.reads.value(
        viewer, lambda build: wanted_file(build, viewer, commit, file), or_empty=True
    )
    delivery = wanted.file["deliverySha"]
    if delivery is None:
        return NOT_DELIVERED
    origin = await run_sync(origin_of, app.store, viewer.organization_id, wanted.repository_id)
    if origin is None:
        return NO_CLONE
    copied_from = [wanted.file["copiedFrom"]] if wanted.file["copiedFrom"] else []
    return await app.clone_lines.read(wanted.repository_id, origin, delivery, file, copied_from)


async def answer_commit(
    request: Request, viewer: RowAccess, commit: str, lines: _FileLines | None = None
) -> Response:
    """The explanation of a commit, with what is decided about it since the build."""
    app = services(request)
    decided = await run_sync(pending_decisions, app.store, viewer.organization_id)

    def read(build: Build) -> Row:
        found = explanation.get_commit(build, viewer, commit)
        found["lines"] = None
        if lines is not None:
            wanted = wanted_file(build, viewer, commit, lines.file)
            found["lines"] = lines_of(wanted, lines.found, shows_text=lines.shows_text)
        found["pendingDecisions"] = [
            shown(PendingDecision, one, category=one.category and one.category.upper())
            for one in decided
            if one.commit_id == found["id"]
        ]
        return found

    varies = " ".join([*(one.operation_id for one in decided), lines.varies if lines is not None else ""])
    return await app.reads.answer(request, viewer, read, varies=varies)


@router.get("/{commit}/files", summary="Files of one commit", response_model=FilePage)
async def list_commit_files(
    viewer: Viewer, commit: CommitPath, query: Queried[PageQuery], request: Request
) -> Response:
    """File changes of a commit by path, each with its line classes and factors."""
    read = partial(explanation.list_commit_files, commit=commit)
    resource = f"commits/{spelled(commit)}/files"
    return await answer_page(request, viewer, query, "files", read, resource=resource)
