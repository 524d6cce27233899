"""Upgrades that owners ask for, and events of the payment system that apply them.

An event is stored once and never forgotten: the state of the payment is made anew of all events in the order of their
times, so the order of their arrival does not matter. Keep out: signatures (api/operator/callbacks.py), the rules of
payments (payments.py).
"""

import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from operator import attrgetter
from urllib.parse import urlencode

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from api.control.audit import Target, logged, record, record_for
from api.control.errors import AlreadyExists, InvalidSetting, NotFound, NotPossible
from api.control.models import BillingEvent, Organization, Subscription
from api.control.payments import (
    EventKind,
    Payment,
    PaymentState,
    SubscriptionState,
    SubscriptionStatus,
    payment_of,
    subscription_status,
)
from api.control.permissions import Permission
from api.control.plans.notices import tell_of_payment
from api.control.plans.plans import CALLED, MAX_COMMITS
from api.control.principals import ActorKind, Principal
from api.control.records import owned
from api.control.store import ControlStore
from api.operator.settings import DeploymentKind, operator_settings

SUBSCRIBING = frozenset({EventKind.SUBSCRIPTION_ACTIVATED, EventKind.SUBSCRIPTION_CHANGED})
# Clocks differ. An event from further ahead would outrank all that follow.
MAX_AHEAD = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class UpgradeRecord:
    """A request for an upgrade. `checkout_url` is None where the operator has set no address to pay at."""

    requested_at: datetime
    commit_limit: int | None
    reference: str
    checkout_url: str | None


@dataclass(frozen=True, slots=True)
class GivenEvent:
    """An event as the payment system sent it."""

    id: str
    kind: EventKind
    occurred_at: datetime
    reference: str
    commit_limit: int | None = None
    renews_on: date | None = None
    grace_ends_at: datetime | None = None


class Outcome(StrEnum):
    """What an event did; upper case over HTTP. SUPERSEDED: newer events had said otherwise already."""

    APPLIED = "applied"
    ALREADY_APPLIED = "already_applied"
    SUPERSEDED = "superseded"


class _PaymentSystem:
    """The author of changes that events make. It is no Principal, so nothing asks for its permissions."""

    actor = (ActorKind.BILLING, None, "billing")


PAYMENT_SYSTEM = _PaymentSystem()


def request_upgrade(
    store: ControlStore, actor: Principal, organization_id: str, commit_limit: int | None = None
) -> UpgradeRecord:
    """Store what an owner asks for, and say where to pay. `commit_limit` is the wanted limit, None for any.

    A request that is open already stays as it is. Raises NotPossible outside of cloud deployments.
    """
    if commit_limit is not None and not 1 <= commit_limit <= MAX_COMMITS:
        raise InvalidSetting("commitLimit", f"use 1 to {MAX_COMMITS}, or null for no limit")
    with store.allowed_write(actor, organization_id, Permission.MANAGE_UPGRADE) as session:
        _refuse_without_billing()
        organization = session.get_one(Organization, organization_id)
        row = session.get(Subscription, organization_id)
        if row is None:
            row = Subscription(
                organization_id=organization_id,
                reference=secrets.token_urlsafe(24),
                state=SubscriptionState.NONE,
            )
            session.add(row)
        if row.requested_at is None or row.requested_limit != commit_limit:
            row.requested_at, row.requested_limit = store.now(), commit_limit
            target = Target("organization", organization_id, organization.name)
            record(session, "plan.requestUpgrade", target, after={"commitLimit": commit_limit})
        return UpgradeRecord(row.requested_at, commit_limit, row.reference, checkout_link(row.reference))


def checkout_link(reference: str) -> str | None:
    """The address at which the organization with a reference pays; None if the operator has set none."""
    url = operator_settings().checkout_url
    return url and f"{url}{'&' if '?' in url else '?'}{urlencode({'reference': reference})}"


def apply_event(store: ControlStore, event: GivenEvent) -> Outcome:
    """Apply an event, once for its id. It counts from the commit of this transaction on.

    Raises NotFound for an unknown reference, AlreadyExists for the id of another event, InvalidSetting for a time in
    the future or a renewal before it.
    """
    now = store.now()
    if event.occurred_at > now + MAX_AHEAD:
        raise InvalidSetting(
            "occurredAt", f"is after this clock ({now:%Y-%m-%dT%H:%M:%SZ}); look at both clocks"
        )
    # The day of the organization can be the one before.
    first = event.occurred_at.date() - timedelta(days=1)
    if event.renews_on is not None and event.renews_on < first:
        raise InvalidSetting("renewalDate", f"is before the event; use {first} or later")
    organization_id = _organization_of(store, event.reference)
    try:
        with store.write_transaction(organization_id) as session:
            present = session.get(BillingEvent, event.id)
            if present is not None:
                _refuse_other(present, organization_id, event)
                return Outcome.ALREADY_APPLIED
            session.add(_row(event, organization_id, store.now()))
            session.flush()
            return _apply(store, session, organization_id, event)
    except IntegrityError:
        # The same id at the same time for another organization, which holds another lock.
        raise _taken(event.id) from None


def open_payments(store: ControlStore) -> list[tuple[str, Payment]]:
    """Organizations, by slug, whose payment failed or whose subscription ended."""
    statement = (
        select(Organization)
        .join(Subscription, Subscription.organization_id == Organization.id)
        .where(Subscription.state.in_((SubscriptionState.FAILING, SubscriptionState.ENDED)))
        .order_by(Organization.slug)
    )
    with store.session() as session:
        found = [(row.slug, payment_of(session, row, store.now())) for row in session.scalars(statement)]
    return [(slug, payment) for slug, payment in found if payment.state is not PaymentState.NONE]


def _apply(store: ControlStore, session: Session, organization_id: str, event: GivenEvent) -> Outcome:
    now = store.now()
    organization = session.get_one(Organization, organization_id)
    subscription = session.get_one(Subscription, organization_id)
    events = session.scalars(owned(BillingEvent, organization_id)).all()
    before, past = _shown(organization, subscription), payment_of(session, organization, now)
    if event.kind in SUBSCRIBING and _is_newest(event, subscription, events):
        organization.plan = "paid"
        organization.commit_limit, organization.renews_on = event.commit_limit, event.renews_on
        if (
            subscription.requested_at is not None
            and subscription.requested_at <= event.occurred_at + MAX_AHEAD
        ):
            subscription.requested_at = subscription.requested_limit = None
    _set_status(subscription, subscription_status(events))
    payment = payment_of(session, organization, now)
    after = _shown(organization, subscription)
    tell_of_payment(session, now, organization, past, payment)
    restates = past.pauses_analysis != payment.pauses_analysis or any(
        before[one] != after[one] for one in ("plan", "commit_limit", "renews_on")
    )
    record_for(
        session, organization_id, PAYMENT_SYSTEM, f"plan.{_verb(event.kind)}",
        Target("billingEvent", event.id[:64], organization.name),
        before=logged(before, CALLED), after=logged(after, CALLED), restates=restates,
    )  # fmt: skip
    return Outcome.APPLIED if before != after else Outcome.SUPERSEDED


def _is_newest(event: GivenEvent, subscription: Subscription, events: Sequence[BillingEvent]) -> bool:
    """Whether nothing newer has set the plan: no event, and no platform administrator."""
    if subscription.decided_at is not None and subscription.decided_at > event.occurred_at:
        return False
    subscribing = [(one.occurred_at, one.id) for one in events if one.kind in SUBSCRIBING]
    return max(subscribing) == (event.occurred_at, event.id)


def _set_status(subscription: Subscription, found: SubscriptionStatus) -> None:
    if (subscription.since, subscription.grace_ends_at) != (found.since, found.grace_ends_at):
        # The earlier warning named another day.
        subscription.warned_at = None
    subscription.state, subscription.since = found.state, found.since
    subscription.grace_ends_at = found.grace_ends_at


def _shown(organization: Organization, subscription: Subscription) -> dict[str, object]:
    return {
        "plan": organization.plan,
        "commit_limit": organization.commit_limit,
        "renews_on": organization.renews_on,
        "payment": subscription.state,
        "payment_since": subscription.since,
        "grace_ends_at": subscription.grace_ends_at,
    }


def _verb(kind: EventKind) -> str:
    first, second = kind.value.split("_")
    return f"{first}{second.capitalize()}"


def _organization_of(store: ControlStore, reference: str) -> str:
    with store.session() as session:
        found = session.scalar(
            select(Subscription.organization_id).where(Subscription.reference == reference)
        )
    if found is None:
        raise NotFound("no organization has this reference; take it from the address of the checkout")
    return found


def _row(event: GivenEvent, organization_id: str, now: datetime) -> BillingEvent:
    given = asdict(event)
    del given["reference"]
    return BillingEvent(organization_id=organization_id, received_at=now, **given)


def _refuse_other(present: BillingEvent, organization_id: str, event: GivenEvent) -> None:
    content = attrgetter("kind", "occurred_at", "commit_limit", "renews_on", "grace_ends_at")
    if present.organization_id != organization_id or content(present) != content(event):
        raise _taken(event.id)


def _taken(event_id: str) -> AlreadyExists:
    return AlreadyExists(
        f"an event with the id {event_id!r} and other content was applied already; use a new id"
    )


def _refuse_without_billing() -> None:
    """Raise NotPossible unless the deployment has billing."""
    kind = operator_settings().deployment
    if kind is not DeploymentKind.CLOUD:
        raise NotPossible(
            f"a {kind.value.replace('_', '-')} deployment has no billing; its operator sets the plan, and the limits "
            "of a self-hosted one are in its license"
        )
