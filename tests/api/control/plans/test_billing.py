"""Payments: each event counts once, and new commits wait past the grace until they are paid."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from api.control.audit import Selection, list_entries
from api.control.errors import AlreadyExists, InvalidSetting, NotAllowed, NotFound, NotPossible
from api.control.list_pages import ListQuery
from api.control.models import BillingEvent, Mail
from api.control.operations import operations
from api.control.organizations.organizations import create_organization
from api.control.payments import EventKind, PaymentState, subscription_status
from api.control.plans.billing import PAYMENT_SYSTEM, Outcome, apply_event, request_upgrade
from api.control.plans.grants import Grant
from api.control.plans.plans import change_plan, grant, plan
from api.control.principals import OPERATOR, Principal
from api.control.store import ControlStore, open_store
from tests.api.control.plans.events import START, event
from tests.api.control.plans.histories import commits
from tests.api.people import Clock, join, make_account, principal

pytestmark = pytest.mark.both_databases

ACTIVATED, CHANGED = EventKind.SUBSCRIPTION_ACTIVATED, EventKind.SUBSCRIPTION_CHANGED
FAILED, SUCCEEDED = EventKind.PAYMENT_FAILED, EventKind.PAYMENT_SUCCEEDED
ENDED = EventKind.SUBSCRIPTION_ENDED


@pytest.fixture(autouse=True)
def _cloud(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    monkeypatch.setenv("EAS_DEPLOYMENT", "cloud")
    clock.at = START


@pytest.fixture
def owner(store: ControlStore) -> str:
    return make_account(store, "ada@example.org")


@pytest.fixture
def trial(store: ControlStore, owner: str) -> str:
    return create_organization(store, principal(store, owner), "Acme")


@pytest.fixture
def reference(store: ControlStore, owner: str, trial: str) -> str:
    return request_upgrade(store, principal(store, owner), trial, 5000).reference


def mails(store: ControlStore) -> list[str]:
    with store.session() as session:
        kinds = session.scalars(select(Mail.kind).order_by(Mail.created_at, Mail.kind)).all()
    return [kind for kind in kinds if kind.startswith("payment")]


def test_a_request_is_seen_in_the_plan_and_a_payment_answers_it(
    store: ControlStore, owner: str, trial: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EAS_CHECKOUT_URL", "https://pay.example.org/to?shop=1")
    made = request_upgrade(store, principal(store, owner), trial, 5000)
    assert made.checkout_url == f"https://pay.example.org/to?shop=1&reference={made.reference}"
    assert trial not in made.reference
    assert request_upgrade(store, principal(store, owner), trial, 5000) == made
    shown = plan(store, trial)
    assert shown.upgrade is not None
    assert (shown.plan, shown.upgrade.commit_limit, shown.upgrade.requested_at) == ("trial", 5000, START)
    entries = list_entries(store, trial, ListQuery(9), Selection(action="plan.requestUpgrade")).items
    assert [(one.actor_name, one.after) for one in entries] == [("ada@example.org", {"commitLimit": 5000})]
    assert apply_event(store, event("e1", ACTIVATED, START, made.reference)) is Outcome.APPLIED
    shown = plan(store, trial)
    assert (shown.plan, shown.commit_limit, shown.renews_on, shown.upgrade) == (
        "paid", 5000, date(2027, 12, 1), None,
    )  # fmt: skip
    assert shown.payment.state is PaymentState.CURRENT
    [entry] = list_entries(store, trial, ListQuery(9), Selection(action="plan.subscriptionActivated")).items
    assert (entry.actor_kind, entry.actor_id, entry.before and entry.before["plan"]) == (
        "billing",
        None,
        "trial",
    )


def test_without_an_address_to_pay_at_the_request_has_a_reference_alone(
    store: ControlStore, owner: str, trial: str
) -> None:
    made = request_upgrade(store, principal(store, owner), trial)
    assert (made.checkout_url, len(made.reference) >= 32) == (None, True)


@pytest.mark.parametrize("kind", ["local", "self_hosted"])
def test_other_deployments_have_no_billing(
    store: ControlStore, owner: str, trial: str, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("EAS_DEPLOYMENT", kind)
    with pytest.raises(NotPossible, match=f"a {kind.replace('_', '-')} deployment has no billing"):
        request_upgrade(store, principal(store, owner), trial)


def test_an_admin_cannot_ask_for_an_upgrade(store: ControlStore, trial: str) -> None:
    with pytest.raises(NotAllowed):
        request_upgrade(store, principal(store, join(store, trial, "admin")), trial)


def test_a_payment_raises_the_limit_and_a_build_starts(
    store: ControlStore, trial: str, reference: str
) -> None:
    grant(store, trial, lambda: [commits("r", 1500)])
    assert plan(store, trial).remaining == 0
    assert operations.pending(store, trial) == []
    apply_event(store, event("e1", ACTIVATED, START, reference))
    assert [one.action for one in operations.pending(store, trial)] == ["plan.subscriptionActivated"]
    assert grant(store, trial, lambda: [commits("r", 1500)]) == {"r": Grant(1, 1500)}


def test_new_commits_wait_from_the_end_of_the_grace_until_the_payment(
    store: ControlStore, trial: str, reference: str, clock: Clock
) -> None:
    end = START + timedelta(days=10)
    apply_event(store, event("e1", ACTIVATED, START, reference, commit_limit=None))
    grant(store, trial, lambda: [commits("r", 10)])
    clock.advance(hours=1)
    apply_event(store, event("e2", FAILED, clock(), reference, grace_ends_at=end))
    for second, state, granted in ((-1, PaymentState.IN_GRACE, 20), (0, PaymentState.PAST_DUE, 20)):
        clock.at = end + timedelta(seconds=second)
        assert plan(store, trial).payment.state is state
        delivered = commits("r", 20 + 5 * (second + 1))
        assert grant(store, trial, [delivered].copy) == {"r": Grant(1, granted)}
    [row] = store.snapshot(trial)["organizations"]
    assert (row["is_commit_limited"], plan(store, trial).remaining) == (True, 0)
    assert (row["analysis_paused_by"], row["analysis_paused_since"]) == ("payment", end.date())
    shown = plan(store, trial)
    assert shown.pause is not None
    assert "new analysis is paused" in shown.payment.message == shown.pause.message
    before = len(operations.pending(store, trial))
    apply_event(store, event("e3", SUCCEEDED, clock(), reference))
    assert len(operations.pending(store, trial)) == before + 1
    assert plan(store, trial).remaining is None
    [row] = store.snapshot(trial)["organizations"]
    assert not row["is_commit_limited"]
    assert grant(store, trial, lambda: [commits("r", 25)]) == {"r": Grant(1, 25)}


def test_a_failed_payment_within_its_grace_asks_for_no_build(
    store: ControlStore, trial: str, reference: str
) -> None:
    apply_event(store, event("e1", ACTIVATED, START, reference))
    before = len(operations.pending(store, trial))
    apply_event(store, event("e2", FAILED, START + timedelta(seconds=1), reference))
    assert len(operations.pending(store, trial)) == before


def test_a_grace_is_bounded_from_the_first_failure(
    store: ControlStore, trial: str, reference: str, clock: Clock
) -> None:
    apply_event(store, event("e0", ACTIVATED, START, reference))
    for number in range(4):
        clock.at = START + timedelta(days=20 * number + 1)
        apply_event(
            store,
            event(f"f{number}", FAILED, clock(), reference, grace_ends_at=clock() + timedelta(days=900)),
        )
    found = plan(store, trial).payment
    assert found.grace_ends_at == START + timedelta(days=61)
    assert (found.state, mails(store)) == (PaymentState.PAST_DUE, ["payment_failed"])


def test_an_ended_subscription_waits_for_another(
    store: ControlStore, trial: str, reference: str, clock: Clock
) -> None:
    apply_event(store, event("e1", ACTIVATED, START, reference))
    clock.advance(days=1)
    apply_event(store, event("e2", ENDED, clock(), reference))
    # An invoice of the time before is paid late.
    clock.advance(days=1)
    apply_event(store, event("e3", SUCCEEDED, clock(), reference))
    shown = plan(store, trial)
    assert (shown.plan, shown.payment.state, shown.remaining) == ("paid", PaymentState.ENDED, 0)
    assert "2027-03-02" in shown.payment.message
    [row] = store.snapshot(trial)["organizations"]
    assert (row["analysis_paused_by"], row["analysis_paused_since"]) == ("subscription", date(2027, 3, 2))
    clock.advance(days=1)
    apply_event(store, event("e4", ACTIVATED, clock(), reference, commit_limit=70))
    assert (plan(store, trial).payment.state, plan(store, trial).commit_limit) == (PaymentState.CURRENT, 70)


def test_an_id_counts_once_and_cannot_be_used_again(store: ControlStore, trial: str, reference: str) -> None:
    first = event("e1", ACTIVATED, START, reference)
    assert [apply_event(store, first) for _ in range(3)] == [Outcome.APPLIED] + [Outcome.ALREADY_APPLIED] * 2
    for other in (
        replace(first, commit_limit=9),
        replace(first, kind=CHANGED),
        replace(first, renews_on=None),
    ):
        with pytest.raises(AlreadyExists, match="e1"):
            apply_event(store, other)
    assert plan(store, trial).commit_limit == 5000


def test_an_id_of_another_organization_is_refused(store: ControlStore, trial: str, reference: str) -> None:
    eve = make_account(store, "eve@example.org")
    other = create_organization(store, principal(store, eve), "Other")
    theirs = request_upgrade(store, principal(store, eve), other).reference
    assert theirs != reference
    apply_event(store, event("e1", ACTIVATED, START, reference))
    with pytest.raises(AlreadyExists):
        apply_event(store, event("e1", ACTIVATED, START, theirs))
    assert (plan(store, trial).plan, plan(store, other).plan) == ("paid", "trial")


def test_one_of_many_deliveries_at_once_is_applied(tmp_path: Path) -> None:
    stores = [open_store(tmp_path, now=lambda: START) for _ in range(6)]
    organization = stores[0].ensure_organization("Acme").id
    reference = request_upgrade(stores[0], OPERATOR, organization).reference
    told = event("e1", ACTIVATED, START, reference)
    with ThreadPoolExecutor(len(stores)) as pool:
        outcomes = list(pool.map(lambda store: apply_event(store, told), stores))
    assert sorted(outcomes) == [Outcome.ALREADY_APPLIED] * 5 + [Outcome.APPLIED]
    with stores[0].session() as session:
        assert len(session.scalars(select(BillingEvent)).all()) == 1
    entries = list_entries(
        stores[0], organization, ListQuery(9), Selection(action="plan.subscriptionActivated")
    )
    assert len(entries.items) == 1
    for store in stores:
        store.close()


def test_an_event_that_cannot_be_is_refused_and_not_stored(
    store: ControlStore, trial: str, reference: str
) -> None:
    with pytest.raises(NotFound, match="reference"):
        apply_event(store, event("e1", ACTIVATED, START, "nothing"))
    with pytest.raises(InvalidSetting, match="occurredAt"):
        apply_event(store, event("e1", ACTIVATED, START + timedelta(minutes=6), reference))
    with pytest.raises(InvalidSetting, match="renewalDate"):
        apply_event(store, event("e1", ACTIVATED, START, reference, renews_on=date(2027, 2, 27)))
    assert plan(store, trial).plan == "trial"
    assert apply_event(store, event("e1", ACTIVATED, START, reference)) is Outcome.APPLIED


def test_a_decision_of_the_platform_outlives_older_events(
    store: ControlStore, trial: str, reference: str, clock: Clock
) -> None:
    clock.advance(days=2)
    change_plan(store, OPERATOR, trial, plan="paid", commit_limit=7)
    apply_event(store, event("e1", CHANGED, START + timedelta(days=1), reference))
    assert plan(store, trial).commit_limit == 7
    clock.advance(days=1)
    apply_event(store, event("e2", CHANGED, clock(), reference))
    assert plan(store, trial).commit_limit == 5000


def test_the_payment_system_is_no_caller() -> None:
    """Rights ask callers alone, and one without an account and a key is the operator."""
    assert not isinstance(PAYMENT_SYSTEM, Principal)
    assert not hasattr(PAYMENT_SYSTEM, "account_id")


def test_no_event_says_nothing() -> None:
    assert subscription_status([]).state == "none"
