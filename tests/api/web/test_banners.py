"""Banners above every page: pause, license, payment, for the roles that they concern; and the count of open checks."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from api.control.plans.plans import change_plan
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from api.operator import license as licenses
from api.web.banners import banners
from api.web.reading import Answer
from api.web.sessions.cookies import NAME
from tests.api.conftest import ROOT, Deployment, client_for, serving
from tests.api.operator.signing import END, PUBLIC, license_of
from tests.api.people import Clock, join, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.web.conftest import HOME
from tests.api.web.own_organization import address, published
from tests.api.web.pages import Page

__all__ = ["address", "published"]

READERS = ("OWNER", "ADMIN", "MEMBER", "VIEWER")


NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def plan(pause: str = "", payment: str = "CURRENT", people: int | None = 3, **trial: Any) -> Answer:
    waits = {"reason": pause, "message": f"paused for {pause}"} if pause else None
    body = {
        "pause": waits,
        "payment": {"state": payment, "message": f"payment {payment}"},
        "billableDeveloperCount": people,
        "plan": "PAID",
        "trialEndTime": None,
        "upgrade": None,
    }
    return Answer(200, body | trial)


def trial(after: timedelta, **more: Any) -> Answer:
    return plan(plan="TRIAL", trialEndTime=(NOW + after).isoformat(), **more)


def license_in(state: str, **limits: int) -> Answer:
    return Answer(200, {"state": state, "message": f"license {state}", "limits": limits})


def told(role: str, shown: Answer, license_: Answer | None) -> list[tuple[str, str, str]]:
    found = banners(role, shown, license_, NOW, ZoneInfo("Asia/Tokyo"))
    return [(one.kind, one.text, one.step) for one in found]


@pytest.mark.parametrize("role", READERS)
@pytest.mark.parametrize(
    ("reason", "owner", "other"),
    [
        ("LICENSE", "See the license", "See the license"),
        ("TRIAL", "Ask for an upgrade", "See the plan"),
        ("LIMIT", "Ask for an upgrade", "See the plan"),
        ("PAYMENT", "See the payment", "See the payment"),
        ("SUBSCRIPTION", "See the payment", "See the payment"),
    ],
)
def test_a_pause_is_told_to_each_role_that_reads_the_plan(
    role: str, reason: str, owner: str, other: str
) -> None:
    step = owner if role == "OWNER" else other
    assert told(role, plan(reason, "PAST_DUE"), None) == [("bad", f"paused for {reason}", step)]


@pytest.mark.parametrize("role", READERS)
@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ((plan(payment="IN_GRACE"), None), ["payment IN_GRACE"]),
        ((plan(), license_in("APPROACHING_EXPIRY")), ["license APPROACHING_EXPIRY"]),
        ((plan(), license_in("IN_GRACE")), ["license IN_GRACE"]),
        (
            (plan(), license_in("VALID", developers=2)),
            ["3 developers are billable, and the license is for 2"],
        ),
        ((plan(), license_in("VALID", developers=3)), []),
        ((plan(people=None), license_in("VALID", developers=2)), []),
        ((plan(), license_in("VALID", repositories=1)), []),
        ((plan(), None), []),
    ],
)
def test_what_leads_to_a_pause_is_told_to_owners_and_admins(
    role: str, answers: tuple[Any, ...], expected: list[str]
) -> None:
    found = told(role, *answers)
    assert [kind for kind, _, _ in found] == ["warn"] * len(found)
    shown = [text.partition(":")[0] for _, text, _ in found]
    assert shown == (expected if role in ("OWNER", "ADMIN") else [])


def test_the_end_of_a_trial_is_told_from_the_day_of_its_mail_on() -> None:
    # Noon in UTC is 21:00 in Tokyo, so four hours later the day there is the next one.
    text = "the free trial ends on 2026-11-21: from then on, new commits wait for another plan"
    near = trial(timedelta(hours=4))
    assert told("OWNER", near, None) == [("warn", text, "Ask for an upgrade")]
    assert told("ADMIN", near, None) == [("warn", text, "See the plan")]
    assert told("VIEWER", near, None) == []
    asked = {"requestedAt": NOW.isoformat(), "commitLimit": None}
    assert told("OWNER", trial(timedelta(hours=4), upgrade=asked), None) == [("warn", text, "See the plan")]
    assert told("OWNER", trial(timedelta(days=3, seconds=1)), None) == []
    assert len(told("OWNER", trial(timedelta(days=3)), None)) == 1
    # Past its end a trial is a pause, which says so itself.
    assert told("OWNER", trial(timedelta(0)), None) == []


def test_a_trial_that_ends_stands_above_every_page(
    browser_of: Callable[[str], httpx.Client], published: Deployment
) -> None:
    end = published.store.now() + timedelta(days=2)
    change_plan(
        published.store, OPERATOR, ORGANIZATION, plan="trial", commit_limit=1_000_000, trial_ends_at=end
    )
    try:
        for role in ("owner", "viewer"):
            text = Page(browser_of(role).get(f"{HOME}/overview").text).text
            assert ("The free trial ends on" in text) == (role == "owner")
    finally:
        change_plan(
            published.store, OPERATOR, ORGANIZATION, plan="unlimited", commit_limit=None, trial_ends_at=None
        )


def test_nothing_is_told_without_the_plan() -> None:
    assert told("TEAM_LEAD", Answer(403, None, "you may not see the plan"), license_in("IN_GRACE")) == []


def test_a_pause_stands_above_every_page_for_all_but_team_leads(
    browser_of: Callable[[str], httpx.Client], published: Deployment
) -> None:
    change_plan(published.store, OPERATOR, ORGANIZATION, plan="paid", commit_limit=0)
    try:
        for role in ("owner", "viewer", "team_lead"):
            browser = browser_of(role)
            for page in ("overview", "general", "plan"):
                answer = browser.get(f"{HOME}/{page}")
                found = Page(answer.text)
                shows = "limit of 0 commits is reached: new analysis is paused" in found.text
                assert shows == (role != "team_lead"), (role, page)
                assert found.open == []
    finally:
        change_plan(published.store, OPERATOR, ORGANIZATION, plan="unlimited", commit_limit=None)
    assert "new analysis is paused" not in Page(browser_of("owner").get(f"{HOME}/overview").text).text


def test_the_license_of_the_deployment_is_told_to_owners(
    deployment: Deployment, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(licenses, "PUBLIC_KEYS", (PUBLIC,))
    monkeypatch.setenv("EAS_DEPLOYMENT", "self_hosted")
    monkeypatch.setenv("EAS_LICENSE_KEY", license_of())
    clock.at = END - timedelta(days=1)
    deployment.publish()
    store = ControlStore(deployment.store.engine, clock)
    people = {role: join(store, ORGANIZATION, role) for role in ("owner", "viewer")}
    with serving(deployment.data_dir, clock) as served:
        for days, sentence, roles in (
            (-1, "The license of Acme ends on 2027-01-01", ["owner"]),
            (1, "Analysis goes on until 2027-01-15", ["owner"]),
            (14, "new analysis is paused", ["owner", "viewer"]),
        ):
            clock.at = END + timedelta(days=days)
            for role, account in people.items():
                with client_for(served) as browser:
                    browser.cookies.set(NAME, sign_in(store, account))
                    text = Page(browser.get(f"{HOME}/general", headers={"Accept": "text/html"}).text).text
                assert (sentence in text) == (role in roles), (days, role)


@pytest.mark.parametrize("role", ["owner", "member", "viewer", "team_lead"])
def test_the_navigation_has_the_number_of_open_checks_that_the_person_may_see(
    browser_of: Callable[[str], httpx.Client], role: str
) -> None:
    browser = browser_of(role)
    bearer = {"Authorization": f"Bearer {next(iter(browser.cookies.values()))}"}
    asked = {"status": "OPEN", "pageSize": "1"}
    number = browser.get(f"{ROOT}/checkOccurrences", params=asked, headers=bearer).json()["totalSize"]
    text = Page(browser.get(f"{HOME}/general").text).text
    assert (f"Checks {number:,} open" in text) == (number > 0)
    if role == "owner":
        assert number > 0
