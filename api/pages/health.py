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
from api.http.statuses import without_control_database
from api.services import services

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
    """Answers 200 when the control database answers, else 503."""
    await run_sync(ping, services(request).store)
    return Health()


def ping(store: ControlStore) -> None:
    """Ask the control database anything. Raises Unavailable."""
    try:
        check(store.engine)
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise without_control_database(error) from error
