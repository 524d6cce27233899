"""Corrections: requests of members, and the changes after an administrator accepts one."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import join, make_account, sign_in
from tests.api.published_facts import ORGANIZATION, Commit, Facts
from tests.api.scoped_facts import address, developer_id

pytestmark = pytest.mark.both_databases


@pytest.fixture(scope="module")
def owner(deployed: Deployment, address_of: str) -> Iterator[httpx.Client]:
    with client_for(
        address_of, sign_in(deployed.store, join(deployed.store, ORGANIZATION, "owner"))
    ) as client:
        yield client


@pytest.fixture(scope="module")
def ada(deployed: Deployment, address_of: str) -> Iterator[httpx.Client]:
    account = join(deployed.store, ORGANIZATION, "viewer", make_account(deployed.store, address("Ada")))
    with client_for(address_of, sign_in(deployed.store, account)) as client:
        yield client


@pytest.fixture(scope="module")
def grace(deployed: Deployment, address_of: str) -> Iterator[httpx.Client]:
    account = join(deployed.store, ORGANIZATION, "team_lead", make_account(deployed.store, address("Grace")))
    with client_for(address_of, sign_in(deployed.store, account)) as client:
        yield client


def counted_of(facts: Facts, name: str, number: int = 0) -> Commit:
    return [c for c in facts.commits if c.developer == developer_id(name) and c.changes][number]


def file(client: httpx.Client, **claim: Any) -> dict[str, Any]:
    answer = client.post(f"{ROOT}/me/corrections", json={"text": "See for yourself."} | claim)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def decide(client: httpx.Client, correction: dict[str, Any], verb: str, answer: str = "") -> httpx.Response:
    return client.post(f"{ROOT}/corrections/{correction['id']}:{verb}", json={"answer": answer})


def actions(owner: httpx.Client) -> list[str]:
    return [entry["action"] for entry in owner.get(f"{ROOT}/auditEntries").json()["auditEntries"]]


def test_an_accepted_exclusion_leaves_the_commit_out(
    owner: httpx.Client, ada: httpx.Client, deployed: Deployment, moving: Facts
) -> None:
    commit = counted_of(moving, "Ada")
    filed = file(ada, kind="EXCLUSION", commit=commit.sha)
    assert (filed["state"], filed["commitId"], filed["filedBy"]) == ("PENDING", commit.id, address("Ada"))
    assert owner.get(f"{ROOT}/commitExclusions").json()["commitExclusions"] == []
    accepted = decide(owner, filed, "accept", "Right.").json()
    assert (accepted["state"], accepted["answer"]) == ("ACCEPTED", "Right.")
    (excluded,) = owner.get(f"{ROOT}/commitExclusions").json()["commitExclusions"]
    assert (excluded["commitId"], excluded["isExcluded"]) == (commit.id, True)
    # What was written to the administrators stays with the correction.
    assert excluded["note"] == f"accepted correction {filed['id']}"
    assert "See for yourself." not in str(deployed.store.snapshot(ORGANIZATION))
    assert ada.get(f"{ROOT}/me/corrections/{filed['id']}").json() == accepted
    assert actions(owner)[:3] == ["commits.exclude", "corrections.accept", "corrections.create"]
    again = decide(owner, filed, "reject", "No.")
    assert (again.status_code, again.json()["code"]) == (400, 9)
    assert "was accepted" in again.json()["message"]


def test_the_warehouse_gets_an_accepted_category(
    owner: httpx.Client, ada: httpx.Client, deployed: Deployment, moving: Facts
) -> None:
    commit = counted_of(moving, "Ada", 1)
    filed = file(ada, kind="CATEGORY", commit=commit.id, category="DOCUMENTATION")
    assert deployed.store.snapshot(ORGANIZATION)["commit_categories"] == []
    assert decide(owner, filed, "accept").status_code == 200
    assert deployed.store.snapshot(ORGANIZATION)["commit_categories"] == [
        {"organization_id": ORGANIZATION, "commit_id": commit.id, "category": "documentation"}
    ]
    assert owner.get(f"{ROOT}/operations").json()["operations"][0]["action"] == "commits.categorize"
    path = f"{ROOT}/commits/{commit.sha}:categorize"
    assert owner.post(path, json={"category": "FIXES"}).json()["category"] == "FIXES"
    assert owner.post(path, json={"category": None}).json()["category"] is None
    assert deployed.store.snapshot(ORGANIZATION)["commit_categories"] == []
    assert owner.post(f"{ROOT}/commits/nothing:categorize", json={"category": None}).status_code == 404
    assert ada.post(path, json={"category": "FIXES"}).status_code == 403


def test_an_accepted_address_merges_the_developers(owner: httpx.Client, ada: httpx.Client) -> None:
    filed = file(ada, kind="ALIAS", email=address("Frances").upper(), isMine=True)
    # Nothing tells whether anybody has that address.
    unknown = file(ada, kind="ALIAS", email="nobody@elsewhere.example", isMine=True)
    same = {"id", "email", "filedAt"}
    assert {k: v for k, v in filed.items() if k not in same} == {
        k: v for k, v in unknown.items() if k not in same
    }
    assert decide(owner, filed, "accept").status_code == 200
    (merge,) = owner.get(f"{ROOT}/identityDecisions").json()["identityDecisions"]
    assert merge["kind"] == "MERGE"
    assert {one["id"] for one in merge["developers"]} == {developer_id("Ada"), developer_id("Frances")}
    refused = decide(owner, unknown, "accept")
    assert (refused.status_code, refused.json()["code"]) == (400, 9)
    assert owner.get(f"{ROOT}/corrections/{unknown['id']}").json()["state"] == "PENDING"
    rejected = decide(owner, unknown, "reject", "Nobody has it.")
    assert rejected.json()["answer"] == "Nobody has it."


def test_a_correction_that_cannot_be_applied_stays_pending(owner: httpx.Client, grace: httpx.Client) -> None:
    """A developer cannot lose the only address: the correction stays pending, and the log has no entry."""
    filed = file(grace, kind="ALIAS", email=address("Grace"), isMine=False)
    before = actions(owner)
    refused = decide(owner, filed, "accept")
    assert (refused.status_code, refused.json()["code"]) == (400, 9)
    assert "must keep at least one address" in refused.json()["message"]
    assert owner.get(f"{ROOT}/corrections/{filed['id']}").json()["state"] == "PENDING"
    assert actions(owner) == before
    assert decide(owner, filed, "reject").status_code == 400
    assert decide(owner, filed, "reject", "It is your only one.").json()["state"] == "REJECTED"


def test_members_request_and_see_only_their_own_corrections(
    owner: httpx.Client, ada: httpx.Client, grace: httpx.Client, moving: Facts
) -> None:
    theirs = counted_of(moving, "Ken")
    for client in (ada, grace, owner):
        for claim in ({"kind": "EXCLUSION"}, {"kind": "CATEGORY", "category": "FIXES"}):
            answer = client.post(f"{ROOT}/me/corrections", json={"text": "x", "commit": theirs.sha} | claim)
            assert answer.status_code == (400 if client is owner else 404), answer.text
    answer = grace.post(
        f"{ROOT}/me/corrections",
        json={"text": "x", "kind": "ALIAS", "email": address("Ken"), "isMine": False},
    )
    assert (answer.status_code, answer.json()["code"]) == (400, 3)
    filed = file(grace, kind="EXCLUSION", commit=counted_of(moving, "Grace").id)
    assert ada.get(f"{ROOT}/me/corrections/{filed['id']}").status_code == 404
    assert filed["id"] not in ada.get(f"{ROOT}/me/corrections").text
    assert filed["id"] in grace.get(f"{ROOT}/me/corrections", params={"state": "PENDING"}).text
    for path in ("corrections", f"corrections/{filed['id']}"):
        assert grace.get(f"{ROOT}/{path}").status_code == 403
        assert filed["id"] in owner.get(f"{ROOT}/{path}").text
    assert decide(grace, filed, "accept").status_code == 403


@pytest.mark.parametrize(
    "claim",
    [
        {"kind": "ALIAS"}, {"kind": "ALIAS", "email": "a@b.c"}, {"kind": "EXCLUSION"}, {"kind": "NAME"},
        {"kind": "CATEGORY", "commit": "c"}, {"kind": "EXCLUSION", "commit": "c", "isMine": True}, {},
        {"kind": "ALIAS", "email": "ada@acme.example", "isMine": False, "text": " "},
        {"kind": "ALIAS", "email": "ada@acme.example", "isMine": False, "text": "x" * 1001},
    ],
)  # fmt: skip
def test_errors_name_the_fields_that_a_kind_requires(ada: httpx.Client, claim: dict[str, Any]) -> None:
    answer = ada.post(f"{ROOT}/me/corrections", json={"text": "Why."} | claim)
    assert (answer.status_code, answer.json()["code"]) == (400, 3), answer.text


def test_an_address_of_somebody_else_is_split_off(owner: httpx.Client, ada: httpx.Client) -> None:
    filed = file(ada, kind="ALIAS", email="Ada@home.example", isMine=False)
    assert decide(owner, filed, "accept").status_code == 200
    (split,) = owner.get(f"{ROOT}/identityDecisions", params={"kind": "SPLIT"}).json()["identityDecisions"]
    assert split["developerId"] == developer_id("Ada")
    assert [one["email"] for one in split["addresses"]] == ["ada@home.example"]
