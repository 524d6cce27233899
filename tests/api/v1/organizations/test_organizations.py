"""Organizations in the answer to each caller, and their fields."""

from typing import Any

import httpx
import pytest

from api.control.ids import new_id
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import join, make_account, sign_in
from tests.api.published_facts import ORGANIZATION


@pytest.fixture
def others(published: Deployment) -> list[str]:
    """Ids of three more organizations in the order of their names. All names begin with one random word."""
    word = new_id()
    return [published.store.ensure_organization(f"{word} {number}").id for number in range(3)]


def listed(address: str, credential: str, **params: Any) -> dict[str, Any]:
    with client_for(address, credential) as client:
        answer = client.get("/api/v1/organizations", params=params)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def test_a_member_of_several_sees_them_by_name_page_by_page(
    published: Deployment, address: str, others: list[str]
) -> None:
    account = make_account(published.store)
    for organization in [ORGANIZATION, *others[:2]]:
        join(published.store, organization, "viewer", account)
    session = sign_in(published.store, account)
    seen, token = [], ""
    for _ in range(3):
        body = listed(address, session, pageSize=1, pageToken=token)
        assert body["totalSize"] == 3
        seen += body["organizations"]
        token = body["nextPageToken"]
    assert token == ""
    assert {organization["id"] for organization in seen} == {ORGANIZATION, *others[:2]}
    assert [o["name"].lower() for o in seen] == sorted(o["name"].lower() for o in seen)
    for organization in seen:
        assert (organization["asOf"] is not None) == (organization["id"] == ORGANIZATION)


def test_an_account_without_membership_sees_no_organization(published: Deployment, address: str) -> None:
    body = listed(address, sign_in(published.store, make_account(published.store)))
    assert (body["organizations"], body["totalSize"]) == ([], 0)


def test_a_platform_administrator_sees_all_but_figures_as_a_member_only(
    published: Deployment, address: str, others: list[str]
) -> None:
    session = sign_in(published.store, make_account(published.store, administrator=True))
    assert listed(address, session)["organizations"] == []
    seen = listed(address, session, pageSize=1000, all=True)["organizations"]
    assert {organization["id"] for organization in seen} >= {ORGANIZATION, *others}
    assert all(organization["asOf"] is None for organization in seen)
    with client_for(address, session) as client:
        assert client.get(ROOT).json()["asOf"] is None
        refused = client.get(f"{ROOT}/commits")
    assert (refused.status_code, refused.json()["code"]) == (403, 7)


def test_organizations_are_searched_by_name_slug_and_id(
    published: Deployment, address: str, others: list[str]
) -> None:
    session = sign_in(published.store, make_account(published.store, administrator=True))
    everything = listed(address, session, pageSize=1000, all=True)["organizations"]
    for wanted in everything:
        for words in (wanted["name"].upper(), wanted["slug"], wanted["id"]):
            found = listed(address, session, pageSize=1000, all=True, search=words)["organizations"]
            looked = words.lower()
            assert (
                {one["id"] for one in found}
                == {
                    one["id"]
                    for one in everything
                    if any(
                        all(w in one[key].lower() for w in looked.split()) for key in ("name", "slug", "id")
                    )
                }
                >= {wanted["id"]}
            )
    assert listed(address, session, search="acme")["organizations"] == [], (
        "without membership, only with `all`"
    )


def test_nobody_else_can_ask_for_all_organizations(published: Deployment, address: str) -> None:
    account = make_account(published.store)
    join(published.store, ORGANIZATION, "owner", account)
    for credential in (sign_in(published.store, account), published.key()):
        with client_for(address, credential) as client:
            refused = client.get("/api/v1/organizations", params={"all": True})
        assert (refused.status_code, refused.json()["code"]) == (403, 7)
        assert "only platform administrators" in refused.json()["message"]


def test_another_caller_cannot_use_a_page_token(published: Deployment, address: str) -> None:
    account = make_account(published.store)
    for _ in range(2):
        join(published.store, published.store.ensure_organization("Twin").id, "viewer", account)
    token = listed(address, sign_in(published.store, account), pageSize=1)["nextPageToken"]
    with client_for(address, sign_in(published.store, make_account(published.store))) as client:
        refused: httpx.Response = client.get("/api/v1/organizations", params={"pageToken": token})
    assert refused.status_code == 400
