"""`/organizations/{organization}/aiSpend`: what usage of AI tools costs."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import Viewer
from api.http.parameters import Queried
from api.read.ai_usage import spend
from api.read.ai_usage.shapes import AiSpendRow
from api.read.ai_usage.spend import AiSpendQuery
from api.shapes import Days, Page
from api.v1.files import Listed, answer_list, file_responses

SPEND = Listed("aiSpend", spend.SPEND.columns, spend.list_spend, spend.spend_batches)
router = APIRouter(prefix="/organizations/{organization}/aiSpend", tags=["aiUsage"])


class AiSpendPage(Page, Days):
    """A page of AI spend."""

    ai_spend: list[AiSpendRow]


@router.get("", summary="AI spend", response_model=AiSpendPage, responses=file_responses("The list."))
async def list_ai_spend(viewer: Viewer, query: Queried[AiSpendQuery], request: Request) -> Response:
    """Cost, tokens and activity of AI tools over a range of days, by tool, model, developer, team, week or month, with
    the ETV of the same people or days. Default order: highest cost first.

    One source counts for each tool, person and day. Days are those of the vendors (UTC). With a minimum group size,
    the list has teams (`groupBy=TEAM`, each with all teams below) and complete months (`groupBy=MONTH`), and hides
    those in which too few people used a tool.
    """
    return await answer_list(request, viewer, query, SPEND, f"ai-spend-{query.group_by.lower()}")
