"""`/organizations/{organization}/aiSpend/reconciliation`: telemetry of AI tools beside the reports of vendors."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import Viewer
from api.http.parameters import Queried
from api.read.ai_usage import reconciliation
from api.read.ai_usage.reconciliation import AiSpendReconciliationQuery
from api.read.ai_usage.shapes import AiSpendReconciliationRow
from api.shapes import Days, Page
from api.v1.files import Listed, answer_list, file_responses

RECONCILIATION = Listed(
    "reconciliation",
    reconciliation.RECONCILIATION.columns,
    reconciliation.list_reconciliation,
    reconciliation.reconciliation_batches,
)
router = APIRouter(prefix="/organizations/{organization}/aiSpend/reconciliation", tags=["aiUsage"])


class AiSpendReconciliationPage(Page, Days):
    """A page of telemetry beside the reports of vendors."""

    reconciliation: list[AiSpendReconciliationRow]


@router.get(
    "",
    summary="AI spend: telemetry and vendors",
    response_model=AiSpendReconciliationPage,
    responses=file_responses("The list."),
)
async def list_ai_spend_reconciliation(
    viewer: Viewer, query: Queried[AiSpendReconciliationQuery], request: Request
) -> Response:
    """Tokens that AI tools reported themselves beside those that their vendors report, both at the same prices, by
    tool, by tool and developer, or by tool, developer and day. Default order: where the vendor reports most more.

    Only tools that both report have rows, from the first day of both to the last day of the vendor. With a minimum
    group size, the list is closed.
    """
    return await answer_list(
        request, viewer, query, RECONCILIATION, f"ai-spend-reconciliation-{query.group_by.lower()}"
    )
