"""Events of a payment system in any order of arrival end in one state."""

from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from api.control.models import BillingEvent, Subscription
from api.control.payments import EventKind, subscription_status
from api.control.plans.billing import apply_event, request_upgrade
from api.control.plans.plans import plan
from api.control.principals import OPERATOR
from api.control.store import open_store
from tests.api.control.plans.events import START, event
from tests.suite.tiers import fewer

ACTIVATED, CHANGED = EventKind.SUBSCRIPTION_ACTIVATED, EventKind.SUBSCRIPTION_CHANGED
FAILED, ENDED = EventKind.PAYMENT_FAILED, EventKind.SUBSCRIPTION_ENDED


@pytest.fixture(autouse=True)
def _cloud(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EAS_DEPLOYMENT", "cloud")


STEPS = st.lists(
    st.tuples(st.sampled_from(EventKind), st.integers(0, 50), st.integers(1, 9000)), min_size=1, max_size=7
)


@pytest.mark.both_databases
@given(STEPS.flatmap(lambda steps: st.tuples(st.just(steps), st.permutations(range(len(steps))))))
def test_the_state_of_the_payment_does_not_depend_on_the_order_of_arrival(
    told: tuple[list[tuple[EventKind, int, int]], list[int]],
) -> None:
    steps, order = told
    rows = [
        BillingEvent(
            id=f"e{number}",
            organization_id="o",
            kind=kind,
            occurred_at=START + timedelta(hours=number),
            grace_ends_at=START + timedelta(days=days),
        )
        for number, (kind, days, _) in enumerate(steps)
    ]
    found = subscription_status([rows[number] for number in order])
    assert found == subscription_status(rows)
    assert found.state == last_word([kind for kind, _, _ in steps])


# Without shrinking: each example makes two databases.
@settings(
    max_examples=fewer(40),
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(STEPS, st.randoms(use_true_random=False))
def test_any_order_of_arrival_ends_in_one_state(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[EventKind, int, int]], random: st.DataObject
) -> None:
    """Also with repetitions. Compared with a reader that takes the events by their times."""
    times = [START + timedelta(hours=number) for number in range(len(steps))]
    ends = []
    for order in ("as sent", "shuffled"):
        folder = tmp_path_factory.mktemp("orders")
        store = open_store(folder, now=lambda: START + timedelta(days=30))
        organization = store.ensure_organization("Acme").id
        reference = request_upgrade(store, OPERATOR, organization).reference
        told = [
            event(f"e{number}", kind, at, reference, **facts(kind, at, days, limit))
            for number, ((kind, days, limit), at) in enumerate(zip(steps, times, strict=True))
        ]
        sent = list(told)
        if order == "shuffled":
            sent += told[: len(told) // 2]
            random.shuffle(sent)  # type: ignore[attr-defined]  # a random.Random
        for one in sent:
            apply_event(store, one)
        shown = plan(store, organization)
        with store.session() as session:
            row = session.get_one(Subscription, organization)
            ends.append(
                (shown.plan, shown.commit_limit, shown.renews_on, shown.payment, row.state, row.since)
            )
        store.close()
    assert ends[0] == ends[1]
    subscribed = [limit for kind, _, limit in steps if kind in (ACTIVATED, CHANGED)]
    assert ends[0][:2] == (("paid", subscribed[-1]) if subscribed else ("unlimited", None))
    assert ends[0][4] == last_word([kind for kind, _, _ in steps])


def facts(kind: EventKind, at: datetime, days: int, limit: int) -> dict[str, object]:
    if kind in (ACTIVATED, CHANGED):
        return {"commit_limit": limit}
    return {"grace_ends_at": at + timedelta(days=days)} if kind is FAILED else {}


def last_word(kinds: list[EventKind]) -> str:
    """Read backwards: the newest event that says something about the payment, unless an end came before it."""
    after_end = kinds
    if ENDED in kinds:
        place = len(kinds) - 1 - kinds[::-1].index(ENDED)
        after_end = kinds[place + 1 :]
        if ACTIVATED not in after_end:
            # An end counts from its first time on, and even a second one says the same.
            return "ended"
        after_end = after_end[after_end.index(ACTIVATED) :]
    words = [kind for kind in after_end if kind is not CHANGED]
    return {FAILED: "failing"}.get(words[-1], "current") if words else "none"
