"""`/organizations/{organization}/capex`: the report as JSON, CSV, XLSX or Parquet."""

from datetime import date
from functools import partial
from typing import Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response, StreamingResponse

from api.access.row_access import RowAccess
from api.callers.dependencies import Viewer
from api.control.capex import locks as capex_locks
from api.errors import InvalidArgument
from api.exports.tables import MEDIA_TYPES, write
from api.http.parameters import Queried
from api.http.responses import attachment
from api.query.columns import Column, Kind
from api.query.parameters import Format
from api.read.capex import report
from api.read.capex.months import CapexMonth
from api.read.capex.report import COLUMNS, CapexQuery, CapexRow, shown_row
from api.services import services
from api.shapes import Page
from api.v1.answers import answer_page
from api.v1.control_lists import answer_list
from api.v1.files import answer_file, file_responses, format_of

router = APIRouter(prefix="/organizations/{organization}/capex", tags=["capex"])


class CapexPage(Page):
    """A page of the report."""

    rows: list[CapexRow]
    months: list[CapexMonth] | None = Field(
        description="Sums of the selected rows by month, oldest first, over all pages. Null with `version=LOCKED`."
    )


FILES = file_responses("The report.")


@router.get("", summary="CapEx report", response_model=CapexPage, responses=FILES)
async def list_capex(viewer: Viewer, query: Queried[CapexQuery], request: Request) -> Response:
    """One row per developer and month, by month and name. `includeDrafts` adds the current month.

    A team lead sees a row when they lead the developer's team of that month and the developer delivered no work for
    other teams. In an organization that hides individual figures, the answer is PERMISSION_DENIED; `…/me/capex` has
    your own rows.

    With `version=LOCKED`, the answer has the signed rows of closed months, by month and developer. `filter` and
    `orderBy` then get an error.
    """
    # Refused before anything is sent of a file.
    viewer.refuse_closed("capex")
    kind = format_of(query)
    if query.version == "LOCKED":
        return await _signed(viewer, query, kind, request)
    if kind is Format.JSON:
        return await answer_page(request, viewer, query, "rows", report.list_capex, resource="capex")
    return await answer_file(
        request,
        viewer,
        kind,
        COLUMNS,
        lambda build: report.capex_batches(build, viewer, query),
        _named("capex", query),
    )


def _named(kind: str, query: CapexQuery) -> str:
    """The name of a file with its months, without its ending."""
    days = [f"{day:%Y-%m}" for day in (query.start_date, query.end_date) if day is not None]
    return "-".join([kind, *dict.fromkeys(days)])


async def _signed(viewer: RowAccess, query: CapexQuery, kind: Format, request: Request) -> Response:
    """The rows of the signed figures of closed months, from the control database."""
    viewer.refuse_unless_whole("the signed figures of closed months")
    for name, given in (("filter", query.filter), ("orderBy", query.order_by)):
        if given:
            raise InvalidArgument(
                name, "version=LOCKED always lists all rows by month and developer; omit it"
            )
    organization, (first, last) = viewer.organization_id, report.months(query)
    if kind is Format.JSON:
        find = partial(capex_locks.list_signed, first=first, last=last)
        bound_to = f"capex LOCKED {viewer.key}"
        more = {"months": None}
        return await answer_list(
            request, organization, query, "rows", find, shown_row, bound_to=bound_to, more=more
        )
    rows = await run_sync(capex_locks.signed_rows, services(request).store, organization, first, last)
    batch = [[_typed(column, row.get(column.sql)) for column in COLUMNS.values()] for row in rows]
    return StreamingResponse(
        write(kind, COLUMNS, [batch]),
        headers=attachment(f"{_named('capex-locked', query)}.{kind.lower()}"),
        media_type=MEDIA_TYPES[kind],
    )


def _typed(column: Column, value: Any) -> Any:
    if column.kind is Kind.MICRO:
        return value / 1e6
    return date.fromisoformat(value) if column.kind is Kind.DATE else value
