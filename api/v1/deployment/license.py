"""`/license`: the license of this deployment."""

from datetime import datetime
from typing import Literal

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import Authenticated
from api.http.parameters import NoQuery
from api.http.responses import private
from api.operator.license import license_status
from api.operator.settings import operator_settings
from api.services import services
from api.shapes import Shape

router = APIRouter(tags=["deployment"])


class ShownLicense(Shape):
    """The license of this deployment, and what follows from it."""

    deployment: Literal["LOCAL", "SELF_HOSTED", "CLOUD"] = Field(
        description="Only a SELF_HOSTED deployment needs a license."
    )
    state: Literal[
        "NOT_REQUIRED",
        "VALID",
        "APPROACHING_EXPIRY",
        "IN_GRACE",
        "EXPIRED",
        "ABSENT",
        "NOT_YET_VALID",
        "UNVERIFIABLE",
    ] = Field(
        description="VALID until 30 days before the end, then APPROACHING_EXPIRY. IN_GRACE after the end, then "
        "EXPIRED. ABSENT: none is set. UNVERIFIABLE: the signature or the form is wrong. EXPIRED, ABSENT, "
        "NOT_YET_VALID and UNVERIFIABLE pause new analysis."
    )
    message: str = Field(description="The state in a sentence, with the remedy for the operator.")
    is_analysis_paused: bool = Field(description="true: new commits wait. Published figures stay readable.")
    licensee: str | None = Field(description="Null without a verified license.", examples=["Acme"])
    valid_from: datetime | None
    expires_at: datetime | None
    grace_ends_at: datetime | None = Field(description="New analysis pauses at this instant.")
    limits: dict[str, int] = Field(description="Agreed numbers by name.", examples=[{"developers": 50}])


@router.get("/license", summary="License", response_model=ShownLicense)
async def get_license(_: Authenticated, request: Request, _query: NoQuery) -> Response:
    """The license of this deployment. The service verifies it without a network."""
    settings = operator_settings()
    status = license_status(services(request).store.now(), settings)
    found = status.license
    return private(
        {
            "deployment": settings.deployment.value.upper(),
            "state": status.state.value.upper(),
            "message": status.message,
            "isAnalysisPaused": status.pauses_analysis,
            "licensee": found and found.licensee,
            "validFrom": found and found.valid_from,
            "expiresAt": found and found.expires_at,
            "graceEndsAt": found and found.grace_ends_at,
            "limits": dict(found.limits) if found else {},
        }
    )
