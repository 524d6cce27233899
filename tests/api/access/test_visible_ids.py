"""Ids in paths and filters: unknown ids, ids of items without work, and former ids of merged developers."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import date
from typing import Any

import httpx
import pytest

from api.control.principals import OPERATOR
from api.control.teams import leads as team_leads
from api.control.teams import teams
from api.control.teams.memberships import add_membership, remove_membership
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import join, make_account, sign_in
from tests.api.published_facts import ORGANIZATION, Facts
from tests.api.scoped_deployment import LeadView
from tests.api.scoped_facts import address, developer_id

Serve = Callable[..., AbstractContextManager[str]]

NOBODY = "0190d3b0-0000-7000-8000-00000000dead"
FILTERS = (
    ("metrics", "repository"), ("metrics", "developer"), ("metrics", "team"), ("commits", "repository"),
    ("commits", "developer"), ("commits", "team"),
)  # fmt: skip


def answer(client: httpx.Client, path: str, **params: Any) -> dict[str, Any]:
    found = client.get(f"{ROOT}/{path}", params=params)
    assert found.status_code == 200, found.text
    return dict(found.json())


def ids(facts: Facts, kind: str) -> list[str]:
    """The known ids of repositories, developers or teams."""
    known: dict[str, Iterable[str]] = {
        "repository": facts.repositories,
        "developer": facts.developers,
        "team": facts.teams,
    }
    return list(known[kind])


@pytest.mark.parametrize(("path", "name"), FILTERS)
def test_a_filter_by_an_unknown_item_is_not_answered_with_zeros(
    client: httpx.Client, facts: Facts, path: str, name: str
) -> None:
    of_another_kind = next(iter(facts.developers if name != "developer" else facts.repositories))
    for unknown in (NOBODY, "not-an-id", "'; select 1", of_another_kind):
        refused = client.get(f"{ROOT}/{path}", params={name: unknown})
        assert (refused.status_code, refused.json()["code"]) == (404, 5), refused.text
        assert f"no {name} {unknown!r}" in refused.json()["message"]
    several: dict[str, Any] = {"groupBy": "TEAM"} if (path, name) == ("metrics", "team") else {}
    both = client.get(f"{ROOT}/{path}", params=several | {name: [ids(facts, name)[0], NOBODY]})
    assert both.status_code == 404, both.text
    assert NOBODY in both.json()["message"]


@pytest.mark.parametrize(("path", "name"), FILTERS)
def test_known_entities_without_work_have_zeros(
    client: httpx.Client, facts: Facts, path: str, name: str
) -> None:
    for one in ids(facts, name):
        days = {"startDate": "2020-01-01", "endDate": "2020-01-31"}
        found = answer(client, path, **{name: one}, **days)
        if path == "commits":
            assert (found["commits"], found["totalSize"]) == ([], 0)
        else:
            assert {point["etv"] for point in found["series"][0]["points"]} == {0}


def test_a_former_id_gives_the_merged_developer(client: httpx.Client, facts: Facts) -> None:
    present, former = facts.merged
    assert answer(client, f"developers/{former}") == answer(client, f"developers/{present}")
    assert answer(client, f"developers/{former.upper()}")["id"] == present
    wide = {"startDate": "2026-01-01", "endDate": "2026-11-20"}
    for path, params in (
        ("commits", {}),
        ("metrics", {"interval": "MONTH", **wide}),
        ("metrics", {"interval": "MONTH", "groupBy": "DEVELOPER", **wide}),
    ):
        expected = answer(client, path, **params, developer=present)
        assert answer(client, path, **params, developer=former) == expected
        # One person, not a mixture of two.
        assert answer(client, path, **params, developer=[former, present]) == expected
    assert answer(client, "commits", developer=former)["totalSize"] > 0
    moved = answer(client, "movements", entity="DEVELOPER", id=present, **wide)
    assert answer(client, "movements", entity="DEVELOPER", id=former, **wide) == moved
    assert moved["movements"]


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("teamMemberships", "team"), ("teamMemberships", "developer"), ("identityDecisions", "developer"),
        ("commitExclusions", "repository"),
    ],
)  # fmt: skip
def test_a_list_of_decisions_about_an_unknown_object_is_not_found(
    deployment: Deployment, serve: Serve, facts: Facts, path: str, name: str
) -> None:
    deployment.publish()
    store = deployment.store
    for key, title in facts.repositories.items():
        store.upsert_repository(ORGANIZATION, key, name=title, origin=f"git.example/{title}")
    team = teams.create_team(store, OPERATOR, ORGANIZATION, "Nobody's")
    known: dict[str, Iterable[str]] = {
        "repository": facts.repositories,
        "developer": facts.developers,
        "team": [team.id],
    }
    of_another_kind = next(iter(facts.developers if name != "developer" else facts.repositories))
    with serve(deployment.data_dir) as served, client_for(served, deployment.key()) as client:
        for unknown in (NOBODY, "not-an-id", "'; select 1", of_another_kind):
            refused = client.get(f"{ROOT}/{path}", params={name: unknown})
            assert (refused.status_code, refused.json()["code"]) == (404, 5), refused.text
            assert f"no {name} {unknown!r}" in refused.json()["message"]
        for one in known[name]:
            for spelled in (one, one.upper()):
                found = answer(client, path, **{name: spelled})
                assert (found[path], found["totalSize"]) == ([], 0)


@pytest.mark.both_databases
def test_decisions_about_a_developer_are_found_by_each_id(
    deployment: Deployment, serve: Serve, facts: Facts
) -> None:
    deployment.publish()
    present, former = facts.merged
    other = next(key for key in facts.developers if key not in (present, facts.bot))
    team = teams.create_team(deployment.store, OPERATOR, ORGANIZATION, "Web")
    for key, month in ((present, 3), (former, 1), (NOBODY, 1), (other, 1)):
        add_membership(deployment.store, OPERATOR, ORGANIZATION, team.id, key, date(2026, month, 1))
    with serve(deployment.data_dir) as served, client_for(served, deployment.key(scope="write")) as client:
        merged = client.post(f"{ROOT}/developers:merge", json={"developerIds": [former, other]})
        client.post(f"{ROOT}/identityDecisions/{merged.json()['id']}:undo")
        for path in ("teamMemberships", "identityDecisions"):
            by_present = answer(client, path, developer=present)
            assert by_present["totalSize"] > 0
            assert answer(client, path, developer=former.upper()) == by_present
        # A developer in no build, of whom the control database has rows.
        kept = answer(client, "teamMemberships", developer=NOBODY)["teamMemberships"]
        assert [one["developerId"] for one in kept] == [NOBODY]
        both = answer(client, "teamMemberships", developer=present)["teamMemberships"]
        assert {one["developerId"] for one in both} == {present, former}


@pytest.mark.both_databases
def test_before_the_first_build_only_control_data_is_found(deployment: Deployment, serve: Serve) -> None:
    team = teams.create_team(deployment.store, OPERATOR, ORGANIZATION, "Web")
    add_membership(deployment.store, OPERATOR, ORGANIZATION, team.id, NOBODY, date(2026, 1, 1))
    with serve(deployment.data_dir) as served, client_for(served, deployment.key()) as client:
        assert answer(client, "teamMemberships", developer=NOBODY)["totalSize"] == 1
        for path in ("teamMemberships", "identityDecisions"):
            unknown = client.get(f"{ROOT}/{path}", params={"developer": NOBODY.replace("d", "e")})
            assert unknown.status_code == 404


def test_an_id_that_the_log_does_not_have_has_no_entries(client: httpx.Client) -> None:
    for name in ("target", "actor"):
        assert answer(client, "auditEntries", **{name: NOBODY})["totalSize"] == 0


@pytest.mark.both_databases
def test_a_lead_sees_the_memberships_in_the_led_teams(lead: LeadView, deployed: Deployment) -> None:
    hidden = [key for key in lead.facts.developers if key not in lead.people]
    team = min(lead.teams, default=None)
    kept = [
        add_membership(deployed.store, OPERATOR, ORGANIZATION, team, hidden[0], date(2019, 1, 1))
        for _ in hidden[:1]
        if team is not None
    ]
    told = set()
    for key in [*lead.facts.developers, NOBODY]:
        found = lead.client.get(f"{ROOT}/teamMemberships", params={"developer": key})
        if key in lead.people or key in {one.developer_id for one in kept}:
            assert found.status_code == 200, found.text
            shown = [one["id"] for one in found.json()["teamMemberships"]]
            assert shown == [one.id for one in kept if one.developer_id == key]
        else:
            assert (found.status_code, found.json()["code"]) == (403, 7), found.text
            told.add(found.json()["message"].replace(key, "…"))
    for one in kept:
        remove_membership(deployed.store, OPERATOR, ORGANIZATION, one.id)
    assert len(told) == 1


WIDE = {"startDate": "2026-01-01", "endDate": "2026-11-20"}
FILTERED: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("developers", "id", WIDE), ("commits", "developerId", {}), ("capex", "developerId", WIDE),
    ("movements", "entityId", WIDE | {"entity": "DEVELOPER"}),
    ("mergeSuggestions", "developerId", {}), ("mergeSuggestions", "otherId", {}),
)  # fmt: skip


@pytest.mark.parametrize(("path", "column", "params"), FILTERED)
def test_a_filter_knows_former_ids_as_parameters_do(
    client: httpx.Client, facts: Facts, path: str, column: str, params: dict[str, str]
) -> None:
    present, former = facts.merged
    for shape in ("{} = {}", '{}:"{}"', "{} != {}", "NOT {} = {}", "({0} = {1} OR {0} = x)"):
        by_present, *by_former = (
            answer(client, path, filter=shape.format(column, key), pageSize=1000, **params)
            for key in (present, former, former.upper())
        )
        for found in (by_present, *by_former):
            found.pop("nextPageToken")
        assert by_former == [by_present, by_present], shape
    nobody = answer(client, path, filter=f"{column} = {NOBODY}", **params)
    assert nobody["totalSize"] == 0


def test_a_filter_by_a_former_id_finds_some_rows_and_not_all(client: httpx.Client, facts: Facts) -> None:
    for path, column, params in FILTERED[:4]:
        asked = {"pageSize": 1000, **params}
        everything = answer(client, path, **asked)["totalSize"]
        own, others = (
            answer(client, path, filter=f"{column} {sign} {facts.merged[1]}", **asked)["totalSize"]
            for sign in ("=", "!=")
        )
        assert (own > 0, others > 0, own + others) == (True, True, everything), path


def test_a_capex_file_knows_former_ids(client: httpx.Client, facts: Facts) -> None:
    files = [
        client.get(f"{ROOT}/capex", params={"format": "CSV", "filter": f"developerId = {key}", **WIDE}).text
        for key in facts.merged
    ]
    assert files[0] == files[1]
    assert files[0].count("\n") > 1


def test_a_decision_about_a_former_id_applies_to_the_merged_developer(
    deployment: Deployment, serve: Any, facts: Facts
) -> None:
    deployment.publish()
    present, former = facts.merged
    with serve(deployment.data_dir) as served, client_for(served, deployment.key(scope="write")) as client:
        changed = client.patch(f"{ROOT}/developers/{former}", json={"role": "Engineer"})
        assert (changed.status_code, changed.json()["id"]) == (200, present)
        assert answer(client, f"developers/{former}/attributes")["role"] == "Engineer"
        other = next(key for key in facts.developers if key not in (present, facts.bot))
        merged = client.post(f"{ROOT}/developers:merge", json={"developerIds": [former, other]})
        assert {part["id"] for part in merged.json()["developers"]} == {present, other}
        alone = client.post(f"{ROOT}/developers:merge", json={"developerIds": [former, present]})
        assert (alone.status_code, alone.json()["code"]) == (400, 3)


@pytest.fixture
def ada(deployed: Deployment, address_of: str) -> Iterator[httpx.Client]:
    account = join(deployed.store, ORGANIZATION, "viewer", make_account(deployed.store, address("Ada")))
    with client_for(address_of, sign_in(deployed.store, account)) as client:
        yield client


def test_items_of_others_are_not_found_among_own_ones(ada: httpx.Client, moving: Facts) -> None:
    me = developer_id("Ada")
    teams = {one["teamId"] for one in answer(ada, "me")["teams"]}
    repositories = {commit.repository for commit in moving.commits if commit.developer == me}
    assert teams
    assert repositories
    for name, own, everything in (
        ("developer", {me}, moving.developers),
        ("team", teams, moving.teams),
        ("repository", repositories, moving.repositories),
    ):
        for one in [*everything, NOBODY]:
            found = ada.get(f"{ROOT}/me/metrics", params={name: one})
            assert found.status_code == (200 if one in own else 404), (name, one, found.text)
            if one not in own:
                assert found.json()["message"] == f"no {name} {one!r} in your own figures"


def test_a_former_id_opens_no_more_to_a_lead_than_the_present_one(lead: LeadView) -> None:
    present, former = lead.facts.merged
    for path in (
        "developers/{}",
        "metrics?developer={}",
        "commits?pageSize=1000&developer={}",
        "movements?entity=DEVELOPER&id={}",
    ):
        by_present, by_former, by_nobody = (
            lead.client.get(f"{ROOT}/{path.format(key)}") for key in (present, former, NOBODY)
        )
        assert by_former.status_code == (200 if present in lead.people else 403)
        if present in lead.people:
            assert by_former.json() == by_present.json()
        else:
            told = by_former.json()["message"].replace(former, "…")
            assert told == by_nobody.json()["message"].replace(NOBODY, "…")
            assert by_present.status_code == 403


def test_a_filter_opens_no_more_to_a_lead_by_a_former_id(lead: LeadView) -> None:
    present, former = lead.facts.merged
    for path in ("developers?filter=id%20%3D%20{}", "commits?filter=developerId%20%3D%20{}"):
        by_present, by_former, by_nobody = (
            lead.client.get(f"{ROOT}/{path.format(key)}").json()["totalSize"]
            for key in (present, former, NOBODY)
        )
        assert by_nobody == 0
        assert by_former == by_present
        assert (by_present > 0) == (present in lead.people)


def test_a_led_team_that_no_build_has_yet_has_zeros(deployed: Deployment, address_of: str) -> None:
    made = teams.create_team(deployed.store, OPERATOR, ORGANIZATION, "Newcomers")
    try:
        account = join(deployed.store, ORGANIZATION, "team_lead", make_account(deployed.store))
        team_leads.add_lead(deployed.store, OPERATOR, ORGANIZATION, made.id, account)
        with client_for(address_of, sign_in(deployed.store, account)) as lead:
            for spelled in (made.id, made.id.upper()):
                points = answer(lead, "metrics", team=spelled)["series"][0]["points"]
                assert {point["etv"] for point in points} == {0}
                assert answer(lead, "commits", team=spelled)["totalSize"] == 0
            refused = lead.get(f"{ROOT}/metrics", params={"team": NOBODY})
            assert refused.status_code == 403
    finally:
        teams.delete_team(deployed.store, OPERATOR, ORGANIZATION, made.id)


def test_the_error_of_an_unknown_id_says_what_can_be_the_case(client: httpx.Client) -> None:
    message = client.get(f"{ROOT}/metrics", params={"team": NOBODY}).json()["message"]
    assert message.endswith("it does not exist, was removed, or is newer than this build")
