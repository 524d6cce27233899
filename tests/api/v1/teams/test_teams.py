"""Teams over HTTP: figures compared with loops over the facts, and changes of the tree and of members."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import date
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from api.control.models import AuditEntry, IdentityDecision
from api.control.principals import OPERATOR
from api.control.teams.memberships import add_membership
from tests.api import people
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.published_facts import ORGANIZATION, UNIT, Change, Facts

Serve = Callable[..., AbstractContextManager[str]]
RANGE = {"startDate": "2026-05-01", "endDate": "2026-11-20"}


@pytest.fixture
def client(deployment: Deployment, serve: Serve) -> Iterator[httpx.Client]:
    deployment.publish()
    with serve(deployment.data_dir) as address, client_for(address, deployment.key(scope="write")) as client:
        yield client


def team_changes(facts: Facts, team: str) -> list[Change]:
    people, first = facts.people_of(team), date(2026, 5, 1)
    return [
        change
        for change in facts.changes
        if change.developer in people and change.day >= first and not (change.is_bot or change.is_sandbox)
    ]


def create(client: httpx.Client, name: str, parent: str | None = None) -> str:
    answer = client.post(f"{ROOT}/teams", json={"name": name, "parentId": parent})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["id"])


def join(client: httpx.Client, team: str, developer: str, day: str) -> httpx.Response:
    body = {"teamId": team, "developerId": developer, "startDate": day}
    return client.post(f"{ROOT}/teamMemberships", json=body)


def memberships(client: httpx.Client, **params: str) -> list[tuple[Any, ...]]:
    answer = client.get(f"{ROOT}/teamMemberships", params={"orderBy": "startDate"} | params)
    assert answer.status_code == 200, answer.text
    return [(m["teamId"], m["startDate"], m["endDate"]) for m in answer.json()["teamMemberships"]]


def test_a_team_has_the_figures_of_its_people_and_sub_teams(client: httpx.Client, facts: Facts) -> None:
    answer = client.get(f"{ROOT}/teams", params=RANGE).json()
    assert answer["totalSize"] == len(facts.teams)
    shown = {team["id"]: team for team in answer["teams"]}
    for key, (name, parent, own) in facts.teams.items():
        changes = team_changes(facts, key)
        expected = sum(change.etv for change in changes) / UNIT
        assert (shown[key]["name"], shown[key]["parentId"]) == (name, parent)
        assert shown[key]["etv"] == pytest.approx(expected, abs=1e-9)
        assert shown[key]["ownDeveloperCount"] == len(own)
    etvs = [team["etv"] for team in answer["teams"]]
    assert etvs == sorted(etvs, reverse=True)
    assert 0 < etvs[1] < etvs[0]


def test_teams_are_found_sorted_and_paged(client: httpx.Client, facts: Facts) -> None:
    names: list[str] = []
    token = ""
    while True:
        params = RANGE | {"orderBy": "name desc", "pageSize": "3", "pageToken": token}
        answer = client.get(f"{ROOT}/teams", params=params).json()
        names += [team["name"] for team in answer["teams"]]
        token = answer["nextPageToken"]
        if not token:
            break
    assert names == sorted((name for name, _, _ in facts.teams.values()), reverse=True)
    found = client.get(f"{ROOT}/teams", params=RANGE | {"search": "eb"}).json()["teams"]
    assert [team["name"] for team in found] == ["Web"]


def test_series_of_teams_add_up_to_their_changes(client: httpx.Client, facts: Facts) -> None:
    params = RANGE | {"groupBy": "TEAM", "interval": "MONTH", "metrics": "etv,performance"}
    lines = client.get(f"{ROOT}/metrics", params=params).json()["series"]
    assert len(lines) == 3  # those with work
    for line in lines:
        etv = sum(change.etv for change in team_changes(facts, line["key"])) / UNIT
        assert sum(point["etv"] for point in line["points"]) == pytest.approx(etv, abs=1e-6)
        assert any(point["performance"] is not None for point in line["points"])
    one = next(key for key, (name, _, _) in facts.teams.items() if name == "Core")
    single = client.get(
        f"{ROOT}/metrics", params=RANGE | {"team": one, "interval": "MONTH", "metrics": "etv"}
    )
    (alone,) = single.json()["series"]
    grouped = next(line for line in lines if line["key"] == one)
    assert [p["etv"] for p in alone["points"]] == [p["etv"] for p in grouped["points"]]
    refused = client.get(f"{ROOT}/metrics", params=[*RANGE.items(), *(("team", key) for key in facts.teams)])
    assert (refused.status_code, refused.json()["code"]) == (400, 3)


def test_a_name_is_taken_once_whatever_its_case_and_the_error_names_it(client: httpx.Client) -> None:
    create(client, "Payments")
    answer = client.post(f"{ROOT}/teams", json={"name": " PAYMENTS "})
    assert (answer.status_code, answer.json()["code"]) == (409, 6)
    assert "'Payments'" in answer.json()["message"]
    other = create(client, "Billing")
    renamed = client.patch(f"{ROOT}/teams/{other}", json={"name": "payments"})
    assert renamed.status_code == 409
    assert client.patch(f"{ROOT}/teams/{other}", json={"name": "BILLING"}).json()["name"] == "BILLING"


@pytest.mark.parametrize("name", ["", "  ", "x" * 256, "two\nlines"])
def test_a_name_has_1_to_255_printable_characters(client: httpx.Client, name: str) -> None:
    assert client.post(f"{ROOT}/teams", json={"name": name}).status_code == 400
    assert client.post(f"{ROOT}/teams", json={"name": "x" * 255}).status_code == 200


def test_a_team_moves_with_its_sub_teams_but_never_into_itself(client: httpx.Client) -> None:
    top = create(client, "Top")
    middle = create(client, "Middle", top)
    bottom = create(client, "Bottom", middle)
    for target in (middle, bottom):
        answer = client.patch(f"{ROOT}/teams/{middle}", json={"parentId": target})
        assert (answer.status_code, answer.json()["code"]) == (400, 9), answer.text
    moved = client.patch(f"{ROOT}/teams/{middle}", json={"parentId": None})
    assert moved.json()["parentId"] is None
    assert client.patch(f"{ROOT}/teams/{top}", json={"parentId": bottom}).status_code == 200
    tree = client.get(f"{ROOT}/teams:tree").json()["teams"]
    assert {team["name"]: team["parentId"] for team in tree} == {
        "Top": bottom,
        "Middle": None,
        "Bottom": middle,
    }
    assert client.delete(f"{ROOT}/teams/{middle}").json()["code"] == 9
    for team in (top, bottom, middle):
        assert client.delete(f"{ROOT}/teams/{team}").status_code == 200
    assert client.get(f"{ROOT}/teams/{middle}").status_code == 404


def test_only_fields_of_the_mask_change(client: httpx.Client) -> None:
    top = create(client, "Top")
    team = create(client, "Team", top)
    both = {"name": "Other", "parentId": None}
    answer = client.patch(f"{ROOT}/teams/{team}", json=both, params={"updateMask": "name"}).json()
    assert (answer["name"], answer["parentId"]) == ("Other", top)
    answer = client.patch(f"{ROOT}/teams/{team}", json={"name": "Third"}).json()
    assert (answer["name"], answer["parentId"]) == ("Third", top)


@pytest.mark.both_databases
def test_joining_another_team_ends_the_first_membership_the_day_before(
    client: httpx.Client, facts: Facts
) -> None:
    ada = next(iter(facts.developers))
    one, two = create(client, "One"), create(client, "Two")
    assert join(client, one, ada, "2026-01-01").status_code == 200
    assert join(client, two, ada, "2026-06-15").status_code == 200
    assert memberships(client, developer=ada) == [
        (one, "2026-01-01", "2026-06-14"),
        (two, "2026-06-15", None),
    ]
    assert memberships(client, on="2026-06-14") == [(one, "2026-01-01", "2026-06-14")]
    again = join(client, two, ada, "2026-07-01")
    assert again.status_code == 409
    assert "'Two' since 2026-06-15" in again.json()["message"]
    before = join(client, two, ada, "2025-01-01")
    assert before.json()["endDate"] == "2025-12-31"


@pytest.mark.both_databases
def test_attributes_of_a_merged_developer_apply_to_the_remaining_one(
    client: httpx.Client, facts: Facts, deployment: Deployment
) -> None:
    linus, merged = facts.merged
    one, two = create(client, "One"), create(client, "Two")
    add_membership(deployment.store, OPERATOR, ORGANIZATION, one, merged, date(2026, 1, 1))
    assert memberships(client, developer=linus) == [(one, "2026-01-01", None)]
    assert join(client, one, linus, "2026-02-01").status_code == 409
    assert join(client, two, linus, "2026-02-01").status_code == 200
    assert memberships(client, developer=linus) == [
        (one, "2026-01-01", "2026-01-31"),
        (two, "2026-02-01", None),
    ]
    assert client.get(f"{ROOT}/teamMemberships", params={"developer": "nobody"}).status_code == 404


def test_memberships_have_names_and_a_state_and_say_which_one_a_new_one_ends(
    client: httpx.Client, facts: Facts
) -> None:
    ada = next(iter(facts.developers))
    one, two = create(client, "One"), create(client, "Two")
    join(client, one, ada, "2020-01-01")
    asked = client.post(f"{ROOT}/teamMemberships", json={"teamId": two, "developerId": ada})
    assert asked.status_code == 400
    assert "startDate: give the first day in team 'Two'" in asked.json()["message"]
    assert "the membership in team 'One' since 2020-01-01 ends the day before" in asked.json()["message"]
    join(client, two, ada, "2021-01-01")
    join(client, one, ada, "2999-01-01")
    listed = client.get(f"{ROOT}/teamMemberships", params={"developer": ada, "orderBy": "startDate"}).json()
    assert [(row["teamName"], row["state"]) for row in listed["teamMemberships"]] == [
        ("One", "HISTORICAL"), ("Two", "ACTIVE"), ("One", "PLANNED"),
    ]  # fmt: skip
    assert {row["developerName"] for row in listed["teamMemberships"]} == {facts.developers[ada]}


def test_days_that_overlap_are_refused_with_the_other_team(client: httpx.Client, facts: Facts) -> None:
    ada = next(iter(facts.developers))
    one, two = create(client, "One"), create(client, "Two")
    join(client, one, ada, "2026-01-01")
    second = join(client, two, ada, "2026-06-15").json()["id"]
    answer = client.patch(f"{ROOT}/teamMemberships/{second}", json={"startDate": "2026-06-01"})
    assert (answer.status_code, answer.json()["code"]) == (400, 9)
    assert "'One' from 2026-01-01 to 2026-06-14" in answer.json()["message"]
    assert client.patch(f"{ROOT}/teamMemberships/{second}", json={"endDate": "2026-06-01"}).status_code == 400
    assert client.patch(f"{ROOT}/teamMemberships/{second}", json={"startDate": None}).status_code == 400
    ended = client.patch(f"{ROOT}/teamMemberships/{second}", json={"endDate": "2026-08-31"})
    assert ended.json()["endDate"] == "2026-08-31"
    assert client.patch(f"{ROOT}/teamMemberships/{second}", json={"endDate": None}).json()["endDate"] is None


def test_days_are_not_given_to_a_membership_that_another_id_of_the_developer_has(
    client: httpx.Client, facts: Facts, deployment: Deployment
) -> None:
    """For a membership under either id of the developer."""
    linus, merged = facts.merged
    one, two = create(client, "One"), create(client, "Two")
    first = add_membership(deployment.store, OPERATOR, ORGANIZATION, one, merged, date(2026, 1, 1))
    second = add_membership(deployment.store, OPERATOR, ORGANIZATION, two, linus, date(2026, 3, 1))
    answer = client.patch(f"{ROOT}/teamMemberships/{second.id}", json={"startDate": "2026-02-01"})
    assert (answer.status_code, answer.json()["code"]) == (400, 9)
    assert "'One' from 2026-01-01 on" in answer.json()["message"]
    answer = client.patch(f"{ROOT}/teamMemberships/{first.id}", json={"endDate": "2026-03-01"})
    assert (answer.status_code, answer.json()["code"]) == (400, 9)
    assert "'Two' from 2026-03-01 on" in answer.json()["message"]
    ended = client.patch(f"{ROOT}/teamMemberships/{first.id}", json={"endDate": "2026-01-31"})
    assert ended.json()["endDate"] == "2026-01-31"
    moved = client.patch(f"{ROOT}/teamMemberships/{second.id}", json={"startDate": "2026-02-01"})
    assert moved.json()["startDate"] == "2026-02-01"


def test_unknown_teams_and_developers_are_not_found(client: httpx.Client, facts: Facts) -> None:
    ada, team = next(iter(facts.developers)), create(client, "Team")
    assert join(client, "nowhere", ada, "2026-01-01").status_code == 404
    answer = join(client, team, "nobody", "2026-01-01")
    assert (answer.status_code, "no developer 'nobody'" in answer.json()["message"]) == (404, True)
    assert client.patch(f"{ROOT}/teams/{team}", json={"parentId": "nowhere"}).status_code == 404
    assert client.delete(f"{ROOT}/teamMemberships/none").status_code == 404


def test_every_change_is_in_the_audit_log(client: httpx.Client, facts: Facts, deployment: Deployment) -> None:
    ada = next(iter(facts.developers))
    one, two = create(client, "One"), create(client, "Two")
    join(client, one, ada, "2026-01-01")
    moved = join(client, two, ada, "2026-06-15").json()["id"]
    client.delete(f"{ROOT}/teamMemberships/{moved}")
    client.patch(f"{ROOT}/teams/{one}", json={"name": "First"})
    with deployment.store.session() as session:
        entries = session.scalars(select(AuditEntry).order_by(AuditEntry.id)).all()
    assert [entry.action for entry in entries if not entry.action.startswith("tokens.")] == [
        "teams.create",
        "teams.create",
        "teamMemberships.create",
        "teamMemberships.end",
        "teamMemberships.create",
        "teamMemberships.delete",
        "teams.update",
    ]
    ended = next(entry for entry in entries if entry.action == "teamMemberships.end")
    assert ended.before == {
        "teamId": one,
        "developerId": ada,
        "startDate": "2026-01-01",
        "endDate": None,
    }
    assert entries[-1].after == {"name": "First", "parentId": None}


def test_the_audit_log_keeps_members_and_leads_of_a_deleted_team(
    client: httpx.Client, facts: Facts, deployment: Deployment
) -> None:
    ada = next(iter(facts.developers))
    one, two = create(client, "One"), create(client, "Two")
    join(client, one, ada, "2026-01-01")
    join(client, two, ada, "2026-06-15")
    lead = people.join(deployment.store, ORGANIZATION, "team_lead", people.make_account(deployment.store))
    assert client.post(f"{ROOT}/teams/{one}/leads", json={"memberId": lead}).status_code == 200
    assert client.delete(f"{ROOT}/teams/{one}").status_code == 200
    assert memberships(client, developer=ada) == [(two, "2026-06-15", None)]
    log = client.get(f"{ROOT}/auditEntries", params={"action": "teams.delete", "target": one}).json()
    assert log["auditEntries"][0]["before"] == {
        "name": "One",
        "parentId": None,
        "leads": [lead],
        "memberships": [{"developerId": ada, "startDate": "2026-01-01", "endDate": "2026-06-14"}],
    }


def test_a_developer_of_an_undone_split_cannot_join_a_team(
    client: httpx.Client, facts: Facts, deployment: Deployment
) -> None:
    """The current build still shows that developer, but the next one does not, so the membership would have no
    developer.
    """
    ada = next(iter(facts.developers))
    team = create(client, "Team")
    with deployment.store.session() as session:
        session.add(
            IdentityDecision(
                id="undone", organization_id=ORGANIZATION, kind="split", at=deployment.store.now(),
                decided_by="me", developer_id="somebody", new_developer_id=ada, undone_at=deployment.store.now(),
            )
        )  # fmt: skip
    answer = join(client, team, ada, "2026-01-01")
    assert (answer.status_code, answer.json()["code"]) == (404, 5)
    assert "no longer exists, because the split that created it was undone" in answer.json()["message"]
    assert memberships(client, developer=ada) == []
