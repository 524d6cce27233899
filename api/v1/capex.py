"""`/organizations/{organization}/capex`: the report as JSON, CSV, XLSX or Parquet."""

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any

import pyarrow as pa
from fastapi import APIRouter, Query, Request
from pydantic import AfterValidator, Field
from starlette.responses import Response

from api.deps import ReadService, Viewer
from api.errors import InvalidArgument
from api.exports.tables import MEDIA_TYPES, Format, write
from api.paging import PageQuery, Position
from api.read.capex import BY_MONTH, COLUMNS, UNIQUE, CapexSelection, condition, source
from api.read.columns import Kind, select_list
from api.read.filtering import parse_filter
from api.read.ordering import both, order_sql, parse_order
from api.read.pages import page
from api.responses import Continuation
from api.v1.parameters import Day, Filter, OrderBy, enum_name
from api.v1.shapes import Page, Shape
from api.warehouse import Build

router = APIRouter(prefix="/organizations/{organization}/capex", tags=["capex"])

ARROW = {
    Kind.TEXT: pa.string(),
    Kind.DATE: pa.date32(),
    Kind.NUMBER: pa.float64(),
    Kind.MICRO: pa.float64(),
    Kind.INTEGER: pa.int64(),
    Kind.FLAG: pa.bool_(),
}


class CapexQuery(PageQuery):
    """Parameters of the report."""

    start_date: Day | None = Field(None, description="The report starts with the month of this day.")
    end_date: Day | None = Field(None, description="The report ends with the month of this day.")
    include_drafts: bool = Field(False, description="Also months that are not over yet.")
    format: Annotated[
        str,
        AfterValidator(enum_name(tuple(Format))),
        Field(
            json_schema_extra={"enum": list(Format)},
            description="JSON is paged; the others are one file with every selected row.",
        ),
    ] = "JSON"
    filter: Filter = ""
    order_by: OrderBy = ""


class CapexRow(Shape):
    """Capitalized development effort of a developer in a month."""

    organization_id: str
    month: date = Field(description="First day of the month.", examples=["2026-10-01"])
    developer_id: str
    developer_name: str
    primary_email: str | None
    role: str | None
    seniority: str | None
    team: str | None
    hours: float = Field(description="Working hours of the month, less absences.")
    capex_percent: float | None = Field(description="0–100; null without output.")
    capex_hours: float | None
    opex_hours: float | None
    etv: float
    capitalizable_etv: float
    effort: float
    capitalizable_effort: float
    commits: int
    dates_inferred: bool = Field(
        description="Joining and leaving dates are unknown; months with delivery only."
    )
    is_draft: bool
    policy_version: str
    calculation_version: str


class CapexPage(Page):
    """A page of the report."""

    rows: list[CapexRow]


FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The report. Text that a spreadsheet would run starts with an apostrophe in CSV and XLSX.",
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
    """One row per developer and month, by month and name; completed months only unless drafts are asked for."""
    if query.start_date and query.end_date and query.end_date < query.start_date:
        raise InvalidArgument("endDate", f"{query.end_date} is before startDate {query.start_date}")
    selected = both(
        condition(CapexSelection(query.start_date, query.end_date, query.include_drafts)),
        parse_filter(query.filter, COLUMNS),
    )
    terms = parse_order(query.order_by, COLUMNS, BY_MONTH, *UNIQUE)
    kind = Format(query.format)
    if kind is not Format.JSON:
        if query.page_token:
            raise InvalidArgument("pageToken", f"a {kind} file is not paged; ask without it")

        def export(build: Build) -> Iterator[bytes]:
            rows = build.batches(
                f"select {select_list(COLUMNS.values())} from {source(viewer).sql} where {selected.sql} "
                f"order by {order_sql(terms)}",
                selected.parameters,
            )
            names = [column.name for column in COLUMNS.values()]
            return write(kind, names, [ARROW[column.kind] for column in COLUMNS.values()], rows)

        months = [f"{day:%Y-%m}" for day in (query.start_date, query.end_date) if day is not None]
        name = "-".join(["capex", *months])
        return await reads.stream(request, viewer, export, MEDIA_TYPES[kind], f"{name}.{kind.lower()}")

    digest = query.digest("capex", viewer.key)

    def read(build: Build, position: Position | None) -> dict[str, Any]:
        found = page(
            build,
            source=source(viewer),
            shown=COLUMNS.values(),
            condition=selected,
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
