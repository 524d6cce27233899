"""`/organizations`: what the key gives access to."""

from collections.abc import Callable
from datetime import date, datetime
from typing import Annotated, Any, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import JSONResponse, Response

from api.control.store import OrganizationRecord
from api.deps import Authenticated, ReadService, Viewer, services
from api.errors import FailedPrecondition, InvalidArgument
from api.paging import PageQuery
from api.read.organizations import COLUMNS, analysed
from api.read.scope import Scope
from api.responses import Reads
from api.v1.parameters import NoQuery
from api.v1.shapes import Page, Shape

router = APIRouter(prefix="/organizations", tags=["organizations"])


class Organization(Shape):
    """An organization. What the analysis found is null before the first publish."""

    id: str = Field(examples=["0190d3b0-0000-7000-8000-000000000001"])
    name: str = Field(examples=["Acme"])
    slug: str = Field(description="Unique address.", examples=["acme"])
    time_zone: str = Field(description="IANA zone in which periods are cut.", examples=["Europe/Berlin"])
    work_category_grouping: Literal["FIVE", "THREE", "TWO"]
    created_at: datetime
    as_of: datetime | None = Field(description="Instant up to which the newest build judges.")
    first_delivered_on: date | None
    last_delivered_on: date | None
    last_complete_week_start: date | None = Field(description="Monday of the last completed ISO week.")
    last_complete_month_start: date | None
    calculation_version: str | None = Field(examples=["0.1.0"])


class OrganizationPage(Page):
    """Organizations of the caller."""

    organizations: list[Organization]


@router.get(
    "",
    summary="Organizations of the caller",
    operation_id="listOrganizations",
    response_model=OrganizationPage,
)
async def list_organizations(
    caller: Authenticated, page: Annotated[PageQuery, Query()], request: Request, reads: ReadService
) -> Response:
    """An API key belongs to one organization, so there is one."""
    if page.page_token:
        raise InvalidArgument("pageToken", "not a token of this query; all organizations fit on one page")
    return await _answer(
        request,
        reads,
        Scope(caller.organization_id),
        lambda shown: {"organizations": [shown], "nextPageToken": "", "totalSize": 1},
    )


@router.get(
    "/{organization}",
    summary="One organization",
    operation_id="getOrganization",
    response_model=Organization,
)
async def get_organization(
    viewer: Viewer, _: Annotated[NoQuery, Query()], request: Request, reads: ReadService
) -> Response:
    """Settings of the organization and what its newest build covers."""
    return await _answer(request, reads, viewer, lambda shown: shown)


async def _answer(
    request: Request, reads: Reads, scope: Scope, shape: Callable[[dict[str, Any]], dict[str, Any]]
) -> Response:
    record = await run_sync(services(request).store.organization, scope.organization_id)
    try:
        return await reads.answer(
            request,
            scope,
            lambda build, _: shape(_shown(record) | analysed(build, scope)),
            varies=repr(record),
        )
    except FailedPrecondition:
        return JSONResponse(shape(_shown(record) | dict.fromkeys(COLUMNS)))


def _shown(record: OrganizationRecord) -> dict[str, Any]:
    return {
        "id": record.id,
        "name": record.name,
        "slug": record.slug,
        "timeZone": record.time_zone,
        "workCategoryGrouping": record.work_category_grouping.upper(),
        "createdAt": record.created_at.isoformat().replace("+00:00", "Z"),
    }
