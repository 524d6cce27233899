"""What the OpenAPI document says beyond the routes: introduction, tags, the shape of errors."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

DESCRIPTION = """\
Figures about delivered engineering work, read from the newest published build.

Every path under `/api/v1` needs `Authorization: Bearer …` with an API key (`service_…`) or the token of a session
(`session_…`, from `/auth/signIn`). What a caller's role does not open is refused with the reason; another
organization is unknown. Errors are `google.rpc.Status`. Query parameters
are accepted in camelCase and snake_case; unknown ones are refused. Every answer that holds figures names its build
in `X-Warehouse-Build` and has an `ETag`. Dates are local to the organization's time zone, both ends included; instants
are UTC.
"""
TAGS = [
    {"name": "accounts", "description": "Signing up, proving an address, passwords."},
    {"name": "sessions", "description": "Signing in and out."},
    {"name": "organizations", "description": "What the key gives access to."},
    {
        "name": "repositories",
        "description": "Repositories with their figures for a date range, adding and changing them.",
    },
    {"name": "developers", "description": "Developers with their figures for a date range."},
    {
        "name": "identities",
        "description": "Who is who: merging and splitting developers, the history of it, and suggestions.",
    },
    {"name": "commits", "description": "Commits, what makes the value of one, and leaving some out."},
    {"name": "metrics", "description": "Time series."},
    {"name": "capex", "description": "Capitalized development effort per developer and month."},
    {
        "name": "me",
        "description": "What a person sees of themself, whatever the role and the privacy settings.",
    },
    {"name": "corrections", "description": "What people say is wrong about their own figures."},
    {"name": "members", "description": "Who belongs to an organization, and in which role."},
    {"name": "invitations", "description": "Who is asked to join."},
    {"name": "tokens", "description": "API keys."},
    {"name": "plan", "description": "What an organization may use, and whom a renewal bills."},
    {
        "name": "operations",
        "description": "Changes that figures follow later with the build that includes each, and what other rules "
        "changed.",
    },
    {"name": "auditEntries", "description": "Who changed what."},
    {"name": "health", "description": "For probes; no key needed."},
]


class FieldViolation(BaseModel):
    """One parameter that was refused."""

    field: str = Field(examples=["pageSize"])
    description: str = Field(examples=["must be at least 0"])


class ErrorDetail(BaseModel):
    """google.rpc.BadRequest."""

    model_config = ConfigDict(populate_by_name=True)

    type: str = Field(alias="@type", examples=["type.googleapis.com/google.rpc.BadRequest"])
    field_violations: list[FieldViolation] = Field([], alias="fieldViolations")


class Status(BaseModel):
    """google.rpc.Status."""

    code: int = Field(description="google.rpc.Code.", examples=[3])
    message: str = Field(examples=["pageSize: must be at least 0"])
    details: list[ErrorDetail] = []


def _error(description: str) -> dict[str, Any]:
    return {"model": Status, "description": description}


ERRORS: dict[int | str, dict[str, Any]] = {
    "default": _error("An error as google.rpc.Status."),
}
