"""The texts of the OpenAPI document beside those of the routes: introduction, tags, and the schema of errors."""

from typing import Any

from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

DESCRIPTION = """\
Figures about delivered engineering work, read from the newest published build of an organization.

**Authentication.** Every path under `/api/v1` needs the header `Authorization: Bearer …` with one of the tokens that
the scheme `bearer` lists. A request that the caller's role does not permit gets 403 with the reason. A request for an
organization of which the caller is no member gets 404.

**Errors** have the shape of `google.rpc.Status`.

**Parameters** are accepted in camelCase and snake_case. An unknown query parameter gets 400.

**Builds.** A build calculates all figures of an organization and publishes them at once. Every answer with figures
names its build in the header `X-Warehouse-Build` and has an `ETag`.

**Time.** Dates are in the organization's time zone, and both ends of a range are included. Instants are UTC.

**Terms.**

- *ETV* (Engineering Throughput Value) estimates delivered work: one ETV is about one hour of focused work by an
  experienced engineer. `metrics:describe` defines it and every other metric.
- *Points* are the sum of the weights of counted lines. A *line class*, such as NOVEL or COPIED, determines the weight.
- A commit is *delivered* when it becomes reachable from the default branch. Figures belong to the day of the delivery.
- A *counted* commit is delivered, and no rule or decision excludes it. Other commits have no ETV; their
  `zeroReason` has the reason.
- A *sandbox* is a repository that totals leave out.
- An organization can hide *individual figures*, figures of a single developer, and can set a *minimum group size*: a
  figure of fewer people is then null.
- A *draft* is a figure of a period that has not ended.
- An *import burst* is a group of commits that bring in existing code.
- A *check* looks for one kind of thing that needs a hand. An *occurrence* is one that it found.
- A *restatement* is a later change of a figure that was already published.
"""
_TAGS = {
    "accounts": "Sign up, verify an email address, and change or reset a password.",
    "sessions": "Sign in, with a password or an identity provider, and sign out.",
    "organizations": "The organizations that the caller can read, and their settings.",
    "repositories": "Repositories with their figures for a date range; add and change them.",
    "connections": "Connections to Git hosts, issue trackers and AI tools: tokens, health, syncs, levels and teams.",
    "developers": "Developers with their figures for a date range, and their attributes.",
    "identities": "Merge and split developers, see past decisions, and answer merge suggestions.",
    "teams": "Teams with their figures for a date range, their members and their leads.",
    "commits": "Commits, the explanation of their scores, exclusions and categories.",
    "pull requests": "Pull requests with their times, reviews, delivered commits and issues.",
    "objectives": "Objectives and sub-objectives of issue trackers, with the delivered work that reaches them.",
    "issues": "Issues of issue trackers, with the commits that belong to them.",
    "metrics": "Time series of every metric, by group.",
    "aiUsage": "Cost, tokens and activity of AI tools, beside the ETV of the same people.",
    "movements": "ETV of each period compared with the period before, by developer, team and repository.",
    "zeroReasons": "Delivered work without ETV, by reason.",
    "checks": "What needs a hand: kinds of checks with their thresholds, and their occurrences.",
    "summaries": "Texts about completed weeks, months and quarters, and drafts of running ones.",
    "benchmarks": "Saved groups of developers or repositories whose figures others are compared with.",
    "capex": "Capitalized development effort per developer and month.",
    "me": "The caller's own figures. Role and privacy settings do not restrict them.",
    "corrections": "Requests of members to correct their own figures.",
    "members": "Members of an organization and their roles.",
    "invitations": "Invitations to join an organization.",
    "telemetry": "Telemetry of AI tools: the receiver of OTLP and the tokens that send to it.",
    "tokens": "API keys.",
    "identityProviders": "Identity providers of an organization, and how its members may sign in.",
    "plan": "The plan of an organization, its limits and its billable developers.",
    "billing": "Signed events of the payment system, only for a CLOUD deployment.",
    "operations": "Changes that a later build applies to the figures, and restatements after changed rules.",
    "auditEntries": "The audit log: every change with its author.",
    "health": "Probes for monitoring. No credential needed.",
    "deployment": "The deployment as a whole: its kind and its license.",
}
TAGS = [{"name": name, "description": description} for name, description in _TAGS.items()]


class FieldViolation(BaseModel):
    """The error of one parameter or field."""

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


# The statuses of an operation are derived from it: answers.py.
ERRORS: dict[int | str, dict[str, Any]] = {
    "default": {"model": Status, "description": "An error as google.rpc.Status."},
}


def operation_id(route: APIRoute) -> str:
    """The id of a route in the document: the name of its function, `list_commits` as listCommits."""
    return to_camel(route.name)
