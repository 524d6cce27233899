"""`/healthz`: the process answers. `/readyz`: it can serve reads, and more for platform administrators.

Both need no credential and reveal no secret.
"""

import sqlite3
from typing import Literal

from anyio import fail_after
from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import Response

from api.callers.dependencies import Anybody
from api.control.database import check
from api.control.store import ControlStore
from api.errors import Unauthenticated, Unavailable
from api.http.responses import private
from api.http.statuses import without_control_database
from api.operator.license import license_status
from api.operator.release import release
from api.operator.settings import operator_settings
from api.services import services
from api.shapes import Shape
from api.snapshot.readiness import unreadable
from api.snapshot.warehouse import Warehouse

router = APIRouter(tags=["health"])

SECONDS_TO_LOOK = 2.5
"""Probes of balancers and orchestrators give up after 3 to 5 seconds."""


class Health(BaseModel):
    """The process is up."""

    status: Literal["ok"] = "ok"


class DeploymentDetails(Shape):
    """The deployment, for platform administrators."""

    deployment: Literal["LOCAL", "SELF_HOSTED", "CLOUD"] = Field(description="The kind of deployment.")
    release: str = Field(examples=["0.4.0"])
    can_administrator_sign_in: bool = Field(description="true: EAS_ADMINISTRATOR_KEY may sign root logins.")
    can_support_sign_in: bool = Field(
        description="true: the key of the service's support may sign root logins. Only in a SELF_HOSTED deployment "
        "without DISABLE_SERVICE_SUPPORT_ACCESS=true."
    )
    license_state: str = Field(description="As `state` of `/api/v1/license`.", examples=["VALID"])


class Readiness(Health):
    """The process can serve reads."""

    details: DeploymentDetails | None = Field(
        None, description="Only for a session of a platform administrator or of a root login; else absent."
    )


@router.get("/healthz", summary="Liveness")
async def healthz(_: Anybody) -> Health:
    """Answers 200 while the process runs. Checks nothing else."""
    return Health()


@router.get("/readyz", summary="Readiness", response_model=Readiness)
async def readyz(_: Anybody, request: Request) -> Response:
    """Answers 200 when the control database answers and every published build can be read, else 503, within
    three seconds.

    A deployment that has not published anything yet is ready. A platform administrator or root who sends a session's
    token gets details of the deployment.
    """
    app = services(request)
    try:
        with fail_after(SECONDS_TO_LOOK):
            # A frozen database keeps a thread for as long as a statement may take; the next probe needs none of it.
            await run_sync(ping, app.store, abandon_on_cancel=True, limiter=app.probing)
            await run_sync(check_builds, app.reads.warehouse, abandon_on_cancel=True, limiter=app.probing)
            body: dict[str, object] = {"status": "ok"}
            return private(
                body | {"details": _details(request)} if await _is_administrator(request) else body
            )
    except TimeoutError as error:
        raise without_control_database(error) from error


async def _is_administrator(request: Request) -> bool:
    """Whether a platform administrator or root asks. A probe with another credential is not refused."""
    header = request.headers.get("authorization")
    if header is None:
        return False
    try:
        return (await services(request).authenticator.caller(header)).is_platform_administrator
    except Unauthenticated:
        return False


def _details(request: Request) -> dict[str, object]:
    settings = operator_settings()
    return {
        "deployment": settings.deployment.upper(),
        "release": release(),
        "canAdministratorSignIn": settings.administrator_key is not None,
        "canSupportSignIn": settings.allows_support,
        "licenseState": license_status(services(request).store.now(), settings).state.upper(),
    }


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
