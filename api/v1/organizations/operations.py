"""`/organizations/{organization}/operations`: pending changes, and the build that includes each."""

import re
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import AfterValidator, Field
from starlette.responses import Response

from api.callers.access import Access
from api.callers.dependencies import OperationReader
from api.control.operations import operations
from api.control.operations.operations import OperationRecord, OperationState
from api.control.permissions import Permission
from api.http.parameters import NoQuery, Queried
from api.query.parameters import ControlQuery, OneOf
from api.query.records import shown
from api.shapes import Shape, page_of
from api.v1.answers import answer_record
from api.v1.control_lists import answer_list
from api.v1.paths import OperationPath

router = APIRouter(prefix="/organizations/{organization}/operations", tags=["operations"])

STATES = tuple(OperationState)
# Kinds with names that every reader of operations sees elsewhere too.
NAMED_TO_ALL = frozenset(
    {
        "team",
        "teamMembership",
        "repository",
        "organization",
        "member",
        "capexPolicy",
        "capexLock",
        "connection",
    }
)
FAILED = "The last run of the operation failed. Owners and admins see the reason."
FAILED_HERE = "The last run of the operation failed. The operator finds the reason in the log of the run."
STATEMENT = re.compile(
    r"\bselect\b.+\bfrom\b|\binsert\s+into\b|\bupdate\s+\S+\s+set\b|\bdelete\s+from\b|\b(create|alter|drop)\s+table\b",
    re.IGNORECASE,
)


class OperationQuery(ControlQuery):
    """The requested operations."""

    state: Annotated[
        str | None,
        AfterValidator(lambda value: value and OneOf(*STATES).checked(value)),
        Field(
            json_schema_extra={"enum": [*STATES]}, description="Only operations in this state. Default: all."
        ),
    ] = None


class Operation(Shape):
    """A change that a later build applies to the figures. The answer to the change names it in `X-Operation`."""

    id: str
    state: Literal["PENDING", "DONE", "FAILED"] = Field(
        description="PENDING: no build includes the change yet. FAILED: the last run failed; the service "
        "retries a few times, and after every other change."
    )
    position: int = Field(
        description="The sequence number of the change in the organization. A build includes all changes up "
        "to some number."
    )
    at: datetime
    action: str = Field(description="The action, by its name in the audit log.", examples=["teams.update"])
    target_kind: str = Field(examples=["team"])
    target_id: str
    target_name: str | None = Field(
        description="Name of the changed object. When it names a person, an address or a commit, only owners "
        "and admins see it.",
        examples=["Payments"],
    )
    repository_id: str | None = Field(
        description="The repository that the service analyses again for this change; null for other changes."
    )
    connection_id: str | None = Field(
        description="The connection that the service syncs for this change; null for other changes."
    )
    ended_at: datetime | None
    build_id: str | None = Field(
        description="The first published build that includes the change. Answers name their build in "
        "`X-Warehouse-Build`."
    )
    error: str | None = Field(
        description="The reason for the failure of the last run. Only owners and admins see it.",
        examples=[None],
    )
    result: dict[str, Any] | None = Field(
        description="The result of a finished operation, where it has one. Only owners and admins see it."
    )


OperationPage = page_of("OperationPage", "A page of operations.", operations=Operation)


@router.get("", summary="Operations", response_model=OperationPage)
async def list_operations(
    reader: OperationReader, query: Queried[OperationQuery], request: Request
) -> Response:
    """Changes that affect figures, newest first. `state=PENDING` lists the changes that no build includes yet.
    Sortable by position, at.
    """
    state = OperationState(query.state) if query.state else None
    find = partial(operations.list_operations, state=state)
    shape = partial(shown_operation, in_full=sees_all(reader))
    return await answer_list(request, reader.organization_id, query, "operations", find, shape)


@router.get("/{operation}", summary="One operation", response_model=Operation)
async def get_operation(
    reader: OperationReader, operation: OperationPath, _: NoQuery, request: Request
) -> Response:
    """The state of a change, and the build that includes it."""
    shape = partial(shown_operation, in_full=sees_all(reader))
    return await answer_record(request, reader, shape, operations.operation, operation)


def sees_all(reader: Access) -> bool:
    """Whether a caller may read results about identities, single commits and the log."""
    return reader.may(Permission.READ_AUDIT_LOG)


def shown_operation(one: OperationRecord, *, in_full: bool) -> dict[str, Any]:
    """The answer for an operation. Unless `in_full`, it omits details of people, single commits and the machine."""
    return shown(
        Operation,
        one,
        target_name=one.target_name if in_full or one.target_kind in NAMED_TO_ALL else None,
        error=one.error and (_reason(one.error) if in_full else FAILED),
        result=one.result if in_full else None,
    )


def _reason(error: str) -> str:
    """The first line of an error. The other lines may hold a statement that the database refused, with its values."""
    first = next((line for line in error.splitlines() if line.strip()), "")
    told = first.partition("[SQL:")[0].strip()
    return FAILED_HERE if not told or STATEMENT.search(told) else told
