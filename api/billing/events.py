"""`/billing/events`: what the payment system reports, signed with a shared secret instead of a credential.

Keep out: the form of signatures (operator/callbacks.py), the effect of events (control/plans/billing.py).
"""

import json
import logging
from contextlib import suppress
from datetime import timedelta
from typing import Any, Literal

import orjson
from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from api.callers.dependencies import Anybody
from api.control.accounts import throttles
from api.control.accounts.throttles import Allowance, Try
from api.control.errors import ControlError, TooMany
from api.control.payments import GRACE_DAYS, MAX_GRACE_DAYS, EventKind
from api.control.plans.billing import GivenEvent, Outcome, apply_event
from api.control.plans.plans import MAX_COMMITS
from api.control.store import ControlStore
from api.errors import ApiError, InvalidArgument, NotFound, Unauthenticated
from api.http.client_networks import client_network
from api.http.parameters import NoQuery
from api.http.responses import private
from api.http.statuses import invalid_item
from api.http.values import Instant, Whole
from api.operator.callbacks import WRONG_SECRET, BadCallback, verify
from api.operator.settings import DeploymentKind, operator_settings
from api.operator.variables import BILLING
from api.query.parameters import Day
from api.services import Services, services
from api.shapes import Shape

router = APIRouter(prefix="/billing", tags=["billing"])

logger = logging.getLogger(__name__)

HEADER = "Billing-Signature"
REFUSALS_IN_THE_LOG = Allowance("report refused events in the log", 20, timedelta(seconds=30))
# Characters of a message in the log.
MAX_CAUSE = 300
# Bytes. An event has about 300.
MAX_BYTES = 16_384


class EventBase(Shape):
    """What every event has."""

    id: str = Field(
        min_length=1,
        max_length=128,
        pattern="^[!-~]+$",
        description="The payment system's id of the event. An id counts once.",
        examples=["evt_7Yw2"],
    )
    occurred_at: Instant = Field(description="When it happened, by the clock of the payment system.")
    reference: str = Field(
        min_length=1,
        max_length=64,
        description="`reference` of the address of the checkout.",
        examples=["3q2-7w"],
    )


class SubscriptionEvent(EventBase):
    """A subscription began, or its plan changed."""

    type: Literal["SUBSCRIPTION_ACTIVATED", "SUBSCRIPTION_CHANGED"] = Field(
        description="ACTIVATED also says that it is paid; it follows a checkout. CHANGED only changes the plan."
    )
    plan: Literal["PAID"] = Field(description="The plan of every subscription.")
    commit_limit: Whole | None = Field(
        description="The maximum number of commits to analyse; null: unlimited.",
        ge=0,
        le=MAX_COMMITS,
        examples=[50000],
    )
    renewal_date: Day | None = Field(
        description="When the service counts billable developers next; null: never.", examples=["2027-01-01"]
    )


class FailedPaymentEvent(EventBase):
    """A payment failed."""

    type: Literal["PAYMENT_FAILED"] = Field(description="New analysis pauses after `graceEndsAt`.")
    grace_ends_at: Instant | None = Field(
        None,
        description=f"Default: {GRACE_DAYS} days after the event. At most {MAX_GRACE_DAYS} days after the first "
        "failure.",
    )


class PlainEvent(EventBase):
    """A payment succeeded, or the subscription ended."""

    type: Literal["PAYMENT_SUCCEEDED", "SUBSCRIPTION_ENDED"] = Field(
        description="PAYMENT_SUCCEEDED ends a grace or a pause. After SUBSCRIPTION_ENDED only "
        "SUBSCRIPTION_ACTIVATED does."
    )


KINDS: dict[str, type[SubscriptionEvent | FailedPaymentEvent | PlainEvent]] = {
    "SUBSCRIPTION_ACTIVATED": SubscriptionEvent,
    "SUBSCRIPTION_CHANGED": SubscriptionEvent,
    "PAYMENT_FAILED": FailedPaymentEvent,
    "PAYMENT_SUCCEEDED": PlainEvent,
    "SUBSCRIPTION_ENDED": PlainEvent,
}
SHAPES = (SubscriptionEvent, FailedPaymentEvent, PlainEvent)
# The body is read as it was signed, so the framework does not parse it.
DOCUMENTED: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"oneOf": [kind.model_json_schema() for kind in SHAPES]}}},
    },
    "parameters": [
        {
            "name": HEADER,
            "in": "header",
            "required": True,
            "description": "`t=<seconds since 1970>,v1=<hexadecimal HMAC-SHA256 of <t>.<body>>`, "
            "at most 5 minutes old.",
            "schema": {"type": "string", "pattern": "^t=[0-9]{1,12}(,v1=[0-9a-f]{64}){1,5}$"},
        }
    ],
}


class AppliedEvent(Shape):
    """What an event did."""

    outcome: Literal["APPLIED", "ALREADY_APPLIED", "SUPERSEDED"] = Field(
        description="ALREADY_APPLIED: this id was here before. SUPERSEDED: newer events had said otherwise, or the "
        "same."
    )


@router.post("/events", summary="Report an event", response_model=AppliedEvent, openapi_extra=DOCUMENTED)
async def create_billing_event(_: Anybody, request: Request, _query: NoQuery) -> Response:
    """Apply an event of the payment system at once. An event that is sent again changes nothing, and events may arrive
    in any order: their `occurredAt` decides. No event has data of a means of payment.
    """
    app = services(request)
    try:
        outcome = await _outcome(app, request)
    except (ApiError, ControlError, HTTPException) as refused:
        await run_sync(_log_refusal, app.store, client_network(request), refused)
        raise
    app.mail.wake()
    return private({"outcome": outcome.value.upper()})


async def _outcome(app: Services, request: Request) -> Outcome:
    settings = operator_settings()
    if settings.deployment is not DeploymentKind.CLOUD or not settings.billing_secrets:
        raise NotFound(
            "this deployment takes no events of a payment system; see docs/administration/plans.md"
        )
    body = await _body(request)
    try:
        verify(request.headers.get(HEADER, ""), body, settings.billing_secrets, app.store.now())
    except BadCallback as error:
        refused = Unauthenticated(f"{HEADER}: {error}")
        refused.headers = {"WWW-Authenticate": "HMAC-SHA256"}
        raise refused from None
    return await run_sync(apply_event, app.store, _event(body))


def _log_refusal(store: ControlStore, network: str, refused: ApiError | ControlError | HTTPException) -> None:
    """Write the line of a refused event, unless there are many: anybody can send some."""
    with suppress(TooMany):
        throttles.take(store, Try(REFUSALS_IN_THE_LOG, network))
        cause = refused.detail if isinstance(refused, HTTPException) else str(refused)
        hint = f"; {BILLING} must be the secret of the payment system" if _is_unsigned(refused) else ""
        # As JSON: a message can name a field of the body.
        logger.warning(
            "an event of the payment system was refused: %s%s", json.dumps(cause[:MAX_CAUSE]), hint
        )


def _is_unsigned(refused: Exception) -> bool:
    return isinstance(refused, Unauthenticated) and WRONG_SECRET in str(refused)


async def _body(request: Request) -> bytes:
    """The raw body. Raises HTTPException for a large one."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BYTES:
            raise HTTPException(413, f"the body has more than {MAX_BYTES} bytes; an event is smaller")
    return bytes(body)


def _event(body: bytes) -> GivenEvent:
    """The event in a body. Raises InvalidArgument."""
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError:
        content = None
    if not isinstance(content, dict):
        raise InvalidArgument("body", "must be a JSON object")
    kind = KINDS.get(str(content.get("type")))
    if kind is None:
        raise InvalidArgument("type", f"must be one of {', '.join(KINDS)}")
    try:
        given = kind.model_validate(content)
    except ValidationError as error:
        raise invalid_item(error) from None
    return GivenEvent(
        given.id,
        EventKind(given.type.lower()),
        given.occurred_at,
        given.reference,
        commit_limit=given.commit_limit if isinstance(given, SubscriptionEvent) else None,
        renews_on=given.renewal_date if isinstance(given, SubscriptionEvent) else None,
        grace_ends_at=given.grace_ends_at if isinstance(given, FailedPaymentEvent) else None,
    )
