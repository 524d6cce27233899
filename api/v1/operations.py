"""`/organizations/{organization}/operations`: changes that figures follow later, and the build that includes each."""

from datetime import datetime
from typing import Annotated, Any, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Path, Query, Request
from pydantic import AfterValidator, Field
from starlette.responses import Response

from api.control import operations
from api.control.operations import OperationRecord, OperationState
from api.deps import OperationReader
from api.responses import private
from api.services import services
from api.v1.control_lists import answer_list
from api.v1.parameters import ControlQuery, NoQuery, enum_name
from api.v1.shapes import Page, Shape

router = APIRouter(prefix="/organizations/{organization}/operations", tags=["operations"])

STATES = tuple(OperationState)


class OperationQuery(ControlQuery):
    """Which operations."""

    state: Annotated[
        str | None,
        AfterValidator(lambda value: value and enum_name(STATES)(value)),
        Field(json_schema_extra={"enum": [*STATES]}, description="Only those; without it all."),
    ] = None


class Operation(Shape):
    """A change that figures follow only after a run. An answer to the change names it in `X-Operation`."""

    id: str
    state: Literal["PENDING", "DONE", "FAILED"] = Field(
        description="FAILED: the last run for it failed; it is tried again as soon as anything else changes."
    )
    position: int = Field(description="Counts the organization's changes; a build includes all up to one.")
    at: datetime
    action: str = Field(description="As in the audit log.", examples=["teams.update"])
    target_kind: str = Field(examples=["team"])
    target_id: str
    target_name: str = Field(examples=["Payments"])
    repository_id: str | None = Field(description="The repository that is read anew for it.")
    ended_at: datetime | None
    build_id: str | None = Field(
        description="First published build that includes it; answers name theirs in `X-Warehouse-Build`."
    )
    error: str | None = Field(description="Why the last run for it failed.", examples=[None])
    result: dict[str, Any] | None = Field(description="What it found, where it says more than done.")


class OperationPage(Page):
    """A page of operations."""

    operations: list[Operation]


@router.get("", summary="Operations", operation_id="listOperations", response_model=OperationPage)
async def list_operations(
    reader: OperationReader, query: Annotated[OperationQuery, Query()], request: Request
) -> Response:
    """Newest first. `state=PENDING` answers what the figures of now do not include yet. Sorts by position, at."""
    state = OperationState(query.state) if query.state else None
    organization = reader.organization_id
    return await answer_list(
        request, query, "operations", organization,
        lambda store, asked: operations.list_operations(store, organization, asked, state=state),
        shown_operation,
    )  # fmt: skip


@router.get("/{operation}", summary="One operation", operation_id="getOperation", response_model=Operation)
async def get_operation(
    reader: OperationReader,
    operation: Annotated[str, Path(max_length=64, description="Id of the operation.")],
    _: Annotated[NoQuery, Query()],
    request: Request,
) -> Response:
    """How far a change is, and the build that includes it."""
    store = services(request).store
    return private(
        shown_operation(await run_sync(operations.operation, store, reader.organization_id, operation))
    )


def shown_operation(one: OperationRecord) -> dict[str, Any]:
    """As it is answered."""
    return {
        "id": one.id,
        "state": one.state,
        "position": one.position,
        "at": one.at,
        "action": one.action,
        "targetKind": one.target_kind,
        "targetId": one.target_id,
        "targetName": one.target_name,
        "repositoryId": one.repository_id,
        "endedAt": one.ended_at,
        "buildId": one.build_id,
        "error": one.error,
        "result": one.result,
    }
