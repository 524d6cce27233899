"""`/organizations/{organization}/capexLocks` and `/capexRestatements`: closed months and their later changes."""

from datetime import date, datetime
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from pydantic import Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import CapexControlReader, CapexManager
from api.control.capex import locks as capex_locks
from api.control.capex import restatements as capex_restatements
from api.control.capex.locks import MAX_NOTE_LENGTH
from api.control.models import CapexRestatement as Restated
from api.http.parameters import NoQuery, PagedQuery, Queried
from api.query.parameters import ControlQuery, Day
from api.query.records import shown
from api.read.capex.report import COLUMNS, rows_to_sign, shown_row
from api.services import services
from api.shapes import Empty, Shape, page_of
from api.v1.answers import answer_change
from api.v1.control_lists import answer_list

locks = APIRouter(prefix="/organizations/{organization}/capexLocks", tags=["capex"])
restatements = APIRouter(prefix="/organizations/{organization}/capexRestatements", tags=["capex"])

Month = Annotated[Day, Field(description="First day of the month.", examples=["2026-09-01"])]


class NewLock(Shape):
    """A month to close."""

    month: Month
    note: str = Field("", max_length=MAX_NOTE_LENGTH, examples=["Signed by finance."])


class Unlock(Shape):
    """The reason for reopening a closed month."""

    reason: str = Field(max_length=MAX_NOTE_LENGTH, examples=["Closed by mistake."])


class CapexLock(Shape):
    """A closed month. The report with `version=LOCKED` has its signed figures."""

    month: date
    build_id: str = Field(description="The build with the signed figures.")
    note: str
    locked_by: str = Field(examples=["ada@example.org"])
    locked_at: datetime
    rows: int = Field(description="The number of signed rows.")
    restatements: int = Field(description="The number of restatements of the month so far.")


CapexLockPage = page_of("CapexLockPage", "A page of closed months.", capex_locks=CapexLock)


class Restatement(Shape):
    """A change of a row of a closed month by a later build."""

    id: str
    month: date = Field(description="First day of the closed month.")
    developer_id: str
    at: datetime
    build_id: str = Field(description="The build that changed the row.")
    before: dict[str, Any] | None = Field(
        description="The row before the change; null: the month had no such row."
    )
    after: dict[str, Any] | None = Field(
        description="The row after the change; null: the month no longer has such a row."
    )
    changed: list[str] = Field(description="The changed fields.", examples=[["capexHours", "opexHours"]])
    reasons: list[str] = Field(
        description="The changes that the build included, as possible causes.",
        examples=[["teams.update: Payments"]],
    )


RestatementPage = page_of("RestatementPage", "A page of restatements.", capex_restatements=Restatement)


class RestatementQuery(ControlQuery):
    """The requested restatements."""

    month: Day | None = Field(None, description="Only this month, by its first day.")


@locks.get("", summary="Closed months", response_model=CapexLockPage)
async def list_capex_locks(reader: CapexControlReader, query: PagedQuery, request: Request) -> Response:
    """Closed months, latest first. Sortable by month, lockedAt."""
    return await answer_list(
        request, reader.organization_id, query, "capexLocks", capex_locks.list_locks, CapexLock
    )


@locks.post("", summary="Close a month", response_model=CapexLock)
async def create_capex_lock(manager: CapexManager, body: NewLock, _: NoQuery, request: Request) -> Response:
    """Close a month: store the rows of its report as they are now as signed figures. The report continues to show
    current figures, and a restatement records every later difference with its reason.

    Answers FAILED_PRECONDITION while a change waits for a build or for the analysis of a repository (`…/operations`
    lists such changes; stopped and unreadable repositories do not block), and for a moment after a build was
    published.
    """
    app, access = services(request), RowAccess(manager.organization_id)
    build_id, rows = await app.reads.value(
        access, lambda build: (build.id, rows_to_sign(build, access, body.month))
    )
    builds = app.reads.warehouse.of(access.organization_id)
    return await answer_change(
        request,
        manager,
        CapexLock,
        capex_locks.lock_month,
        body.month,
        rows,
        build_id,
        body.note,
        is_current=lambda: builds.is_current(build_id),
    )


@locks.post("/{month}:unlock", summary="Reopen a closed month", response_model=Empty)
async def unlock_capex_month(
    manager: CapexManager,
    month: Annotated[Day, Path(description="First day of the month.", examples=["2026-09-01"])],
    body: Unlock,
    _: NoQuery,
    request: Request,
) -> Response:
    """Delete the signed figures and restatements of the month. The audit log keeps their totals and the reason."""
    return await answer_change(request, manager, Empty, capex_locks.unlock_month, month, body.reason)


@restatements.get("", summary="Restatements", response_model=RestatementPage)
async def list_capex_restatements(
    reader: CapexControlReader, query: Queried[RestatementQuery], request: Request
) -> Response:
    """Rows of closed months that a later build changed, newest first, with old and new values and the reason.
    Sortable by at.
    """
    RowAccess.of(reader.organization_id, reader.visibility).refuse_unless_whole("restatements")
    find = partial(capex_restatements.list_restatements, month=query.month)
    return await answer_list(request, reader.organization_id, query, "capexRestatements", find, _restatement)


def _restatement(one: Restated) -> dict[str, Any]:
    before, after = one.before or {}, one.after or {}
    changed = [
        column.field
        for column in COLUMNS.values()
        if column.sql in capex_restatements.FIGURES and before.get(column.sql) != after.get(column.sql)
    ]
    return shown(
        Restatement,
        one,
        before=shown_row(one.before) if one.before is not None else None,
        after=shown_row(one.after) if one.after is not None else None,
        changed=changed,
    )
