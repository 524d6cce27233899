"""`/organizations/{organization}/capex`: the report as JSON, CSV, XLSX or Parquet."""

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any

import pyarrow as pa
from anyio.to_thread import run_sync
from fastapi import APIRouter, Query, Request
from pydantic import AfterValidator, Field
from starlette.responses import Response, StreamingResponse

from api.access.row_access import RowAccess
from api.callers.dependencies import ReadService, Viewer
from api.control.capex import locks as capex_locks
from api.errors import InvalidArgument
from api.exports.tables import MEDIA_TYPES, Format, write
from api.http.responses import Continuation
from api.query.columns import Column, Kind, select_list
from api.query.conditions import both
from api.query.filtering import parse_filter
from api.query.ordering import order_sql, parse_order
from api.query.pages import Position, page
from api.query.parameters import ControlQuery, Day, Filter, OrderBy, enum_name
from api.query.periods import Interval, refuse_backwards, start_of
from api.read.capex.report import (
    BY_MONTH,
    COLUMNS,
    UNIQUE,
    CapexRow,
    CapexSelection,
    condition,
    shown_row,
    source,
)
from api.read.ids import with_current_ids
from api.services import services
from api.shapes import Page
from api.snapshot.build import Build
from api.v1.control_lists import answer_list

router = APIRouter(prefix="/organizations/{organization}/capex", tags=["capex"])

VERSIONS = ("CURRENT", "LOCKED")
COLUMN_NAMES = tuple(column.name for column in COLUMNS.values())
ARROW = {
    Kind.TEXT: pa.string(),
    Kind.ID: pa.string(),
    Kind.DATE: pa.date32(),
    Kind.NUMBER: pa.float64(),
    Kind.MICRO: pa.float64(),
    Kind.INTEGER: pa.int64(),
    Kind.FLAG: pa.bool_(),
}


class CapexQuery(ControlQuery):
    """Parameters of the report."""

    start_date: Day | None = Field(None, description="The report starts with the month of this day.")
    end_date: Day | None = Field(None, description="The report ends with the month of this day.")
    version: Annotated[
        str,
        AfterValidator(enum_name(VERSIONS)),
        Field(
            json_schema_extra={"enum": list(VERSIONS)},
            description="LOCKED: only closed months, with the signed figures.",
        ),
    ] = "CURRENT"
    include_drafts: bool = Field(False, description="Include the current month.")
    format: Annotated[
        str,
        AfterValidator(enum_name(tuple(Format))),
        Field(
            json_schema_extra={"enum": list(Format)},
            description="JSON is paged. The other formats are one file with all selected rows.",
        ),
    ] = "JSON"
    filter: Filter = ""
    order_by: OrderBy = ""


class CapexPage(Page):
    """A page of the report."""

    rows: list[CapexRow]


FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The report. In CSV and XLSX, text that a spreadsheet would run as a formula starts with "
        "an apostrophe.",
        "content": {
            media_type.partition(";")[0]: {"schema": {"type": "string", "format": "binary"}}
            for media_type in MEDIA_TYPES.values()
        },
    }
}


@router.get("", summary="CapEx report", operation_id="listCapex", response_model=CapexPage, responses=FILES)
async def list_capex(
    viewer: Viewer, query: Annotated[CapexQuery, Query()], request: Request, reads: ReadService
) -> Response:
    """One row per developer and month, by month and name. `includeDrafts` adds the current month.

    A team lead sees a row when they lead the developer's team of that month and the developer delivered no work for
    other teams. In an organization that hides individual figures, the answer is PERMISSION_DENIED; `…/me/capex` has
    your own rows.

    With `version=LOCKED`, the answer has the signed rows of closed months, by month and developer. `filter` and
    `orderBy` then get an error.
    """
    refuse_backwards(query.start_date, query.end_date)
    # Refused before anything is sent of a file.
    viewer.refuse_closed("capex")
    if query.version == "LOCKED":
        viewer.refuse_unless_whole("the signed figures of closed months")
        return await _signed(viewer, query, request)
    selected = both(
        condition(CapexSelection(query.start_date, query.end_date, query.include_drafts)),
        parse_filter(query.filter, COLUMNS),
    )
    terms = parse_order(query.order_by, COLUMNS, BY_MONTH, *UNIQUE)
    kind = Format(query.format)
    if kind is not Format.JSON:
        if query.page_token:
            raise InvalidArgument("pageToken", f"a {kind} file is not paged; omit it")

        def export(build: Build) -> Iterator[bytes]:
            named = with_current_ids(build, selected)
            rows = build.batches(
                f"select {select_list(COLUMNS.values())} from {source(build, viewer).sql} where {named.sql} "
                f"order by {order_sql(terms)}",
                named.parameters,
            )
            return write(kind, COLUMN_NAMES, [ARROW[column.kind] for column in COLUMNS.values()], rows)

        months = [f"{day:%Y-%m}" for day in (query.start_date, query.end_date) if day is not None]
        name = "-".join(["capex", *months])
        return await reads.stream(request, viewer, export, MEDIA_TYPES[kind], f"{name}.{kind.lower()}")

    digest = query.digest("capex", viewer.key)

    def read(build: Build, position: Position | None) -> dict[str, Any]:
        found = page(
            build,
            source=source(build, viewer),
            shown=COLUMNS.values(),
            condition=with_current_ids(build, selected),
            terms=terms,
            limit=query.limit,
            position=position,
        )
        return {
            "rows": found.rows,
            "nextPageToken": reads.tokens.next(digest, build.id, found.next_values),
            "totalSize": found.total,
        }

    return await reads.answer(request, viewer, read, Continuation(query.page_token, digest))


async def _signed(viewer: RowAccess, query: CapexQuery, request: Request) -> Response:
    """The rows of the signed figures of closed months, from the control database."""
    viewer.refuse_unless_whole("closed months")
    for name, given in (("filter", query.filter), ("orderBy", query.order_by)):
        if given:
            raise InvalidArgument(
                name, "version=LOCKED always lists all rows by month and developer; omit it"
            )
    app = services(request)
    kind = Format(query.format)
    store, organization = app.store, viewer.organization_id
    first, last = (
        start_of(Interval.MONTH, day) if day else None for day in (query.start_date, query.end_date)
    )
    if kind is not Format.JSON:
        if query.page_token:
            raise InvalidArgument("pageToken", f"a {kind} file is not paged; omit it")
        rows = await run_sync(capex_locks.signed_rows, store, organization, first, last)
        batch = [[_typed(column, row.get(column.sql)) for column in COLUMNS.values()] for row in rows]
        names, types = COLUMN_NAMES, [ARROW[column.kind] for column in COLUMNS.values()]
        headers = {
            "Cache-Control": "no-store",
            "Vary": "Authorization",
            "Content-Disposition": f'attachment; filename="capex-locked.{kind.lower()}"',
            "X-Content-Type-Options": "nosniff",
        }
        content = write(kind, names, types, [batch])
        return StreamingResponse(content, headers=headers, media_type=MEDIA_TYPES[kind])
    return await answer_list(
        request, query, "rows", f"capex LOCKED {viewer.key}",
        lambda store, asked: capex_locks.list_signed(store, organization, first, last, asked),
        shown_row,
    )  # fmt: skip


def _typed(column: Column, value: Any) -> Any:
    if column.kind is Kind.MICRO:
        return value / 1e6
    return date.fromisoformat(value) if column.kind is Kind.DATE else value
