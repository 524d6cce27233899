"""`/organizations/{organization}/aiSpend/work`: what AI tools cost by the work for which they were used."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import Viewer
from api.http.parameters import Queried
from api.read.ai_usage import work
from api.read.ai_usage.shapes import AiSpendWorkRow
from api.read.ai_usage.work import AiSpendWorkQuery
from api.shapes import Days, Page
from api.v1.files import Listed, answer_list, file_responses

WORK = Listed("work", work.WORK.columns, work.list_work, work.work_batches)
router = APIRouter(prefix="/organizations/{organization}/aiSpend/work", tags=["aiUsage"])


class AiSpendWorkPage(Page, Days):
    """A page of AI spend by work."""

    work: list[AiSpendWorkRow]


@router.get(
    "", summary="AI spend: by work", response_model=AiSpendWorkPage, responses=file_responses("The list.")
)
async def list_ai_spend_work(viewer: Viewer, query: Queried[AiSpendWorkQuery], request: Request) -> Response:
    """Cost of AI tools by commit, pull request, issue, objective or repository, with the ETV of the commits. Default
    order: highest cost first.

    Usage is linked to commits that its session names, else to those that the person wrote on the day or soon after;
    commits of one day share the cost equally, and so do issues of one commit. All cost that reaches none has a row of
    its own for each currency. Days are those of the usage (UTC). With a minimum group size, the list is closed.
    """
    return await answer_list(
        request, viewer, query, WORK, f"ai-spend-by-{query.group_by.lower().replace('_', '-')}"
    )
