"""Plans and renewals over HTTP."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, date, datetime, timedelta
from typing import Any

import httpx
import pytest

from api.control.plans import renewals
from api.control.plans.plans import change_plan
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import join, make_account, sign_in
from tests.api.published_facts import ORGANIZATION, Facts

Serve = Callable[..., AbstractContextManager[str]]
RENEWAL = date(2026, 11, 1)


@pytest.fixture
def address(deployment: Deployment, serve: Serve) -> Iterator[str]:
    deployment.publish()
    with serve(deployment.data_dir) as address:
        yield address


@pytest.fixture
def member(deployment: Deployment, address: str) -> Callable[[str], httpx.Client]:
    def signed_in(role: str) -> httpx.Client:
        return client_for(address, sign_in(deployment.store, join(deployment.store, ORGANIZATION, role)))

    return signed_in


def billed(facts: Facts, renewal: date = RENEWAL) -> set[str]:
    first = renewal - timedelta(days=90)
    return {
        facts.developers[change.developer]
        for change in facts.changes
        if first <= change.day < renewal and not change.is_bot and not change.is_sandbox
    }


def ok(answer: httpx.Response) -> Any:
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_owners_list_billed_developers_and_others_see_their_number(
    deployment: Deployment, member: Callable[[str], httpx.Client], facts: Facts
) -> None:
    before = ControlStore(deployment.store.engine, lambda: datetime(2026, 10, 20, tzinfo=UTC))
    change_plan(before, OPERATOR, ORGANIZATION, plan="paid", renews_on=RENEWAL)
    expected = billed(facts)
    with member("owner") as owner, member("viewer") as viewer:
        listed = ok(owner.get(f"{ROOT}/billableDevelopers"))
        assert {one["name"] for one in listed["billableDevelopers"]} == expected
        assert 0 < len(expected) < len(facts.developers)
        assert viewer.get(f"{ROOT}/billableDevelopers").status_code == 403
        shown = ok(viewer.get(f"{ROOT}/plan"))
        assert (shown["billableDeveloperCount"], shown["renewalDate"]) == (len(expected), RENEWAL.isoformat())

        people = [{"id": "d", "name": "Ada", "email": "ada@acme.example"}]
        renewals.renew(deployment.store, ORGANIZATION, RENEWAL, "b", people)
        [seen] = ok(viewer.get(f"{ROOT}/renewals"))["renewals"]
        assert (seen["billableDeveloperCount"], seen["billableDevelopers"]) == (1, None)
        [full] = ok(owner.get(f"{ROOT}/renewals"))["renewals"]
        assert full["billableDevelopers"] == people
        # Directly after the renewal, before another build.
        following = date(2026, 12, 1)
        shown = ok(viewer.get(f"{ROOT}/plan"))
        assert shown["renewalDate"] == following.isoformat()
        assert shown["billableDeveloperCount"] == len(billed(facts, following)) > 0


def test_billed_developers_are_unknown_until_a_build_covers_the_renewal(
    deployment: Deployment, member: Callable[[str], httpx.Client]
) -> None:
    for plan in ("paid", "unlimited"):
        change_plan(deployment.store, OPERATOR, ORGANIZATION, plan=plan, renews_on=date(2999, 1, 1))
        with member("owner") as owner:
            shown = ok(owner.get(f"{ROOT}/plan"))
            assert (shown["renewalDate"], shown["billableDeveloperCount"]) == ("2999-01-01", None)
            answer = owner.get(f"{ROOT}/billableDevelopers")
            assert (answer.status_code, answer.json()["code"]) == (400, 9)
            assert "2999-01-01" in answer.json()["message"]


def test_a_plan_is_changed_by_platform_administrators_alone(
    deployment: Deployment, address: str, member: Callable[[str], httpx.Client]
) -> None:
    change = {"plan": "PAID", "commitLimit": 50, "renewalDate": "2027-01-01"}
    with member("owner") as owner:
        refused = owner.patch(f"{ROOT}/plan", json=change)
        assert refused.status_code == 403
        assert "only platform administrators" in refused.json()["message"]
        assert owner.get(f"{ROOT}/billableDevelopers").status_code == 400
    administrator = sign_in(deployment.store, make_account(deployment.store, administrator=True))
    with client_for(address, administrator) as client:
        answer = client.patch(f"{ROOT}/plan", json=change)
        shown = ok(answer)
        assert answer.headers["X-Operation"]
        assert (shown["plan"], shown["commitLimit"], shown["analyzedCommits"], shown["isPaused"]) == (
            "PAID", 50, 0, False,
        )  # fmt: skip
        assert "X-Operation" not in client.patch(f"{ROOT}/plan", json=change).headers
        assert client.patch(f"{ROOT}/plan", json={"plan": "TRIAL"}).status_code == 400
        assert shown["pause"] is None
        paused = ok(client.patch(f"{ROOT}/plan", json={"commitLimit": 0}))
        assert (paused["isPaused"], paused["pause"]["reason"]) == (True, "LIMIT")
        assert "limit of 0 commits is reached" in paused["pause"]["message"]
        trial = {"plan": "TRIAL", "commitLimit": 9, "trialEndTime": "2026-01-01T12:00:00Z"}
        over = ok(client.patch(f"{ROOT}/plan", json=trial))
        assert (over["isPaused"], over["pause"]["reason"]) == (True, "TRIAL")
        assert "ended on 2026-01-01" in over["pause"]["message"]
        assert over["trialEndTime"] == "2026-01-01T12:00:00Z"
        # As docs/administration/plans.md lifts a trial.
        lifted = ok(client.patch(f"{ROOT}/plan", json={"plan": "UNLIMITED", "commitLimit": None}))
        assert (lifted["plan"], lifted["isPaused"], lifted["trialEndTime"]) == ("UNLIMITED", False, None)
        cleared = ok(client.patch(f"{ROOT}/plan", params={"updateMask": "commitLimit"}, json={}))
        assert (cleared["commitLimit"], cleared["isPaused"], cleared["analyzedCommits"]) == (
            None,
            False,
            None,
        )
