"""`/organizations/{organization}/capex/uncertainCommits`: commits whose category a person should confirm."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import ReadService, Viewer
from api.http.responses import Continuation
from api.query.pages import Position
from api.query.parameters import CommitSelectionQuery, Day
from api.query.periods import refuse_backwards
from api.read.capex.report import CapexSelection
from api.read.capex.uncertain_commits import UncertainCommit, UncertainSelection, uncertain_page
from api.read.entities import DEVELOPERS, REPOSITORIES, TEAMS
from api.read.ids import visible_ids, with_sub_teams
from api.shapes import Page
from api.snapshot.build import Build

router = APIRouter(prefix="/organizations/{organization}/capex/uncertainCommits", tags=["capex"])

# A number that a person can confirm at once.
DEFAULT_PAGE_SIZE = 10
# The largest number that people read one by one.
MAX_PAGE_SIZE = 100

PageSize = Annotated[
    int,
    Field(
        ge=0,
        le=2**31 - 1,
        description=f"Items per page. 0 means {DEFAULT_PAGE_SIZE}; values above {MAX_PAGE_SIZE} mean {MAX_PAGE_SIZE}.",
        examples=[DEFAULT_PAGE_SIZE],
    ),
]


class UncertainQuery(CommitSelectionQuery):
    """Parameters of the list."""

    page_size: PageSize = DEFAULT_PAGE_SIZE
    start_date: Day | None = Field(None, description="The list starts with the month of this day.")
    end_date: Day | None = Field(None, description="The list ends with the month of this day.")
    include_drafts: bool = Field(False, description="Include the current month.")

    @property
    def limit(self) -> int:
        """Items on this page."""
        return min(self.page_size or DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)


class UncertainCommitPage(Page):
    """A page of the list."""

    uncertain_commits: list[UncertainCommit]


@router.get(
    "",
    summary="Commits to confirm",
    operation_id="listUncertainCommits",
    response_model=UncertainCommitPage,
)
async def list_uncertain_commits(
    viewer: Viewer, query: Annotated[UncertainQuery, Query()], request: Request, reads: ReadService
) -> Response:
    """Commits with an uncertain category. The first one widens the interval of the CapEx report most: the order is by
    standard deviation, largest first.

    `includeDrafts` adds the current month. The list leaves out commits with a manual category
    (`…/commits/{commit}:categorize`), and commits with a declared type, such as `fix:`, that decides the category.
    """
    refuse_backwards(query.start_date, query.end_date)
    viewer.refuse_closed("uncertain_commits")
    digest = query.digest("uncertainCommits", viewer.key)

    def read(build: Build, position: Position | None) -> dict[str, Any]:
        selection = UncertainSelection(
            CapexSelection(query.start_date, query.end_date, query.include_drafts),
            repositories=visible_ids(build, viewer, REPOSITORIES, query.repository),
            developers=visible_ids(build, viewer, DEVELOPERS, query.developer),
            teams=with_sub_teams(build, viewer, visible_ids(build, viewer, TEAMS, query.team)),
        )
        found = uncertain_page(build, viewer, selection, query.limit, position)
        return {
            "uncertainCommits": found.rows,
            "nextPageToken": reads.tokens.next(digest, build.id, found.next_values),
            "totalSize": found.total,
        }

    return await reads.answer(request, viewer, read, Continuation(query.page_token, digest))
