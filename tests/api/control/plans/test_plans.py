"""Plans: in any order of events, grants only grow and stay within the limit; trials warn and end."""

from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import select

from api.control.errors import InvalidSetting
from api.control.list_pages import ListQuery
from api.control.models import Mail
from api.control.organizations.organizations import change_settings, create_organization
from api.control.pauses import PauseReason
from api.control.plans import renewals
from api.control.plans.grants import Grant
from api.control.plans.notices import warn_of_ending
from api.control.plans.plans import change_plan, grant, paused_plans, plan
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from tests.api.control.plans.histories import commits
from tests.api.people import Clock, join, make_account, principal

pytestmark = pytest.mark.both_databases


@pytest.fixture
def trial(store: ControlStore) -> str:
    return create_organization(store, principal(store, make_account(store, "ada@example.org")), "Acme")


def test_an_organization_of_a_self_hosted_deployment_has_its_license_and_no_trial(
    store: ControlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = principal(store, make_account(store, "eve@example.org"))
    monkeypatch.setenv("EAS_DEPLOYMENT", "self_hosted")
    made = create_organization(store, owner, "Acme")
    shown = plan(store, made)
    assert (shown.plan, shown.commit_limit, shown.trial_ends_at) == ("unlimited", None, None)
    assert shown.pause is not None
    assert shown.pause.reason is PauseReason.LICENSE
    monkeypatch.setenv("EAS_DEPLOYMENT", "local")
    assert (plan(store, made).pause, plan(store, made).remaining) == (None, None)


def test_an_organization_that_people_make_is_on_trial_and_the_command_lines_is_not(
    store: ControlStore, trial: str, clock: Clock
) -> None:
    shown = plan(store, trial)
    assert (shown.plan, shown.commit_limit, shown.analysed) == ("trial", 1000, 0)
    assert shown.trial_ends_at == clock() + timedelta(days=14)
    assert plan(store, store.ensure_organization("Local").id).remaining is None


def test_a_limit_is_used_up_kept_and_raised(store: ControlStore, trial: str) -> None:
    grant(store, trial, lambda: [commits("r", 1500)])
    assert grant(store, trial, lambda: [commits("r", 1500)]) == {"r": Grant(501, 1500)}
    assert plan(store, trial).remaining == 0
    assert grant(store, trial, lambda: [commits("r", 1600)]) == {"r": Grant(501, 1500)}
    change_plan(store, OPERATOR, trial, plan="paid", commit_limit=1200)
    assert grant(store, trial, lambda: [commits("r", 1600)]) == {"r": Grant(401, 1600)}
    change_plan(store, OPERATOR, trial, commit_limit=10)
    assert grant(store, trial, lambda: [commits("r", 1700)]) == {"r": Grant(401, 1600)}
    change_plan(store, OPERATOR, trial, plan="unlimited", commit_limit=None)
    assert grant(store, trial, lambda: [commits("r", 1700)]) == {"r": Grant(1, 1700)}
    [row] = store.snapshot(trial)["organizations"]
    assert (row["is_commit_limited"], store.snapshot(trial)["commit_grants"]) == (False, [])


def test_a_limit_that_comes_later_takes_nothing_back(store: ControlStore) -> None:
    acme = store.ensure_organization("Acme").id
    grant(store, acme, lambda: [commits("r", 5000)])
    change_plan(store, OPERATOR, acme, plan="paid", commit_limit=1000)
    assert grant(store, acme, lambda: [commits("r", 5010)]) == {"r": Grant(1, 5000)}


def test_nothing_new_is_analysed_after_a_trial(store: ControlStore, trial: str, clock: Clock) -> None:
    grant(store, trial, lambda: [commits("r", 10)])
    clock.advance(days=14)
    assert grant(store, trial, lambda: [commits("r", 20)]) == {"r": Grant(1, 10)}
    assert plan(store, trial).remaining == 0


@pytest.mark.parametrize(("kind", "next_step"), [("cloud", "requestUpgrade"), ("local", "PATCH …/plan")])
def test_an_ended_trial_and_a_reached_limit_name_themselves_and_the_next_step(
    store: ControlStore, trial: str, clock: Clock, monkeypatch: pytest.MonkeyPatch, kind: str, next_step: str
) -> None:
    monkeypatch.setenv("EAS_DEPLOYMENT", kind)
    assert (plan(store, trial).pause, paused_plans(store)) == (None, [])
    change_plan(store, OPERATOR, trial, commit_limit=10)
    grant(store, trial, lambda: [commits("r", 12)])
    pause = plan(store, trial).pause
    assert pause is not None
    assert (pause.reason, "limit of 10 commits is reached" in pause.message) == (PauseReason.LIMIT, True)
    assert store.snapshot(trial)["organizations"][0]["analysis_paused_by"] is None
    clock.advance(days=15)
    ended = (clock() - timedelta(days=1)).date()
    pause = plan(store, trial).pause
    assert pause is not None
    assert (pause.reason, pause.since) == (PauseReason.TRIAL, ended)
    assert f"the free trial ended on {ended}" in pause.message
    assert next_step in pause.message
    assert ("requestUpgrade" in pause.message) is (kind == "cloud")
    [row] = store.snapshot(trial)["organizations"]
    assert (row["analysis_paused_by"], row["analysis_paused_since"]) == ("trial", ended)
    assert paused_plans(store) == [("acme", pause)]
    change_plan(store, OPERATOR, trial, plan="unlimited", commit_limit=None)
    assert (plan(store, trial).pause, paused_plans(store)) == (None, [])


def test_a_plan_that_cannot_be_is_refused_and_changes_nothing(store: ControlStore, trial: str) -> None:
    before = plan(store, trial)
    with pytest.raises(InvalidSetting, match="commitLimit"):
        change_plan(store, OPERATOR, trial, plan="unlimited")
    with pytest.raises(InvalidSetting, match="trialEndTime"):
        change_plan(store, OPERATOR, trial, commit_limit=None)
    with pytest.raises(InvalidSetting, match="plan"):
        change_plan(store, OPERATOR, trial, plan="gold")
    with pytest.raises(InvalidSetting, match="commitLimit"):
        change_plan(store, OPERATOR, trial, commit_limit=-1)
    assert plan(store, trial) == before


def test_owners_are_warned_once_of_a_trial_that_ends(store: ControlStore, trial: str, clock: Clock) -> None:
    join(store, trial, "admin")
    assert warn_of_ending(store) == 0
    clock.advance(days=11.5)
    assert [warn_of_ending(store) for _ in range(2)] == [1, 0]
    with store.session() as session:
        mail = session.scalars(select(Mail).where(Mail.kind == "trial_ending")).one()
    assert (mail.recipient, mail.facts["limit"]) == ("ada@example.org", "1,000")


def test_owners_are_warned_again_of_an_end_that_was_moved(
    store: ControlStore, trial: str, clock: Clock
) -> None:
    clock.at = datetime(2026, 3, 1, 20, tzinfo=UTC)
    change_settings(store, OPERATOR, trial, {"time_zone": "Pacific/Kiritimati"})
    ends = [datetime(2026, 3, day, 12, tzinfo=UTC) for day in (3, 20)]
    for end in ends:
        change_plan(store, OPERATOR, trial, trial_ends_at=end)
        change_plan(store, OPERATOR, trial, trial_ends_at=end, commit_limit=50)
        clock.at = end - timedelta(days=1)
        assert [warn_of_ending(store) for _ in range(2)] == [1, 0]
        change_plan(store, OPERATOR, trial, commit_limit=60)
        assert warn_of_ending(store) == 0
    with store.session() as session:
        mails = session.scalars(select(Mail).where(Mail.kind == "trial_ending").order_by(Mail.due_at)).all()
    # Days of the organization's zone.
    assert [mail.facts["until"] for mail in mails] == ["2026-03-04", "2026-03-21"]


def test_a_renewal_is_not_in_the_past_where_the_organization_is(
    store: ControlStore, trial: str, clock: Clock
) -> None:
    clock.at = datetime(2026, 3, 1, 11, tzinfo=UTC)
    change_settings(store, OPERATOR, trial, {"time_zone": "Pacific/Kiritimati"})
    with pytest.raises(InvalidSetting, match="renewalDate: 2026-03-01 is in the past; use 2026-03-02"):
        change_plan(store, OPERATOR, trial, plan="paid", renews_on=date(2026, 3, 1))
    assert plan(store, trial).plan == "trial"
    day = date(2026, 3, 2)
    assert change_plan(store, OPERATOR, trial, renews_on=day).renews_on == day
    # Said again once it is over, until the renewal is counted.
    clock.advance(days=9)
    assert change_plan(store, OPERATOR, trial, plan="paid", renews_on=day).renews_on == day


def test_a_renewal_is_counted_once_and_the_next_is_a_month_later(
    store: ControlStore, trial: str, clock: Clock
) -> None:
    clock.at = datetime(2026, 1, 1, tzinfo=UTC)
    day = date(2026, 1, 31)
    change_plan(store, OPERATOR, trial, plan="paid", renews_on=day)
    assert renewals.due(store, trial, day - timedelta(days=1)) is None
    assert renewals.due(store, trial, day) == day
    people = [{"id": "d", "name": "Ada", "email": None}]
    assert [renewals.renew(store, trial, day, "b", people) for _ in range(2)] == [True, False]
    assert plan(store, trial).renews_on == date(2026, 2, 28)
    [found] = renewals.list_renewals(store, trial, ListQuery(9)).items
    assert (found.renewed_on, found.developers, found.build_id) == (day, people, "b")


def test_renewals_keep_their_day_over_short_months_and_a_date_set_back_goes_on(
    store: ControlStore, trial: str, clock: Clock
) -> None:
    clock.at = datetime(2026, 1, 1, tzinfo=UTC)
    change_plan(store, OPERATOR, trial, plan="paid", renews_on=date(2026, 1, 31))
    days = []
    for _ in range(5):
        day = plan(store, trial).renews_on
        assert day is not None
        days.append(day)
        assert renewals.renew(store, trial, day, "b", [])
    assert [(day.month, day.day) for day in days] == [(1, 31), (2, 28), (3, 31), (4, 30), (5, 31)]
    change_plan(store, OPERATOR, trial, renews_on=date(2026, 3, 31))
    assert renewals.renew(store, trial, date(2026, 3, 31), "c", [{"id": "d"}]) is False
    assert plan(store, trial).renews_on == date(2026, 4, 30)
    assert [one.build_id for one in renewals.list_renewals(store, trial, ListQuery(9)).items] == ["b"] * 5


@pytest.mark.parametrize(
    ("day", "next_day"),
    [
        (date(2026, 12, 31), date(2027, 1, 31)),
        (date(2028, 1, 30), date(2028, 2, 29)),
        (date(2026, 3, 1), date(2026, 4, 1)),
    ],
)
def test_a_month_later_is_the_same_day_or_the_last(day: date, next_day: date) -> None:
    assert renewals.month_later(day) == next_day


def test_without_a_license_new_commits_wait_and_analysed_ones_stay(
    store: ControlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    organization = store.ensure_organization("Local").id
    grant(store, organization, lambda: [commits("a", 10)])
    monkeypatch.setenv("EAS_DEPLOYMENT", "self_hosted")
    assert (plan(store, organization).is_limited, plan(store, organization).remaining) == (
        True,
        0,
    )
    assert grant(store, organization, lambda: [commits("a", 15), commits("b", 5)]) == {"a": Grant(1, 10)}
    [settings] = store.snapshot(organization)["organizations"]
    assert settings["is_commit_limited"]
    monkeypatch.delenv("EAS_DEPLOYMENT")
    assert grant(store, organization, lambda: [commits("a", 15)]) == {"a": Grant(1, 15)}
    [settings] = store.snapshot(organization)["organizations"]
    assert not settings["is_commit_limited"]
