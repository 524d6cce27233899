"""`/organizations/{organization}/sourceHealth`: whether figures lack facts because connections fail."""

from datetime import datetime

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import SourceHealthReader
from api.control.connections import source_health
from api.http.parameters import NoQuery
from api.http.responses import private
from api.services import services
from api.shapes import Shape

router = APIRouter(prefix="/organizations/{organization}/sourceHealth", tags=["connections"])


class SourceHealth(Shape):
    """What figures lack because connections fail. It names no connection."""

    failing_connection_count: int = Field(
        description="Connections to Git hosts, issue trackers and AI tools that cannot be read. One that only waits "
        "for a limit of its provider does not count.",
        examples=[1],
    )
    missing_since: datetime | None = Field(
        description="The oldest last sync of these connections; of one that was never read whole, when it was added. "
        "Later facts can be missing. Null while none fails."
    )


@router.get("", summary="Health of sources", response_model=SourceHealth)
async def get_source_health(reader: SourceHealthReader, _: NoQuery, request: Request) -> Response:
    """How many connections fail and since when facts can be missing, for everybody who reads figures. Owners and admins
    mend connections.
    """
    found = await run_sync(source_health.source_health, services(request).store, reader.organization_id)
    return private(
        {
            "failingConnectionCount": found.failing_connection_count,
            "missingSince": found.missing_since,
        }
    )
