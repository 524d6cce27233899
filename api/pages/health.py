"""`/healthz`: the process answers. `/readyz`: it can serve reads. Both need no credential and reveal no secret."""

import sqlite3
from typing import Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from api.callers.dependencies import Anybody
from api.control.database import check
from api.control.store import ControlStore
from api.errors import Unavailable
from api.http.statuses import without_control_database
from api.services import services
from api.snapshot.builds import Warehouse
from api.snapshot.readiness import unreadable

router = APIRouter(tags=["health"])


class Health(BaseModel):
    """The process is up."""

    status: Literal["ok"] = "ok"


@router.get("/healthz", summary="Liveness", operation_id="healthz")
async def healthz(_: Anybody) -> Health:
    """Answers 200 while the process runs. Checks nothing else."""
    return Health()


@router.get("/readyz", summary="Readiness", operation_id="readyz")
async def readyz(_: Anybody, request: Request) -> Health:
    """Answers 200 when the control database answers and every published build can be read, else 503.

    A deployment that has not published anything yet is ready.
    """
    await run_sync(ping, services(request).store)
    await run_sync(check_builds, services(request).reads.warehouse)
    return Health()


def ping(store: ControlStore) -> None:
    """Ask the control database anything. Raises Unavailable."""
    try:
        check(store.engine)
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise without_control_database(error) from error


def check_builds(warehouse: Warehouse) -> None:
    """Raise Unavailable if a published build cannot be read."""
    if count := unreadable(warehouse):
        raise Unavailable(
            f"the published builds of {count} organizations cannot be read; `eas doctor` says which, and the next build"
            " replaces them"
        )
