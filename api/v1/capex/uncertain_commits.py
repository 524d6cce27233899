"""`/organizations/{organization}/capex/uncertainCommits`: commits whose category a person should confirm."""

from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import ReadService, Viewer
from api.http.paging import PageQuery
from api.http.parameters import Day, Id
from api.http.responses import Continuation
from api.query.pages import Position
from api.query.periods import refuse_backwards
from api.read.capex.report import CapexSelection
from api.read.capex.uncertain_commits import UncertainSelection, uncertain_page
from api.read.figures.entities import visible_ids
from api.read.figures.figures import DEVELOPERS, REPOSITORIES, TEAMS
from api.read.teams import with_sub_teams
from api.shapes import Page, Shape
from api.snapshot.builds import Build
from api.v1.commits.shapes import CategoryName

router = APIRouter(prefix="/organizations/{organization}/capex/uncertainCommits", tags=["capex"])

# As many as somebody confirms in one sitting …
DEFAULT_PAGE_SIZE = 10
# … and as many as are still read one by one.
MAX_PAGE_SIZE = 100

PageSize = Annotated[
    int,
    Field(
        ge=0,
        le=2**31 - 1,
        description=f"Items per page; 0 means {DEFAULT_PAGE_SIZE}, more than {MAX_PAGE_SIZE} is "
        f"taken as {MAX_PAGE_SIZE}.",
        examples=[DEFAULT_PAGE_SIZE],
    ),
]


class UncertainQuery(PageQuery):
    """Parameters of the list."""

    page_size: PageSize = DEFAULT_PAGE_SIZE
    repository: list[Id] = Field(
        [], max_length=50, description="Ids of repositories. Repeat the parameter for several."
    )
    developer: list[Id] = Field(
        [], max_length=50, description="Ids of the authors. Repeat the parameter for several."
    )
    team: list[Id] = Field(
        [],
        max_length=50,
        description="Ids of teams, each including its sub-teams in the current tree: commits whose "
        "authors were in one of these teams on the day of writing. Repeat the parameter "
        "for several.",
    )
    start_date: Day | None = Field(None, description="The list starts with the month of this day.")
    end_date: Day | None = Field(None, description="The list ends with the month of this day.")
    include_drafts: bool = Field(False, description="Include the current month.")

    @property
    def limit(self) -> int:
        """Items on this page."""
        return min(self.page_size or DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)


class UncertainCommit(Shape):
    """A commit whose category the model decides, with the CapEx under each category."""

    commit_id: str
    commit_sha: str
    subject: str
    repository_id: str
    repository_name: str
    developer_id: str = Field(description="The author.")
    developer_name: str
    month: date = Field(description="First day of the month of delivery.", examples=["2026-10-01"])
    is_draft: bool
    effort: float = Field(description="Approximate hours of all its people.")
    capitalizable_effort: float = Field(description="As reported.")
    deviation: float = Field(
        description="Standard deviation of the capitalizable effort, which a confirmation removes."
    )
    category: CategoryName = Field(description="The category from the model.")
    evidence: str = Field(description="The evidence with the largest weight.")
    features_probability: float = Field(ge=0, le=1)
    maintenance_probability: float = Field(ge=0, le=1)
    fixes_probability: float = Field(ge=0, le=1)
    features_capitalizable_effort: float = Field(
        description="The capitalizable effort if it were a feature, under the policy of the month."
    )
    maintenance_capitalizable_effort: float = Field(description="The same for maintenance.")
    fixes_capitalizable_effort: float = Field(description="The same for a fix.")
    categorize_path: str = Field(
        description="POST the category to this path, also to confirm the present one. The commit is "
        "certain from the next build on.",
        examples=["/api/v1/organizations/local/commits/3c2f8a59-5a0e-5a3f-8a55-90c1c0ac35e2:categorize"],
    )


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
    """Commits with the most influence on the interval of the CapEx report, largest standard deviation first.

    Months as in the report: completed ones only unless drafts are requested. Commits with a manual category
    (`…/commits/{commit}:categorize`) or with a decisive declared type are not listed.
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
