"""Subscriptions, and the events that the payment system sent about them. No row holds data of a means of payment."""

from datetime import date, datetime

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Owned, OwnedByKey


class Subscription(OwnedByKey):
    """The subscription of an organization: the last request for an upgrade, and the state of its payment."""

    __tablename__ = "subscriptions"

    # The name of the organization at the payment system; it tells nothing.
    reference: Mapped[str] = mapped_column(String(64), unique=True)
    # The request for an upgrade that no event has answered yet.
    requested_at: Mapped[datetime | None]
    requested_limit: Mapped[int | None]
    # When a platform administrator last set the plan: older events do not change it.
    decided_at: Mapped[datetime | None]
    # none, current, failing or ended; follows from the events.
    state: Mapped[str] = mapped_column(String(16))
    # The first failure of the payment, or the end of the subscription.
    since: Mapped[datetime | None]
    grace_ends_at: Mapped[datetime | None]
    warned_at: Mapped[datetime | None]


class BillingEvent(Owned):
    """An event of the payment system. Never modified."""

    __tablename__ = "billing_events"
    __table_args__ = (Index("ix_billing_events_time", "organization_id", "occurred_at", "id"),)

    # The payment system's own id.
    id: Mapped[str] = mapped_column(String(128), primary_key=True)
    kind: Mapped[str] = mapped_column(String(32))
    # The payment system's clock orders the events; they arrive in any order.
    occurred_at: Mapped[datetime]
    received_at: Mapped[datetime]
    commit_limit: Mapped[int | None]
    renews_on: Mapped[date | None]
    grace_ends_at: Mapped[datetime | None]
