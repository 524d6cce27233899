"""`/organizations/{organization}/movements`: changes of ETV since the period before."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import Viewer
from api.http.parameters import Queried
from api.read.figures import movements
from api.read.figures.movements import Movement, MovementQuery
from api.shapes import page_of
from api.v1.answers import answer_page

router = APIRouter(prefix="/organizations/{organization}/movements", tags=["movements"])


MovementPage = page_of("MovementPage", "A page of movements.", movements=Movement)


@router.get("", summary="Changes of ETV", response_model=MovementPage)
async def list_movements(viewer: Viewer, query: Queried[MovementQuery], request: Request) -> Response:
    """ETV of each period compared with the period before, newest first. The difference has five parts: number of
    changes, size of changes, mix of categories, rework, and value per point.

    The parts are computed with logarithmic means. They add up to the difference and do not depend on the order of the
    factors.
    """
    return await answer_page(request, viewer, query, "movements", movements.list_movements)
