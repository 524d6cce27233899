"""`/organizations/{organization}/capex/uncertainCommits`: commits whose category a person should confirm."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import Viewer
from api.http.parameters import Queried
from api.read.capex import uncertain_commits
from api.read.capex.uncertain_commits import UncertainCommit, UncertainQuery
from api.shapes import page_of
from api.v1.answers import answer_page

router = APIRouter(prefix="/organizations/{organization}/capex/uncertainCommits", tags=["capex"])


UncertainCommitPage = page_of("UncertainCommitPage", "A page of the list.", uncertain_commits=UncertainCommit)


@router.get("", summary="Commits to confirm", response_model=UncertainCommitPage)
async def list_uncertain_commits(
    viewer: Viewer, query: Queried[UncertainQuery], request: Request
) -> Response:
    """Commits with an uncertain category. The first one widens the interval of the CapEx report most: the order is by
    standard deviation, largest first.

    `includeDrafts` adds the current month. The list leaves out commits with a manual category
    (`…/commits/{commit}:categorize`), and commits with a declared type, such as `fix:`, that decides the category.
    """
    return await answer_page(
        request, viewer, query, "uncertainCommits", uncertain_commits.list_uncertain_commits
    )
