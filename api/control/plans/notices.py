"""Mails to the owners of an organization about its plan: a trial that ends, a payment that failed or is soon past due,
and a subscription that ended.

Each is sent once. Keep out: their texts (api/mail/letters.py).
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.control.accounts.mails import MailKind, queue_mail
from api.control.models import Account, Member, Organization, Subscription
from api.control.payments import Payment, PaymentState, SubscriptionState, payment_of
from api.control.permissions import Role
from api.control.plans.plans import plan
from api.control.store import ControlStore

# Early enough for a decision, and late enough for an impression of the service.
WARNED_DAYS = 3


def warn_of_ending(store: ControlStore) -> int:
    """Queue a mail, once, to every owner of a trial that ends within days. Returns the number of mails."""
    queued = 0
    now = store.now()
    ending = select(Organization.id).where(
        Organization.plan == "trial",
        Organization.trial_warned_at.is_(None),
        Organization.trial_ends_at > now,
        Organization.trial_ends_at <= now + timedelta(days=WARNED_DAYS),
    )
    for session, row in _each(store, list(_ids(store, ending))):
        if row.plan != "trial" or row.trial_warned_at is not None or row.trial_ends_at is None:
            continue
        row.trial_warned_at = now
        analysed = plan(store.joined(session), row.id).analysed
        queued += _queue(
            session, now, MailKind.TRIAL_ENDING, row, until=_day(row.trial_ends_at, row),
            analysed=f"{analysed:,}", limit=f"{row.commit_limit or 0:,}",
        )  # fmt: skip
    return queued


def warn_of_past_due(store: ControlStore) -> int:
    """Queue a mail, once per grace, to every owner whose failed payment is past due within days. Returns the number of
    mails. A grace that is no longer than that has only the mail of its failure.
    """
    queued = 0
    now = store.now()
    failing = select(Subscription.organization_id).where(
        Subscription.state == SubscriptionState.FAILING,
        Subscription.warned_at.is_(None),
        Subscription.grace_ends_at > now,
        Subscription.grace_ends_at <= now + timedelta(days=WARNED_DAYS),
    )
    for session, row in _each(store, list(_ids(store, failing))):
        subscription = session.get_one(Subscription, row.id)
        found = payment_of(session, row, now)
        end, since = subscription.grace_ends_at, subscription.since
        if found.state is not PaymentState.IN_GRACE or subscription.warned_at is not None:
            continue
        if end is None or since is None or end - since <= timedelta(days=WARNED_DAYS):
            continue
        subscription.warned_at = now
        queued += _queue(
            session, now, MailKind.PAYMENT_DUE, row, until=_day(end, row), reference=subscription.reference
        )
    return queued


def tell_of_payment(session: Session, now: datetime, row: Organization, past: Payment, found: Payment) -> int:
    """Queue a mail to every owner about a failed payment or an ended subscription. Returns the number of mails.

    Nobody hears the same twice, but a failure that moves the end of the grace is told with the new day.
    """
    told = _letter(row, found)
    if told is None or told == _letter(row, past):
        return 0
    kind, until = told
    return _queue(session, now, kind, row, until=until, reference=_reference(session, row))


def _letter(row: Organization, found: Payment) -> tuple[MailKind, str] | None:
    """The mail about the state of a payment, and the day that it names."""
    if found.state is PaymentState.IN_GRACE and found.grace_ends_at is not None:
        return MailKind.PAYMENT_FAILED, _day(found.grace_ends_at, row)
    if found.state is PaymentState.PAST_DUE and found.paused_at is not None:
        return MailKind.PAYMENT_OVERDUE, _day(found.paused_at, row)
    if found.state is PaymentState.ENDED and found.paused_at is not None:
        return MailKind.PAYMENT_ENDED, _day(found.paused_at, row)
    return None


def _reference(session: Session, row: Organization) -> str:
    return session.get_one(Subscription, row.id).reference


def _ids(store: ControlStore, statement: Any) -> Iterator[str]:
    with store.session() as session:
        yield from session.scalars(statement)


def _each(store: ControlStore, ids: list[str]) -> Iterator[tuple[Session, Organization]]:
    """Each organization in a write transaction of its own."""
    for organization_id in ids:
        with store.write_transaction(organization_id) as session:
            row = session.get(Organization, organization_id)
            if row is not None:
                yield session, row


def _queue(session: Session, now: datetime, kind: MailKind, row: Organization, **facts: str) -> int:
    owners = session.scalars(
        select(Account)
        .join(Member, Member.account_id == Account.id)
        .where(Member.organization_id == row.id, Member.role == Role.OWNER)
    ).all()
    for owner in owners:
        queue_mail(session, now, kind, owner.email, name=owner.name, organization=row.name, **facts)
    return len(owners)


def _day(instant: datetime, row: Organization) -> str:
    """The day in the organization's time zone."""
    return row.day_of(instant).isoformat()
