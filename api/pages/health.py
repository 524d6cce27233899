"""`/healthz`: the process answers. `/readyz`: it can serve reads. Both need no credential and reveal no secret."""

from typing import Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import BaseModel
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from api.callers.dependencies import Anybody
from api.control.store import ControlStore
from api.errors import Unavailable
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
        with store.engine.connect() as connection:
            connection.execute(text("select 1"))
    except SQLAlchemyError as error:
        raise Unavailable("the control database does not answer; see the server's log") from error
