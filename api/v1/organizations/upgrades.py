"""`/organizations/{organization}/plan:requestUpgrade`: an owner asks for a paid plan.

Keep out: the change of the plan, which the payment system reports (api/billing).
"""

from typing import Annotated

from anyio.to_thread import run_sync
from fastapi import APIRouter, Body, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import Upgrader
from api.control.plans import billing
from api.control.plans.plans import MAX_COMMITS
from api.http.parameters import NoQuery
from api.http.responses import private
from api.http.values import Whole
from api.query.records import shown
from api.services import services
from api.shapes import Shape
from api.v1.organizations.plans import PlanUpgrade

router = APIRouter(prefix="/organizations/{organization}/plan", tags=["plan"])


class UpgradeRequest(Shape):
    """What an owner wants."""

    commit_limit: Whole | None = Field(
        None,
        description="The wanted number of commits to analyse; null: decide at the checkout.",
        ge=1,
        le=MAX_COMMITS,
        examples=[50000],
    )


class RequestedUpgrade(PlanUpgrade):
    """A request for an upgrade, and where to pay."""

    reference: str = Field(description="The name of this organization at the payment system.")
    checkout_url: str | None = Field(
        description="Where to pay; null where the operator has set no address.",
        examples=["https://pay.example.org/checkout?reference=3q2-7w"],
    )
    message: str = Field(description="What to do next.")


@router.post(":requestUpgrade", summary="Ask for an upgrade", response_model=RequestedUpgrade)
async def request_upgrade(
    upgrader: Upgrader,
    body: Annotated[UpgradeRequest, Body(default_factory=UpgradeRequest)],
    _: NoQuery,
    request: Request,
) -> Response:
    """Ask for a paid plan or a higher limit, and get the address to pay at. Owners can. The plan changes when the
    payment system reports the subscription. A repeated request answers the same.

    Answers FAILED_PRECONDITION outside of CLOUD deployments, because they have no billing.
    """
    app = services(request)
    made = await run_sync(
        billing.request_upgrade, app.store, upgrader.principal, upgrader.organization_id, body.commit_limit
    )
    message = (
        "pay at checkoutUrl; the plan changes when the payment system reports it"
        if made.checkout_url
        else f"ask the provider of this service for the upgrade, and name the reference {made.reference}"
    )
    return private(shown(RequestedUpgrade, made, message=message))
