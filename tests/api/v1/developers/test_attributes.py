"""Attributes of developers over HTTP: accepted and refused values, and the audit log."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import httpx
import pytest

from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.published_facts import ORGANIZATION, Facts

Serve = Callable[..., AbstractContextManager[str]]
NOTHING = {
    "name": None, "primaryEmail": None, "role": None, "seniority": None, "joiningDate": None,
    "probationEndDate": None, "leavingDate": None, "avatarUrl": None, "kind": None,
}  # fmt: skip
DATES = {"joiningDate": "2026-01-01", "probationEndDate": "2026-04-01", "leavingDate": "2026-12-31"}


@pytest.fixture
def client(deployment: Deployment, serve: Serve) -> Iterator[httpx.Client]:
    deployment.publish()
    with serve(deployment.data_dir) as address, client_for(address, deployment.key(scope="write")) as client:
        yield client


@pytest.fixture
def ada(facts: Facts) -> str:
    return facts.shown_twice


def say(client: httpx.Client, developer: str, body: Any, mask: str = "") -> httpx.Response:
    return client.patch(f"{ROOT}/developers/{developer}", json=body, params={"updateMask": mask})


def said(client: httpx.Client, developer: str) -> dict[str, Any]:
    answer = client.get(f"{ROOT}/developers/{developer}/attributes")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def rows(deployment: Deployment) -> dict[str, str | None]:
    found = deployment.store.snapshot(ORGANIZATION)["developer_attributes"]
    return {row["attribute"]: row["value"] for row in found}


def test_every_attribute_can_be_set_and_cleared(
    client: httpx.Client, deployment: Deployment, facts: Facts, ada: str
) -> None:
    assert said(client, ada) == {"id": ada} | NOTHING
    everything = DATES | {
        "name": "Countess Lovelace", "primaryEmail": facts.private_email(ada).upper(), "role": "Analyst",
        "seniority": "senior", "avatarUrl": "https://pictures.example/ada.png", "kind": "HUMAN",
    }  # fmt: skip
    answer = say(client, ada, everything)
    assert answer.status_code == 200, answer.text
    told = everything | {"primaryEmail": facts.private_email(ada), "seniority": "SENIOR"}
    assert answer.json() == {"id": ada} | told
    assert said(client, ada) == answer.json()
    assert rows(deployment) == {
        "name": "Countess Lovelace", "primary_email": facts.private_email(ada), "role": "Analyst",
        "seniority": "SENIOR", "joining_date": "2026-01-01", "probation_end_date": "2026-04-01",
        "leaving_date": "2026-12-31", "avatar_url": "https://pictures.example/ada.png", "kind": "human",
    }  # fmt: skip
    assert say(client, ada, dict.fromkeys(everything)).json() == {"id": ada} | NOTHING
    assert rows(deployment) == {}


def test_only_sent_or_masked_fields_change(client: httpx.Client, ada: str) -> None:
    say(client, ada, {"role": "Analyst", "seniority": "Staff"})
    assert say(client, ada, {"role": "Lead"}).json()["seniority"] == "Staff"
    masked = say(client, ada, {"role": "None", "seniority": "junior"}, "seniority").json()
    assert (masked["role"], masked["seniority"]) == ("Lead", "JUNIOR")
    assert say(client, ada, {}, "role").json()["role"] is None
    assert say(client, ada, {"role": "x"}, "etv").status_code == 400


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"joiningDate": "2026-05-02", "probationEndDate": "2026-05-01"}, "probationEndDate"),
        ({"joiningDate": "2026-05-02", "leavingDate": "2026-05-01"}, "leavingDate"),
        ({"probationEndDate": "2026-05-02", "leavingDate": "2026-05-01"}, "leavingDate"),
        ({"joiningDate": "2026-02-30"}, "joiningDate"),
        ({"joiningDate": 20260101}, "joiningDate"),
        ({"primaryEmail": "grace@acme.example"}, "primaryEmail"),
        ({"primaryEmail": ""}, "primaryEmail"),
        ({"avatarUrl": "http://pictures.example/ada.png"}, "avatarUrl"),
        ({"avatarUrl": "javascript:alert(1)"}, "avatarUrl"),
        ({"avatarUrl": "https:///ada.png"}, "avatarUrl"),
        ({"avatarUrl": "https://me:secret@pictures.example/"}, "avatarUrl"),
        ({"avatarUrl": "https://pictures.example/a b"}, "avatarUrl"),
        ({"avatarUrl": "https://pictures.example:99999/"}, "avatarUrl"),
        ({"avatarUrl": "https://pictures.example/" + "a" * 2048}, "avatarUrl"),
        ({"seniority": ""}, "seniority"),
        ({"seniority": "x" * 101}, "seniority"),
        ({"role": "two\nlines"}, "role"),
        ({"name": "x" * 256}, "name"),
        ({"kind": "ROBOT"}, "kind"),
        ({"etv": 5}, "etv"),
    ],
)
def test_a_malformed_request_is_refused_and_changes_nothing(
    client: httpx.Client, deployment: Deployment, ada: str, body: dict[str, Any], field: str
) -> None:
    answer = say(client, ada, {"role": "Analyst"} | body)
    assert (answer.status_code, answer.json()["code"]) == (400, 3), answer.text
    (detail,) = answer.json()["details"]
    assert [violation["field"] for violation in detail["fieldViolations"]] == [field]
    assert rows(deployment) == {}


def test_a_date_is_checked_against_the_stored_dates(client: httpx.Client, ada: str) -> None:
    say(client, ada, DATES)
    assert say(client, ada, {"joiningDate": "2026-04-02"}).status_code == 400
    assert say(client, ada, {"leavingDate": "2026-03-31"}).status_code == 400
    moved = {"joiningDate": "2026-05-01", "probationEndDate": "2026-05-01", "leavingDate": "2026-05-01"}
    assert say(client, ada, moved).status_code == 200


def test_a_cleared_attribute_of_a_merged_developer_stays_empty(
    client: httpx.Client, deployment: Deployment, facts: Facts
) -> None:
    """Otherwise a list would show the attribute of the other developer."""
    linus, _ = facts.merged
    say(client, linus, {"role": "Lead", "seniority": None})
    assert rows(deployment) == {"role": "Lead", "seniority": None}
    # The three dates go together: those that figures show are taken over with the first that is changed.
    say(client, linus, {"leavingDate": "2026-12-31"})
    dates = {"joining_date": None, "probation_end_date": None, "leaving_date": "2026-12-31"}
    assert rows(deployment) == {"role": "Lead", "seniority": None} | dates


def test_a_cleared_attribute_is_logged_once_when_another_id_may_have_one(
    client: httpx.Client, facts: Facts, ada: str
) -> None:
    linus, _ = facts.merged
    first, again = say(client, linus, {"role": None}), say(client, linus, {"role": None})
    operation = client.get(f"{ROOT}/operations/{first.headers['X-Operation']}").json()
    assert (operation["action"], operation["targetId"]) == ("developers.update", linus)
    assert "X-Operation" not in again.headers
    [entry] = client.get(f"{ROOT}/auditEntries", params={"target": linus}).json()["auditEntries"]
    assert (entry["before"], entry["after"]) == ({"role": None}, {"role": None})
    # Clearing an attribute that was never entered changes nothing for a developer with one id.
    assert "X-Operation" not in say(client, ada, {"role": None}).headers


def test_an_unknown_developer_is_not_found(client: httpx.Client) -> None:
    for developer in ("nobody", "0d8c4fa5-6c3e-57c0-9f43-0d5b2f6a7f10"):
        assert say(client, developer, {"role": "x"}).status_code == 404
        assert client.get(f"{ROOT}/developers/{developer}/attributes").status_code == 404


def test_a_change_is_logged_with_its_former_value_and_no_change_is_not_logged(
    client: httpx.Client, ada: str
) -> None:
    say(client, ada, {"role": "Analyst"})
    say(client, ada, {"role": "Analyst"})
    say(client, ada, {"role": "Lead", "kind": "BOT"})
    params = {"orderBy": "at", "action": "developers.update"}
    entries = client.get(f"{ROOT}/auditEntries", params=params).json()["auditEntries"]
    assert [(entry["before"], entry["after"]) for entry in entries] == [
        ({"role": None}, {"role": "Analyst"}),
        ({"kind": None, "role": "Analyst"}, {"kind": "bot", "role": "Lead"}),
    ]
    assert client.get(f"{ROOT}/operations").json()["totalSize"] == 2
    say(client, ada, {"avatarUrl": "https://pictures.example/ada.png"})
    [newest, *_] = client.get(f"{ROOT}/auditEntries").json()["auditEntries"]
    assert newest["after"] == {"avatarUrl": "https://pictures.example/ada.png"}


def test_lists_have_the_entered_attributes(client: httpx.Client, facts: Facts, ada: str) -> None:
    """The published build has no attributes."""
    listed = client.get(f"{ROOT}/developers", params={"filter": "NOT seniority:*", "orderBy": "joiningDate"})
    assert listed.json()["totalSize"] == len(facts.developers)
    one = client.get(f"{ROOT}/developers/{ada}").json()
    names = (
        "kind", "role", "seniority", "joiningDate", "probationEndDate", "leavingDate", "avatarUrl",
        "teamId", "teamName",
    )  # fmt: skip
    assert {name: one[name] for name in names} == dict.fromkeys(names) | {
        "teamId": next(key for key, (_, _, own) in facts.teams.items() if ada in own),
        "teamName": "Web",
    }
    assert [(address["name"], address["email"], address["reason"]) for address in one["addresses"]] == [
        ("Ada", facts.email(ada), "FIRST_USED"),
        ("Ada", facts.private_email(ada), "SAME_FULL_NAME"),
    ]
