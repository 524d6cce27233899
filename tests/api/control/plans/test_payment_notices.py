"""Mails to owners about payments: each is sent once, with a day that is still right."""

import itertools
from datetime import timedelta

import pytest
from sqlalchemy import select

from api.control.models import Mail, Member
from api.control.organizations.organizations import create_organization
from api.control.payments import EventKind, PaymentState
from api.control.plans.billing import Outcome, apply_event, request_upgrade
from api.control.plans.notices import warn_of_past_due
from api.control.plans.plans import plan
from api.control.store import ControlStore
from tests.api.control.plans.events import START, event
from tests.api.people import Clock, join, make_account, principal

pytestmark = pytest.mark.both_databases

ACTIVATED, ENDED = EventKind.SUBSCRIPTION_ACTIVATED, EventKind.SUBSCRIPTION_ENDED
FAILED, SUCCEEDED = EventKind.PAYMENT_FAILED, EventKind.PAYMENT_SUCCEEDED


@pytest.fixture(autouse=True)
def _cloud(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    monkeypatch.setenv("EAS_DEPLOYMENT", "cloud")
    clock.at = START


@pytest.fixture
def trial(store: ControlStore) -> str:
    return create_organization(store, principal(store, make_account(store, "ada@example.org")), "Acme")


@pytest.fixture
def reference(store: ControlStore, trial: str) -> str:
    with store.session() as session:
        owner = session.scalars(select(Member.account_id).where(Member.organization_id == trial)).one()
    return request_upgrade(store, principal(store, owner), trial, 5000).reference


def mails(store: ControlStore) -> list[str]:
    return [kind for kind, _ in told(store)]


def told(store: ControlStore) -> list[tuple[str, str]]:
    """Kinds of mails with the day that each names."""
    statement = select(Mail).where(Mail.kind.startswith("payment")).order_by(Mail.created_at, Mail.id)
    with store.session() as session:
        return [(mail.kind, mail.facts["until"]) for mail in session.scalars(statement)]


def test_another_failure_that_moves_the_grace_is_told_with_the_new_day(
    store: ControlStore, trial: str, reference: str, clock: Clock
) -> None:
    apply_event(store, event("e1", ACTIVATED, START, reference))
    for number, days in enumerate((10, 20, 20)):
        clock.advance(hours=1)
        end = START + timedelta(days=days)
        apply_event(store, event(f"f{number}", FAILED, clock(), reference, grace_ends_at=end))
    days_told = [(START + timedelta(days=days)).date().isoformat() for days in (10, 20)]
    assert told(store) == [("payment_failed", day) for day in days_told]


def test_a_failure_after_its_grace_promises_no_analysis(
    store: ControlStore, trial: str, reference: str, clock: Clock
) -> None:
    apply_event(store, event("e1", ACTIVATED, START, reference))
    clock.advance(days=20)
    end = START + timedelta(days=5)
    apply_event(store, event("e2", FAILED, START + timedelta(days=1), reference, grace_ends_at=end))
    assert told(store) == [("payment_overdue", end.date().isoformat())]


def test_owners_hear_that_a_subscription_ended(
    store: ControlStore, trial: str, reference: str, clock: Clock
) -> None:
    apply_event(store, event("e1", ACTIVATED, START, reference))
    clock.advance(days=1)
    apply_event(store, event("e2", ENDED, clock(), reference))
    apply_event(store, event("e3", SUCCEEDED, clock() + timedelta(seconds=1), reference))
    assert told(store) == [("payment_ended", clock().date().isoformat())]


def test_owners_hear_of_a_failure_once_and_again_before_it_is_past_due(
    store: ControlStore, trial: str, reference: str, clock: Clock
) -> None:
    join(store, trial, "admin")
    apply_event(store, event("e1", ACTIVATED, START, reference))
    apply_event(store, event("e2", FAILED, START + timedelta(seconds=1), reference))
    apply_event(store, event("e3", FAILED, START + timedelta(seconds=2), reference))
    assert (mails(store), warn_of_past_due(store)) == (["payment_failed"], 0)
    clock.at = START + timedelta(days=11, seconds=3)
    assert [warn_of_past_due(store) for _ in range(2)] == [1, 0]
    assert mails(store) == ["payment_failed", "payment_due"]
    # The next failure is another story.
    apply_event(store, event("e4", SUCCEEDED, clock(), reference))
    clock.advance(days=30)
    apply_event(store, event("e5", FAILED, clock(), reference))
    assert mails(store) == ["payment_failed", "payment_due", "payment_failed"]
    with store.session() as session:
        rows = session.scalars(select(Mail).where(Mail.kind.startswith("payment"))).all()
    assert {row.recipient for row in rows} == {"ada@example.org"}


def test_a_failure_that_arrives_before_its_subscription_is_told_all_the_same(
    store: ControlStore, trial: str, reference: str
) -> None:
    apply_event(store, event("e2", FAILED, START + timedelta(seconds=1), reference))
    assert (mails(store), plan(store, trial).payment.state) == ([], PaymentState.NONE)
    apply_event(store, event("e1", ACTIVATED, START, reference))
    assert (mails(store), plan(store, trial).payment.state) == (["payment_failed"], PaymentState.IN_GRACE)


def test_a_failure_that_was_paid_already_is_told_nobody(
    store: ControlStore, trial: str, reference: str
) -> None:
    seconds = itertools.count()
    for name, kind in (("e1", ACTIVATED), ("e3", SUCCEEDED)):
        apply_event(store, event(name, kind, START + timedelta(seconds=2 * next(seconds)), reference))
    late = event("e2", FAILED, START + timedelta(seconds=1), reference)
    assert (apply_event(store, late), mails(store)) == (Outcome.SUPERSEDED, [])
