"""Subscriptions to summaries: one's own, of what one may read, and mailed once."""

import threading
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from api.control.accounts import members
from api.control.accounts.mails import MailKind, queue_mail, take_due
from api.control.errors import NotAllowed, NotFound, NotPossible
from api.control.list_pages import ListQuery
from api.control.models import Account, Mail, Summary, SummarySubscription
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.repositories import removals
from api.control.store import ControlStore, open_store
from api.control.summaries import revisions, subscriptions
from api.control.summaries.kinds import Period, ScopeKind
from api.control.summaries.subscriptions import SubscriptionRecord, queue_mails, subscribe
from api.control.teams import leads, teams
from api.control.visibility import EVERYTHING, Visibility
from tests.api.control.summaries.test_revisions import MONDAY, week, written
from tests.api.people import Clock, join, principal
from tests.control_databases import Url


@pytest.fixture
def store(tmp_path: Path, control_databases: Url, clock: Clock) -> ControlStore:
    return open_store(tmp_path, url=control_databases(tmp_path), now=clock)


@pytest.fixture
def acme(store: ControlStore) -> str:
    return store.ensure_organization("Acme").id


def subscribed(
    store: ControlStore, acme: str, account: str, kind: ScopeKind = ScopeKind.ORGANIZATION, scope: str = ""
) -> SubscriptionRecord:
    return subscribe(store, principal(store, account), acme, kind, scope or acme, Period.WEEK)


def listed(
    store: ControlStore, acme: str, account: str | None, seen: Visibility = EVERYTHING
) -> list[SubscriptionRecord]:
    page = subscriptions.list_subscriptions(store, acme, ListQuery(50), account_id=account, seen=seen)
    assert page.total == len(page.items)
    return list(page.items)


def queued(store: ControlStore) -> list[tuple[str, str]]:
    """Recipient and subscription of every queued mail of a summary."""
    with store.session() as session:
        rows = session.scalars(select(Mail).where(Mail.kind == MailKind.SUMMARY.value).order_by(Mail.id))
        return [(row.recipient, row.facts["subscription"]) for row in rows]


@pytest.mark.both_databases
def test_a_second_subscription_to_the_same_is_the_first(store: ControlStore, acme: str) -> None:
    ada, eve = join(store, acme, "viewer"), join(store, acme, "member")
    first = subscribed(store, acme, ada)
    assert subscribed(store, acme, ada) == first
    assert (first.scope_name, first.is_paused, first.mailed_at) == ("Acme", False, None)
    assert subscribed(store, acme, eve).id != first.id
    assert listed(store, acme, ada) == [first]
    assert listed(store, acme, None) == []
    with pytest.raises(NotFound, match="no subscription"):
        subscriptions.unsubscribe(store, principal(store, eve), acme, first.id)
    subscriptions.unsubscribe(store, principal(store, ada), acme, first.id)
    assert listed(store, acme, ada) == []
    assert len(listed(store, acme, eve)) == 1


def test_only_what_exists_can_be_subscribed_to(
    store: ControlStore, acme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = join(store, acme, "viewer")
    store.upsert_repository(acme, "r", name="web", origin="example.org/web")
    team = teams.create_team(store, OPERATOR, store.ensure_organization("Other").id, "Web").id
    assert subscribed(store, acme, ada, ScopeKind.REPOSITORY, "R").scope_name == "web"
    for kind, scope in ((ScopeKind.REPOSITORY, "gone"), (ScopeKind.TEAM, team), (ScopeKind.TEAM, "r")):
        with pytest.raises(NotFound):
            subscribed(store, acme, ada, kind, scope)
    monkeypatch.setattr(subscriptions, "MAX_SUBSCRIPTIONS", 1)
    assert subscribed(store, acme, ada, ScopeKind.REPOSITORY, "r") == listed(store, acme, ada)[0]
    with pytest.raises(NotPossible, match="delete one first"):
        subscribed(store, acme, ada)


def test_an_address_that_nobody_verified_gets_no_mail(store: ControlStore, acme: str) -> None:
    ada = join(store, acme, "member")
    with store.session() as session:
        session.execute(update(Account).where(Account.id == ada).values(verified_at=None, password_hash="x"))
    with pytest.raises(NotPossible, match="not verified"):
        subscribed(store, acme, ada)


@pytest.mark.both_databases
def test_a_lead_subscribes_to_led_teams_alone(store: ControlStore, acme: str) -> None:
    lead = join(store, acme, "team_lead")
    web, other = (teams.create_team(store, OPERATOR, acme, name).id for name in ("Web", "Other"))
    below = teams.create_team(store, OPERATOR, acme, "Below", parent_id=web).id
    leads.add_lead(store, OPERATOR, acme, web, lead)
    assert subscribed(store, acme, lead, ScopeKind.TEAM, below).scope_name == "Below"
    for kind, scope in (
        (ScopeKind.TEAM, other),
        (ScopeKind.TEAM, "gone"),
        (ScopeKind.ORGANIZATION, acme),
        (ScopeKind.REPOSITORY, "gone"),
    ):
        with pytest.raises(NotAllowed, match="only the teams that they lead"):
            subscribed(store, acme, lead, kind, scope)
    [paused] = listed(store, acme, lead, Visibility(teams=()))
    assert (paused.is_paused, paused.scope_name) == (True, None)


@pytest.mark.both_databases
def test_subscriptions_end_with_what_they_are_about_and_with_the_membership(
    store: ControlStore, acme: str
) -> None:
    ada = join(store, acme, "member")
    store.upsert_repository(acme, "r", name="web", origin="example.org/web")
    team = teams.create_team(store, OPERATOR, acme, "Web").id
    subscribed(store, acme, ada)
    subscribed(store, acme, ada, ScopeKind.TEAM, team)
    subscribed(store, acme, ada, ScopeKind.REPOSITORY, "r")
    teams.delete_team(store, OPERATOR, acme, team)
    assert {one.scope_kind for one in listed(store, acme, ada)} == {
        ScopeKind.ORGANIZATION,
        ScopeKind.REPOSITORY,
    }
    removals.remove(store, acme, "r")
    removals.forget(store, acme, "r")
    assert [one.scope_kind for one in listed(store, acme, ada)] == [ScopeKind.ORGANIZATION]
    members.remove_member(store, OPERATOR, acme, ada)
    with store.session() as session:
        assert session.scalars(select(SummarySubscription)).all() == []


@pytest.mark.both_databases
def test_the_first_text_of_the_newest_period_is_mailed_once_to_each_subscriber(
    store: ControlStore, acme: str
) -> None:
    people = [join(store, acme, role) for role in Role]
    theirs = {subscribed(store, acme, one).id for one in people if one != people[-1]}
    # Of other scopes and periods.
    subscribe(store, principal(store, people[0]), acme, ScopeKind.ORGANIZATION, None, Period.MONTH)
    other = store.ensure_organization("Other").id
    subscribed(store, other, join(store, other, "owner"))
    barrier = threading.Barrier(4)

    def build(number: int) -> None:
        barrier.wait()
        revisions.store_first(store, acme, week(acme), written(f"b{number}"), is_news=True)

    threads = [threading.Thread(target=build, args=(number,)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(one for _, one in queued(store)) == sorted(theirs)
    again = revisions.store_again(store, acme, week(acme), written("b9"), "operation", is_news=True)
    assert again
    assert len(queued(store)) == len(theirs)


def test_an_older_period_is_mailed_to_nobody_and_a_request_may_be_first(
    store: ControlStore, acme: str
) -> None:
    subscribed(store, acme, join(store, acme, "owner"))
    revisions.store_first(store, acme, week(acme, MONDAY - timedelta(weeks=1)), written())
    revisions.store_again(store, acme, week(acme, MONDAY - timedelta(weeks=2)), written(), "operation")
    assert queued(store) == []
    # The build had left the week to a later one, and somebody asked for a text before that.
    revisions.store_again(store, acme, week(acme), written(), "operation", is_news=True)
    assert len(queued(store)) == 1


def test_a_repository_of_two_organizations_is_mailed_to_those_of_the_one_that_has_the_summary(
    store: ControlStore, acme: str
) -> None:
    other = store.ensure_organization("Other").id
    mine = []
    for organization in (acme, other):
        store.upsert_repository(organization, "r", name="web", origin="example.org/web")
        mine.append(
            subscribed(store, organization, join(store, organization, "viewer"), ScopeKind.REPOSITORY, "r").id
        )
    revisions.store_first(store, acme, week("r", kind=ScopeKind.REPOSITORY), written(), is_news=True)
    assert [one for _, one in queued(store)] == mine[:1]


def test_a_transaction_that_fails_mails_nothing(
    store: ControlStore, acme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribed(store, acme, join(store, acme, "owner"))

    def full(session: Session, now: datetime, summary: Summary) -> None:
        queue_mails(session, now, summary)
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(revisions, "queue_mails", full)
        with pytest.raises(OSError, match="full"):
            revisions.store_first(store, acme, week(acme), written(), is_news=True)
    assert queued(store) == []
    assert revisions.store_first(store, acme, week(acme), written(), is_news=True)
    assert len(queued(store)) == 1


@pytest.mark.both_databases
def test_somebody_who_waits_for_a_mail_does_not_wait_for_summaries(
    store: ControlStore, acme: str, clock: Clock
) -> None:
    for _ in range(12):
        subscribed(store, acme, join(store, acme, "viewer"))
    revisions.store_first(store, acme, week(acme), written(), is_news=True)
    clock.advance(seconds=1)
    with store.session() as session:
        queue_mail(session, store.now(), MailKind.PASSWORD_RESET, "ada@example.org")
    first = take_due(store)
    assert first is not None
    assert first.kind is MailKind.PASSWORD_RESET
    second = take_due(store)
    assert second is not None
    assert second.kind is MailKind.SUMMARY


def test_a_key_of_the_operator_has_no_address(store: ControlStore, acme: str) -> None:
    with pytest.raises(NotPossible, match="only an account"):
        subscribe(store, OPERATOR, acme, ScopeKind.ORGANIZATION, None, Period.WEEK)
