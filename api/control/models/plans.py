"""Used commits of a plan, renewals, subscriptions, and the events that the payment system sent about them.

No row holds data of a means of payment.
"""

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, Index, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Owned, OwnedByKey


class CommitGrant(OwnedByKey):
    """Range of commits of a repository that the plan of a limited organization permits.

    Numbers count the commits of the default branch in the order of their delivery, from 1.
    """

    __tablename__ = "commit_grants"

    # Kept after a removal of the repository: analysed commits stay counted.
    repository_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    first_number: Mapped[int]
    last_number: Mapped[int]
    # Commits of the range that no other grant of the organization counts.
    charged_commits: Mapped[int]
    # The first 16 bytes of their object ids, in order: megabytes for a long history. Null: the grant is of a release
    # that kept none, and nobody has read the repository since.
    commit_ids: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)


class Renewal(OwnedByKey):
    """The billable developers at the start of a period. Never modified."""

    __tablename__ = "renewals"

    renewed_on: Mapped[date] = mapped_column(primary_key=True)
    counted_at: Mapped[datetime]
    build_id: Mapped[str] = mapped_column(String(64))
    # `{"id": …, "name": …, "email": …}`, by name.
    developers: Mapped[list[dict[str, Any]]] = mapped_column(JSON)


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
