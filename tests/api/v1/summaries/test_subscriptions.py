"""Subscriptions to summaries over HTTP: each member's own, in person, within what they may read."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import httpx
import pytest

from api.control.accounts.tokens import create_token
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import join, principal, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.scoped_deployment import make_lead, put_teams
from tests.api.scoped_facts import below, make_scoped_facts

Serve = Callable[..., AbstractContextManager[str]]
SUBSCRIPTIONS = f"{ROOT}/summarySubscriptions"
WEEK = {"period": "WEEK"}


@pytest.fixture
def address(deployment: Deployment, serve: Serve) -> Iterator[str]:
    with serve(deployment.data_dir) as address:
        yield address


def person(deployment: Deployment, address: str, role: str) -> httpx.Client:
    return client_for(address, sign_in(deployment.store, join(deployment.store, ORGANIZATION, role)))


def listed(client: httpx.Client, **params: Any) -> list[dict[str, Any]]:
    answer = client.get(SUBSCRIPTIONS, params=params)
    assert answer.status_code == 200, answer.text
    return list(answer.json()["summarySubscriptions"])


def test_everybody_has_their_own_subscriptions(deployment: Deployment, address: str) -> None:
    with person(deployment, address, "viewer") as viewer, person(deployment, address, "owner") as owner:
        made = viewer.post(SUBSCRIPTIONS, json=WEEK)
        assert made.status_code == 200
        assert made.json() | {"id": "", "createdAt": ""} == {
            "id": "", "scopeKind": "ORGANIZATION", "scopeId": ORGANIZATION, "scopeName": "Acme", "period": "WEEK",
            "createdAt": "", "mailedAt": None, "isPaused": False,
        }  # fmt: skip
        assert viewer.post(SUBSCRIPTIONS, json=WEEK).json() == made.json()
        month = viewer.post(SUBSCRIPTIONS, json={"scopeKind": "organization", "period": "MONTH"}).json()
        assert listed(viewer) == [month, made.json()]
        assert [one["id"] for one in listed(viewer, orderBy="createdAt", pageSize=1)] == [made.json()["id"]]
        assert listed(owner) == []
        path = f"{SUBSCRIPTIONS}/{made.json()['id']}"
        assert owner.delete(path).status_code == 404
        assert viewer.delete(path).json() == {}
        assert viewer.delete(path).status_code == 404
        assert listed(viewer) == [month]
        audited = owner.get(f"{ROOT}/auditEntries", params={"targetKind": "summarySubscription"}).json()
        assert [one["action"].rpartition(".")[2] for one in audited["auditEntries"]] == [
            "delete", "create", "create",
        ]  # fmt: skip


def test_a_subscription_names_an_existing_scope_and_a_period(deployment: Deployment, address: str) -> None:
    with person(deployment, address, "member") as member:
        for body, status in (
            ({}, 400),
            ({"period": "DAY"}, 400),
            (WEEK | {"scopeKind": "TEAM"}, 400),
            (WEEK | {"scopeKind": "TEAM", "scopeId": "gone"}, 404),
            (WEEK | {"scopeKind": "REPOSITORY", "scopeId": "gone"}, 404),
        ):
            assert member.post(SUBSCRIPTIONS, json=body).status_code == status, body
        assert listed(member) == []


def test_a_key_ends_subscriptions_of_its_maker_and_makes_none(deployment: Deployment, address: str) -> None:
    account = join(deployment.store, ORGANIZATION, "member")
    key = create_token(
        deployment.store, ORGANIZATION, "ci", scope="write", actor=principal(deployment.store, account)
    ).key
    with (
        client_for(address, sign_in(deployment.store, account)) as person,
        client_for(address, key) as own,
        client_for(address, deployment.key(scope="write")) as operators,
    ):
        for one in (own, operators):
            refused = one.post(SUBSCRIPTIONS, json=WEEK)
            assert (refused.status_code, "sign in" in refused.json()["message"]) == (403, True)
        made = person.post(SUBSCRIPTIONS, json=WEEK).json()
        assert (listed(own), listed(operators)) == ([made], [])
        assert operators.delete(f"{SUBSCRIPTIONS}/{made['id']}").status_code == 404
        assert own.delete(f"{SUBSCRIPTIONS}/{made['id']}").status_code == 200


def test_a_lead_subscribes_to_led_teams_and_learns_nothing_of_others(
    deployment: Deployment, address: str
) -> None:
    facts = make_scoped_facts(commits=1)
    put_teams(deployment, facts)
    led = below(facts, "Product")
    unknown = "0190d3b0-0000-7000-8000-00000000dead"
    with client_for(address, sign_in(deployment.store, make_lead(deployment, ("Product",)))) as lead:
        told = set()
        for team in (*facts.teams, unknown):
            answer = lead.post(SUBSCRIPTIONS, json=WEEK | {"scopeKind": "TEAM", "scopeId": team})
            assert answer.status_code == (200 if team in led else 403)
            if team not in led:
                told.add(answer.json()["message"])
        assert len(told) == 1
        for body in (WEEK, WEEK | {"scopeKind": "REPOSITORY", "scopeId": "r1"}):
            assert lead.post(SUBSCRIPTIONS, json=body).status_code == 403
        assert {one["scopeId"] for one in listed(lead)} == led
