"""`/organizations/{organization}/summarySubscriptions`: the caller's own subscriptions to summaries by mail."""

from datetime import datetime
from functools import partial

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import Subscriber, SubscriptionManager, SummaryReader
from api.control.summaries import subscriptions
from api.control.summaries.kinds import Period, ScopeKind
from api.http.parameters import NoQuery, PagedQuery
from api.http.responses import private
from api.query.parameters import Id
from api.read.summaries.shapes import PeriodName, ScopeName
from api.services import services
from api.shapes import Empty, Shape, page_of
from api.v1.answers import answer_change
from api.v1.control_lists import answer_list
from api.v1.paths import SubscriptionPath
from api.v1.summaries.summaries import PeriodLength, ScopeKindName

router = APIRouter(prefix="/organizations/{organization}/summarySubscriptions", tags=["summaries"])


class SummarySubscription(Shape):
    """Summaries of a scope that are mailed to you."""

    id: str
    scope_kind: ScopeName = Field(description="What the summaries are about.")
    scope_id: str = Field(description="Id of the organization, team or repository.")
    scope_name: str | None = Field(description="Its present name; null while paused.", examples=["Acme"])
    period: PeriodName = Field(description="Length of the period.")
    created_at: datetime
    mailed_at: datetime | None = Field(
        description="When the mail server took the last mail; null before the first one."
    )
    is_paused: bool = Field(
        description="true: nothing is mailed, because you may not read summaries of this scope now."
    )


SubscriptionPage = page_of(
    "SummarySubscriptionPage", "A page of subscriptions.", summary_subscriptions=SummarySubscription
)


class SubscriptionRequest(Shape):
    """The summaries that you want by mail."""

    scope_kind: ScopeKindName = Field("ORGANIZATION", description="Kind of the scope.")
    scope_id: Id | None = Field(
        None, description="Id of the team or repository; of the organization none is needed."
    )
    period: PeriodLength = Field(description="Length of the period.")


@router.get("", summary="Your subscriptions to summaries", response_model=SubscriptionPage)
async def list_summary_subscriptions(reader: SummaryReader, query: PagedQuery, request: Request) -> Response:
    """Your own subscriptions, newest first. Sortable by createdAt."""
    organization, account = reader.organization_id, reader.principal.account_id
    return await answer_list(
        request,
        organization,
        query,
        "summarySubscriptions",
        partial(subscriptions.list_subscriptions, account_id=account, seen=reader.visibility),
        SummarySubscription,
        bound_to=f"{RowAccess.of(organization, reader.visibility).key} {account}",
    )


@router.post("", summary="Subscribe to summaries", response_model=SummarySubscription)
async def create_summary_subscription(
    subscriber: Subscriber, body: SubscriptionRequest, _: NoQuery, request: Request
) -> Response:
    """Have each new summary of a scope mailed to your own, verified address. A second call changes nothing.

    A mail has what you may see of the summary when it is sent: the newest completed period alone, once. A team lead
    subscribes to led teams.
    """
    kind, period = ScopeKind[body.scope_kind], Period[body.period]
    return await answer_change(
        request, subscriber, SummarySubscription, subscriptions.subscribe, kind, body.scope_id, period
    )


@router.delete("/{summarySubscription}", summary="End a subscription", response_model=Empty)
async def delete_summary_subscription(
    manager: SubscriptionManager, subscription: SubscriptionPath, _: NoQuery, request: Request
) -> Response:
    """End a subscription of your own. A mail that is queued already is not sent."""
    await run_sync(
        subscriptions.unsubscribe,
        services(request).store,
        manager.principal,
        manager.organization_id,
        subscription,
    )
    return private({})
