"""Decisions about occurrences that are kept in memory are those of the control database, whoever decided."""

from dataclasses import replace
from datetime import timedelta

import pytest

from api.control.checks import decisions
from api.control.checks.decisions import NamedOccurrence
from api.control.checks.standings import MAX_KEPT, Standings
from api.control.principals import OPERATOR
from api.control.repositories import removals
from api.control.store import ControlStore, open_store
from tests.api.people import Clock

ONE = NamedOccurrence("0190d3b0-0000-7000-8000-00000000aaaa", "direct_push", "Fix", has_ended=False)
OTHER = NamedOccurrence("0190d3b0-0000-7000-8000-00000000bbbb", "direct_push", "Add", has_ended=False)


@pytest.mark.both_databases
def test_a_decision_of_any_process_is_seen_at_once(store: ControlStore) -> None:
    acme, other = (store.ensure_organization(name, slug=name).id for name in ("acme", "other"))
    kept = Standings(store)
    process = open_store(url=store.engine.url.render_as_string(hide_password=False), now=store.now)
    seen = [kept.of(acme)]
    for occurrence, decide in ((ONE, "agreed"), (OTHER, "agreed"), (ONE, None), (ONE, "again")):
        if decide is None:
            decisions.reopen(process, OPERATOR, acme, occurrence)
        else:
            decisions.resolve(process, OPERATOR, acme, occurrence, decide)
        seen.append(kept.of(acme))
        assert seen[-1] == Standings(process).of(acme)
    process.close()
    assert len({one.key for one in seen}) == len({one.decisions for one in seen}) == 5
    assert kept.of(acme).decisions is seen[-1].decisions
    assert kept.of(other).decisions == "[]"


def test_a_decision_that_follows_removed_ones_is_seen(store: ControlStore) -> None:
    """A repository takes its decisions with it, so their number alone may be what it was."""
    acme = store.ensure_organization("acme", slug="acme").id
    store.upsert_repository(acme, "one", name="one", origin="host/one")
    kept = Standings(store)
    decisions.resolve(store, OPERATOR, acme, replace(ONE, repository_id="one"), "agreed")
    before = kept.of(acme)
    removals.remove(store, acme, "one")
    removals.forget(store, acme, "one")
    decisions.resolve(store, OPERATOR, acme, OTHER, "agreed")
    after = kept.of(acme)
    assert after == Standings(store).of(acme)
    assert after.key != before.key


def test_a_day_later_the_same_decisions_have_another_key(store: ControlStore, clock: Clock) -> None:
    acme = store.ensure_organization("acme", slug="acme").id
    kept = Standings(store)
    before = kept.of(acme)
    clock.advance(days=1)
    after = kept.of(acme)
    assert after.today - before.today == timedelta(days=1)
    assert after.key != before.key


def test_only_the_last_organizations_are_kept(store: ControlStore) -> None:
    kept = Standings(store)
    for number in range(MAX_KEPT + 5):
        assert kept.of(f"{number}").decisions == "[]"
    assert kept.size == MAX_KEPT
