"""The state of an organization's payment, which follows from the events of the payment system in the order of their
times, and what waits for it.

    NONE       no subscription
    CURRENT    paid
    IN_GRACE   a payment failed; analysis goes on until a date
    PAST_DUE   that date is over: new commits wait, as at the limit
    ENDED      the subscription is over: new commits wait

Keep out: storing events (plans/billing.py), other pauses (pauses.py), other limits of plans (plans/plans.py).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy.orm import Session

from api.control.models import BillingEvent, Organization, Subscription
from api.operator.license import PAUSED
from api.operator.settings import DeploymentKind, operator_settings

# Long enough for a new card and a second try.
GRACE_DAYS = 14
# A payment system cannot keep the analysis running longer than this after a failure.
MAX_GRACE_DAYS = 60


class EventKind(StrEnum):
    """What happened at the payment system; upper case over HTTP."""

    SUBSCRIPTION_ACTIVATED = "subscription_activated"
    SUBSCRIPTION_CHANGED = "subscription_changed"
    PAYMENT_FAILED = "payment_failed"
    PAYMENT_SUCCEEDED = "payment_succeeded"
    SUBSCRIPTION_ENDED = "subscription_ended"


class PaymentState(StrEnum):
    """The state at an instant; upper case over HTTP."""

    NONE = "none"
    CURRENT = "current"
    IN_GRACE = "in_grace"
    PAST_DUE = "past_due"
    ENDED = "ended"


class SubscriptionState(StrEnum):
    """The stored state of a subscription, which no clock changes."""

    NONE = "none"
    CURRENT = "current"
    FAILING = "failing"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class SubscriptionStatus:
    """The state of a subscription by its events, since when, and the end of the grace of a failing payment."""

    state: SubscriptionState = SubscriptionState.NONE
    since: datetime | None = None
    grace_ends_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Payment:
    """The state with a sentence for the owners."""

    state: PaymentState
    message: str
    grace_ends_at: datetime | None = None
    # Since when new commits wait; None while they do not.
    paused_at: datetime | None = None

    @property
    def pauses_analysis(self) -> bool:
        """Whether new commits wait."""
        return self.paused_at is not None


def subscription_status(events: Iterable[BillingEvent]) -> SubscriptionStatus:
    """The status after all events, in whatever order they arrived.

    The grace of a failing payment ends when its newest failure says, and at most MAX_GRACE_DAYS after the first. Only
    an activation follows an end.
    """
    found = SubscriptionStatus()
    for event in sorted(events, key=lambda one: (one.occurred_at, one.id)):
        if event.kind == EventKind.SUBSCRIPTION_ACTIVATED:
            found = SubscriptionStatus(SubscriptionState.CURRENT)
        elif found.state is SubscriptionState.ENDED:
            continue
        elif event.kind == EventKind.PAYMENT_SUCCEEDED:
            found = SubscriptionStatus(SubscriptionState.CURRENT)
        elif event.kind == EventKind.SUBSCRIPTION_ENDED:
            found = SubscriptionStatus(SubscriptionState.ENDED, event.occurred_at)
        elif event.kind == EventKind.PAYMENT_FAILED:
            first = (
                found.since if found.state is SubscriptionState.FAILING and found.since else event.occurred_at
            )
            wanted = event.grace_ends_at or event.occurred_at + timedelta(days=GRACE_DAYS)
            found = SubscriptionStatus(
                SubscriptionState.FAILING, first, min(wanted, first + timedelta(days=MAX_GRACE_DAYS))
            )
    return found


def payment_of(session: Session, organization: Organization, now: datetime) -> Payment:
    """The state of the payment at an instant. Only the plan PAID of a cloud deployment depends on it."""
    return payment_by(session.get(Subscription, organization.id), organization, now)


def payment_by(row: Subscription | None, organization: Organization, now: datetime) -> Payment:
    """The same, by the subscription of the organization."""
    kind = operator_settings().deployment
    if kind is not DeploymentKind.CLOUD:
        return Payment(PaymentState.NONE, f"a {kind.value.replace('_', '-')} deployment has no billing")
    if row is None or row.state == SubscriptionState.NONE or organization.plan != "paid":
        return Payment(PaymentState.NONE, "no subscription pays for this plan")
    return _at(now, SubscriptionStatus(SubscriptionState(row.state), row.since, row.grace_ends_at))


def _at(now: datetime, found: SubscriptionStatus) -> Payment:
    if found.state is SubscriptionState.CURRENT or found.since is None:
        return Payment(PaymentState.CURRENT, "the subscription is paid")
    day = f"{found.since:%Y-%m-%d}"
    if found.state is SubscriptionState.ENDED:
        text = f"the subscription ended on {day}: {PAUSED}. To go on, an owner asks for an upgrade"
        return Payment(PaymentState.ENDED, text, paused_at=found.since)
    end = found.grace_ends_at or found.since
    failed = f"the payment of {day} failed"
    pay = "update the payment at the payment provider, or ask this service's provider for help"
    if now < end:
        text = f"{failed}. Analysis goes on until {end:%Y-%m-%d %H:%M} UTC: {pay}"
        return Payment(PaymentState.IN_GRACE, text, end)
    text = f"{failed}, and the time to pay ended on {end:%Y-%m-%d}: {PAUSED}. To go on, {pay}"
    return Payment(PaymentState.PAST_DUE, text, end, paused_at=end)
