"""`/organizations/{organization}/commits`: the list, the explanation of one commit, and its files."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from pydantic import Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import ReadService, Viewer
from api.http.parameters import NoQuery
from api.http.responses import Continuation
from api.query.conditions import Condition
from api.query.filtering import parse_filter
from api.query.pages import Position
from api.query.parameters import Category, CommitSelectionQuery, Day, Filter, Id, OrderBy, PageQuery
from api.query.periods import refuse_backwards
from api.read.alignment.issues import linked, visible_issue
from api.read.alignment.objectives import visible_objective
from api.read.commits.commits import COLUMNS, CommitSelection, commit_order, commit_page
from api.read.commits.explanation import commit_files, one_commit, row_number_of
from api.read.commits.hashes import MIN_DIGITS, commit_id, spelled, unknown_commit
from api.read.commits.shapes import Commit, CommitFile, ExplainedCommit
from api.read.entities import DEVELOPERS, REPOSITORIES, TEAMS
from api.read.ids import visible_ids, with_current_ids
from api.read.teams import with_sub_teams
from api.shapes import Page
from api.snapshot.build import Build

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


class CommitQuery(CommitSelectionQuery):
    """Parameters of the list of commits."""

    category: list[Category] = Field(
        [], max_length=5, description="Main categories. Repeat the parameter for several."
    )
    start_date: Day | None = Field(
        None, description="First day of delivery, in the organization's time zone."
    )
    end_date: Day | None = Field(None, description="Last day of delivery, included.")
    ai_assisted: bool | None = Field(
        None, description="true: only commits with evidence of AI assistance; false: only commits without."
    )
    counted: bool | None = Field(
        None,
        description="true: only counted commits; false: only commits that do not count (see `zeroReason`).",
    )
    aligned: bool | None = Field(
        None,
        description="true: only commits that belong to an issue of a tracker; false: only unaligned ones (see "
        "`alignmentReason`).",
    )
    issue: Id | None = Field(None, description="Id of an issue: only its commits.")
    objective: Id | None = Field(
        None, description="Id of an objective or sub-objective: only commits that reach it or one below it."
    )
    search: str = Field(
        "", max_length=200, description="Part of the subject (case-insensitive), or start of the SHA."
    )
    filter: Filter = ""
    order_by: OrderBy = ""


class CommitPage(Page):
    """A page of commits."""

    commits: list[Commit]


class FilePage(Page):
    """A page of file changes of one commit."""

    files: list[CommitFile]


@router.get("", summary="Commits", operation_id="listCommits", response_model=CommitPage)
async def list_commits(
    viewer: Viewer, query: Annotated[CommitQuery, Query()], request: Request, reads: ReadService
) -> Response:
    """Commits of the organization. Default order: newest delivery first, undelivered commits last."""
    refuse_backwards(query.start_date, query.end_date)
    viewer.refuse_closed("commits_by_time")
    terms = commit_order(viewer, query.order_by)
    condition = parse_filter(query.filter, COLUMNS)
    digest = query.digest("commits", viewer.key)

    def read(build: Build, position: Position | None) -> dict[str, Any]:
        selection = CommitSelection(
            repositories=visible_ids(build, viewer, REPOSITORIES, query.repository),
            developers=visible_ids(build, viewer, DEVELOPERS, query.developer),
            teams=with_sub_teams(build, viewer, visible_ids(build, viewer, TEAMS, query.team)),
            categories=tuple(query.category),
            first_day=query.start_date,
            last_day=query.end_date,
            is_ai_assisted=query.ai_assisted,
            is_counted=query.counted,
            is_aligned=query.aligned,
            linked=_linked(build, viewer, query),
            search=query.search,
        )
        named = with_current_ids(build, condition)
        found = commit_page(build, viewer, selection, terms, named, query.limit, position)
        return {
            "commits": found.rows,
            "nextPageToken": reads.tokens.next(digest, build.id, found.next_values),
            "totalSize": found.total,
        }

    return await reads.answer(request, viewer, read, Continuation(query.page_token, digest))


def _linked(build: Build, viewer: RowAccess, query: CommitQuery) -> tuple[Condition, ...]:
    """The conditions of an issue and of an objective. Raises the error of `RowAccess.unknown`."""
    found = []
    if query.issue is not None:
        found.append(linked(build, viewer, visible_issue(build, viewer, query.issue), and_parts=False))
    if query.objective is not None:
        objective = visible_objective(build, viewer, query.objective)
        found.append(linked(build, viewer, objective, and_parts=True))
    return tuple(found)


@router.get("/{commit}", summary="Explain a commit", operation_id="getCommit", response_model=ExplainedCommit)
async def get_commit(
    viewer: Viewer,
    commit: CommitPath,
    _: Annotated[NoQuery, Query()],
    request: Request,
    reads: ReadService,
) -> Response:
    """A commit with the explanation of its score: files, line classes with weights and factors, credits, AI
    evidence, and the issues to which it belongs, each with the chain up to its objective.

    For a very large commit, the answer has the first thousand files by path. `fileTotal` is the number of all files;
    `…/files` lists them page by page.
    """

    def read(build: Build, _position: Position | None) -> dict[str, Any]:
        found = one_commit(build, viewer, commit_id(build, viewer, commit))
        if found is None:
            raise unknown_commit(viewer, commit)
        return found

    return await reads.answer(request, viewer, read)


@router.get(
    "/{commit}/files", summary="Files of one commit", operation_id="listCommitFiles", response_model=FilePage
)
async def list_commit_files(
    viewer: Viewer,
    commit: CommitPath,
    query: Annotated[PageQuery, Query()],
    request: Request,
    reads: ReadService,
) -> Response:
    """File changes of a commit by path, each with its line classes and factors."""
    digest = query.digest(f"commits/{spelled(commit)}/files", viewer.key)

    def read(build: Build, position: Position | None) -> dict[str, Any]:
        wanted = commit_id(build, viewer, commit)
        found = commit_files(build, viewer, wanted, query.limit, position)
        if found.total == 0 and row_number_of(build, viewer, wanted) is None:
            raise unknown_commit(viewer, commit)
        return {
            "files": found.rows,
            "nextPageToken": reads.tokens.next(digest, build.id, found.next_values),
            "totalSize": found.total,
        }

    return await reads.answer(request, viewer, read, Continuation(query.page_token, digest))
