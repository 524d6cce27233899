"""`/organizations/{organization}/auditEntries`: the audit log as JSON or CSV."""

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response, StreamingResponse

from api.callers.dependencies import AuditReader
from api.control import audit
from api.control.audit import Selection
from api.control.store import ControlStore
from api.errors import InvalidArgument
from api.exports.tables import MEDIA_TYPES, write_csv
from api.http.parameters import Queried
from api.http.responses import attachment, begun
from api.http.values import Instant
from api.query.columns import camel
from api.query.parameters import ControlQuery, Format, OneOf
from api.query.records import shown
from api.services import services
from api.shapes import Shape, page_of
from api.v1.control_lists import answer_list

router = APIRouter(prefix="/organizations/{organization}/auditEntries", tags=["auditEntries"])

Word = Annotated[str | None, Field(max_length=254)]


class AuditQuery(ControlQuery):
    """The requested entries and their format."""

    actor: Word = Field(
        None,
        description="Id, name or address of the author. An unknown author gives no entries.",
        examples=["ada@example.org"],
    )
    action: Word = Field(None, description="Only entries with this action.", examples=["members.changeRole"])
    target_kind: Word = Field(None, description="The kind of the changed object.", examples=["member"])
    target: Word = Field(
        None,
        description="Id of the changed object, which may be deleted by now. An id without entries gives an "
        "empty list, not 404.",
    )
    start_time: Instant | None = Field(None, description="Start of the range, included.")
    end_time: Instant | None = Field(None, description="End of the range, not included.")
    format: Annotated[str, OneOf("JSON", "CSV")] = Field(
        "JSON", description="JSON is paged. CSV is one file with all selected entries, newest first."
    )


class AuditEntry(Shape):
    """One change."""

    id: str
    at: datetime
    actor_kind: Literal["ACCOUNT", "TOKEN", "OPERATOR", "ROOT", "BILLING", "DIRECTORY"] = Field(
        description="The kind of the author of the change. ROOT: a root login, whose name has its issuer, its id and "
        "whose key signed it. BILLING: an event of the payment system. DIRECTORY: a directory, by the "
        "name of its SCIM token."
    )
    actor_id: str | None = Field(description="Id of the account, API key, root login or SCIM token.")
    actor_name: str = Field(examples=["ada@example.org"])
    action: str = Field(examples=["members.changeRole"])
    target_kind: str = Field(examples=["member"])
    target_id: str
    target_name: str = Field(examples=["grace@example.org"])
    before: dict[str, Any] | None = Field(
        examples=[{"role": "member"}], description="The values before the change."
    )
    after: dict[str, Any] | None = Field(
        examples=[{"role": "admin"}], description="The values after the change."
    )


# What the file shows of an entry.
COLUMNS = tuple(camel(name) for name in AuditEntry.model_fields if name != "id")


AuditPage = page_of("AuditPage", "A page of the log.", audit_entries=AuditEntry)


FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The log. In CSV, text that a spreadsheet would run as a formula starts with an "
        "apostrophe.",
        "content": {"text/csv": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.get("", summary="Audit log", response_model=AuditPage, responses=FILES)
async def list_audit_entries(reader: AuditReader, query: Queried[AuditQuery], request: Request) -> Response:
    """All administrative changes with author, time, and the values before and after, newest first. Sortable by at."""
    app = services(request)
    selection = Selection(
        query.actor, query.action, query.target_kind, query.target, query.start_time, query.end_time
    )
    if query.format == Format.CSV:
        if query.page_token or query.order_by:
            raise InvalidArgument(
                "format", "a CSV file is neither paged nor sorted; omit pageToken and orderBy"
            )
        rows = _rows(app.store, reader.organization_id, selection)
        content = await begun(write_csv(COLUMNS, rows))
        return StreamingResponse(
            content, headers=attachment("audit-log.csv"), media_type=MEDIA_TYPES[Format.CSV]
        )
    find = partial(audit.list_entries, selection=selection)
    return await answer_list(request, reader.organization_id, query, "auditEntries", find, AuditEntry)


def _rows(store: ControlStore, organization_id: str, selection: Selection) -> Iterator[list[list[Any]]]:
    for batch in audit.every_entry(store, organization_id, selection):
        yield [[_cell(row[field]) for field in COLUMNS] for row in (shown(AuditEntry, one) for one in batch)]


def _cell(value: Any) -> Any:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode() if isinstance(value, dict) else value
