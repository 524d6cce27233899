"""Merges and splits over HTTP: decisions, refusals, history and undo; suggestions."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from itertools import combinations
from typing import Any

import httpx
import pytest

from api.control.errors import NotFound
from api.control.identities.identities import merge_developers
from api.control.identities.known_developers import KnownDeveloper
from api.control.principals import OPERATOR
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import join, sign_in
from tests.api.published_facts import ORGANIZATION, Facts, found

Serve = Callable[..., AbstractContextManager[str]]
NOBODY = "0d8c4fa5-6c3e-57c0-9f43-0d5b2f6a7f10"


@pytest.fixture
def client(deployment: Deployment, serve: Serve) -> Iterator[httpx.Client]:
    deployment.publish()
    with serve(deployment.data_dir) as address, client_for(address, deployment.key(scope="write")) as client:
        yield client


@pytest.fixture
def people(facts: Facts) -> list[str]:
    """Ada, Grace and Linus."""
    return [key for key in facts.developers if key != facts.bot]


def post(client: httpx.Client, path: str, body: Any = None) -> dict[str, Any]:
    answer = client.post(f"{ROOT}/{path}", json=body)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def refused(client: httpx.Client, path: str, body: Any = None) -> tuple[int, int, str]:
    answer = client.post(f"{ROOT}/{path}", json=body)
    return answer.status_code, answer.json()["code"], answer.json()["message"]


def merge(client: httpx.Client, *developers: str) -> dict[str, Any]:
    return post(client, "developers:merge", {"developerIds": developers})


def history(client: httpx.Client, **params: Any) -> list[dict[str, Any]]:
    answer = client.get(f"{ROOT}/identityDecisions", params=params)
    assert answer.status_code == 200, answer.text
    return list(answer.json()["identityDecisions"])


def snapshot(deployment: Deployment) -> dict[str, list[dict[str, Any]]]:
    rows = deployment.store.snapshot(ORGANIZATION)
    return {name: rows[name] for name in ("identity_merges", "identity_splits", "suggestion_dismissals")}


def address_ids(client: httpx.Client, developer: str) -> list[str]:
    answer = client.get(f"{ROOT}/developers/{developer}").json()
    return [address["id"] for address in answer["addresses"]]


def test_a_merge_is_decided_listed_and_undone(
    client: httpx.Client, deployment: Deployment, people: list[str], facts: Facts
) -> None:
    before = snapshot(deployment)
    made = merge(client, *people[:2])
    assert (made["kind"], made["undoneAt"], made["addresses"]) == ("MERGE", None, [])
    assert {part["id"]: part["name"] for part in made["developers"]} == {
        key: facts.developers[key] for key in people[:2]
    }
    rows = snapshot(deployment)["identity_merges"]
    assert {row["developer_id"] for row in rows} == set(people[:2])
    assert {row["merge_id"] for row in rows} == {made["id"]}
    undone = post(client, f"identityDecisions/{made['id']}:undo")
    assert undone.pop("survivingChanges") == []
    assert undone["undoneAt"] is not None
    assert undone["undoneBy"] == "test"
    assert snapshot(deployment) == before
    assert history(client) == [undone]
    assert client.get(f"{ROOT}/identityDecisions/{made['id']}").json() == undone


def test_changes_of_merged_developers_stay_after_the_undo_and_are_listed(
    client: httpx.Client, people: list[str], facts: Facts
) -> None:
    present, former = facts.merged
    other = next(key for key in people if key != present)
    made = merge(client, other, former)
    told = client.patch(
        f"{ROOT}/developers/{present}", json={"role": "Engineer", "joiningDate": "2026-03-02"}
    )
    assert told.status_code == 200, told.text
    team = post(client, "teams", {"name": "Late"})["id"]
    joined = {"teamId": team, "developerId": former, "startDate": "2026-03-02"}
    membership = post(client, "teamMemberships", joined)
    undone = post(client, f"identityDecisions/{made['id']}:undo")
    by_kind = {one.pop("targetKind"): one for one in undone["survivingChanges"]}
    assert by_kind.keys() == {"developer", "teamMembership"}
    assert {one.pop("changedBy") for one in by_kind.values()} == {"test"}
    assert all(one.pop("changedAt") > made["decidedAt"] for one in by_kind.values())
    assert by_kind["developer"] == {
        "targetId": present,
        "developerId": present,
        "before": {"role": None, "joiningDate": None},
        "after": {"role": "Engineer", "joiningDate": "2026-03-02"},
    }
    of_team = by_kind["teamMembership"]
    assert (of_team["targetId"], of_team["developerId"]) == (membership["id"], present)
    assert (of_team["before"], of_team["after"]["teamId"]) == (None, team)
    assert client.get(f"{ROOT}/developers/{present}/attributes").json()["role"] == "Engineer"


def test_a_refused_merge_gives_the_reason(
    client: httpx.Client, deployment: Deployment, people: list[str], facts: Facts
) -> None:
    ada, grace, _ = people

    def tried(*developers: str) -> tuple[int, int, str]:
        return refused(client, "developers:merge", {"developerIds": developers})

    assert tried(ada, ada)[:2] == (400, 3)
    assert "name at least two different developers" in tried(ada, ada)[2]
    assert tried(ada, ada.upper())[:2] == (400, 3)
    assert tried(ada)[:2] == (400, 3)
    assert tried(ada, NOBODY)[:2] == (404, 5)
    assert NOBODY in tried(ada, NOBODY)[2]
    assert tried(ada, "robert'); drop table developers; --")[:2] == (404, 5)
    status, code, why = tried(ada, facts.bot)
    assert (status, code) == (400, 9)
    assert "'robot[bot]' is a bot and 'Ada' is a human" in why
    assert snapshot(deployment)["identity_merges"] == []
    merge(client, ada, grace)
    assert tried(grace, ada)[:2] == (409, 6)


def test_people_of_chained_merges_are_one_already(client: httpx.Client, people: list[str]) -> None:
    ada, grace, linus = people
    merge(client, ada, grace)
    merge(client, grace, linus)
    assert refused(client, "developers:merge", {"developerIds": [ada, linus]})[:2] == (409, 6)


def test_a_split_names_its_developer_before_any_build(
    client: httpx.Client, deployment: Deployment, facts: Facts
) -> None:
    ada = facts.shown_twice
    [_, home] = address_ids(client, ada)
    made = post(client, f"developers/{ada}:split", {"addressIds": [home]})
    assert (made["kind"], made["developerId"], made["developerName"]) == ("SPLIT", ada, "Ada")
    assert [part["email"] for part in made["addresses"]] == [facts.private_email(ada)]
    assert snapshot(deployment)["identity_splits"] == [
        {
            "organization_id": ORGANIZATION,
            "address_id": home,
            "developer_id": made["newDeveloperId"],
            "is_last": True,
        }
    ]
    assert made["newDeveloperId"] == found("developer:split", made["id"])
    assert history(client, developer=made["newDeveloperId"]) == [made]


def test_a_refused_split_gives_the_reason(
    client: httpx.Client, deployment: Deployment, people: list[str], facts: Facts
) -> None:
    ada, grace, _ = people
    work, home = address_ids(client, ada)
    [hers] = address_ids(client, grace)

    def tried(developer: str, *addresses: str) -> tuple[int, int, str]:
        return refused(client, f"developers/{developer}:split", {"addressIds": addresses})

    assert tried(ada)[:2] == (400, 3)
    assert tried(NOBODY, home)[:2] == (404, 5)
    assert tried(ada, hers)[:2] == (404, 5)
    assert tried(grace, hers)[:2] == (400, 9)
    assert "'Grace' must keep at least one address" in tried(grace, hers)[2]
    assert tried(ada, work, home)[:2] == (400, 9)
    assert snapshot(deployment)["identity_splits"] == []
    post(client, f"developers/{ada}:split", {"addressIds": [home]})
    assert tried(ada, home)[:2] == (400, 9)
    assert "already split off" in tried(ada, home)[2]
    # What figures do not show yet counts too.
    assert "must keep at least one address" in tried(ada, work)[2]


def test_a_decision_is_undone_once_and_not_under_later_ones(
    client: httpx.Client, deployment: Deployment, people: list[str], facts: Facts
) -> None:
    ada, grace, _ = people
    [_, home] = address_ids(client, ada)
    made = post(client, f"developers/{ada}:split", {"addressIds": [home]})
    before = snapshot(deployment)
    later = built_upon(deployment, made["newDeveloperId"], grace)
    status, code, why = refused(client, f"identityDecisions/{made['id']}:undo")
    assert (status, code) == (400, 9)
    assert f"decision {later} uses" in why
    post(client, f"identityDecisions/{later}:undo")
    assert snapshot(deployment) == before
    post(client, f"identityDecisions/{made['id']}:undo")
    assert refused(client, f"identityDecisions/{made['id']}:undo")[:2] == (400, 9)
    assert refused(client, f"identityDecisions/{NOBODY}:undo")[:2] == (404, 5)
    assert client.get(f"{ROOT}/identityDecisions/nothing").status_code == 404


def built_upon(deployment: Deployment, made: str, other: str) -> str:
    """A merge with a developer that only the next build shows."""

    pair = [KnownDeveloper(key, key, None, False, (key,), ()) for key in (made, other)]
    return merge_developers(deployment.store, OPERATOR, ORGANIZATION, pair).id


def test_the_developer_of_an_undone_split_is_no_more(
    client: httpx.Client, deployment: Deployment, facts: Facts, people: list[str]
) -> None:
    ada, grace, _ = people
    [_, home] = address_ids(client, ada)
    made = post(client, f"developers/{ada}:split", {"addressIds": [home]})
    post(client, f"identityDecisions/{made['id']}:undo")

    with pytest.raises(NotFound, match="the split that created it was undone"):
        built_upon(deployment, made["newDeveloperId"], grace)


@pytest.mark.both_databases
def test_the_history_is_filtered_sorted_and_paged(client: httpx.Client, people: list[str]) -> None:
    ada, grace, linus = people
    first, second = merge(client, ada, grace), merge(client, grace, linus)
    post(client, f"identityDecisions/{first['id']}:undo")
    assert [one["id"] for one in history(client)] == [second["id"], first["id"]]
    assert [one["id"] for one in history(client, orderBy="at")] == [first["id"], second["id"]]
    assert [one["id"] for one in history(client, isUndone=True)] == [first["id"]]
    assert [one["id"] for one in history(client, isUndone=False)] == [second["id"]]
    assert [one["id"] for one in history(client, developer=linus)] == [second["id"]]
    assert history(client, kind="SPLIT") == []
    page = client.get(f"{ROOT}/identityDecisions", params={"pageSize": 1}).json()
    assert (page["totalSize"], page["identityDecisions"][0]["id"]) == (2, second["id"])
    rest = client.get(f"{ROOT}/identityDecisions", params={"pageSize": 1, "pageToken": page["nextPageToken"]})
    assert [one["id"] for one in rest.json()["identityDecisions"]] == [first["id"]]


def suggestions(client: httpx.Client, **params: Any) -> list[dict[str, Any]]:
    answer = client.get(f"{ROOT}/mergeSuggestions", params=params)
    assert answer.status_code == 200, answer.text
    assert answer.json()["totalSize"] == len(answer.json()["mergeSuggestions"])
    return list(answer.json()["mergeSuggestions"])


def pairs(shown: list[dict[str, Any]]) -> set[frozenset[str]]:
    return {frozenset((one["developerId"], one["otherId"])) for one in shown}


def test_a_dismissed_suggestion_stays_away_until_that_is_undone(
    client: httpx.Client, deployment: Deployment, people: list[str]
) -> None:
    every = {frozenset(pair) for pair in combinations(people, 2)}
    shown = suggestions(client)
    assert pairs(shown) == every
    assert [one["developerName"] for one in shown] == sorted(one["developerName"] for one in shown)
    first = shown[0]
    made = post(client, f"mergeSuggestions/{first['id']}:dismiss")
    assert made["kind"] == "DISMISSAL"
    assert pairs(suggestions(client)) == every - pairs([first])
    rows = snapshot(deployment)["suggestion_dismissals"]
    assert {row["developer_id"] for row in rows} == {first["developerId"], first["otherId"]}
    assert refused(client, f"mergeSuggestions/{first['id']}:dismiss")[:2] == (409, 6)
    post(client, f"identityDecisions/{made['id']}:undo")
    assert suggestions(client) == shown
    assert snapshot(deployment)["suggestion_dismissals"] == []


@pytest.mark.parametrize(("role", "sees"), [("admin", True), ("member", False), ("viewer", False)])
def test_only_callers_who_list_suggestions_see_those_of_a_developer(
    client: httpx.Client, deployment: Deployment, people: list[str], role: str, sees: bool
) -> None:
    ada, *others = people
    token = sign_in(deployment.store, join(deployment.store, ORGANIZATION, role))
    with client_for(str(client.base_url), token) as caller:
        shown = caller.get(f"{ROOT}/developers/{ada}").json()["mergeSuggestions"]
        assert (caller.get(f"{ROOT}/mergeSuggestions").status_code == 200) == sees
    assert {one["developerId"] for one in shown} == (set(others) if sees else set())


def test_an_accepted_suggestion_is_a_merge(client: httpx.Client, deployment: Deployment) -> None:
    first, *others = suggestions(client)
    made = post(client, f"mergeSuggestions/{first['id']}:accept")
    assert made["kind"] == "MERGE"
    assert {part["id"] for part in made["developers"]} == {first["developerId"], first["otherId"]}
    assert suggestions(client) == others
    assert refused(client, f"mergeSuggestions/{first['id']}:accept")[:2] == (409, 6)
    assert refused(client, f"mergeSuggestions/{first['id']}:dismiss")[:2] == (409, 6)
    assert refused(client, f"mergeSuggestions/{NOBODY}:accept")[:2] == (404, 5)
    assert refused(client, "mergeSuggestions/nothing:dismiss")[:2] == (404, 5)


def test_suggestions_are_filtered(client: httpx.Client, facts: Facts) -> None:
    found = suggestions(client, filter='developerName = "Ada" OR otherName = "Ada"')
    assert {"Ada" in (one["developerName"], one["otherName"]) for one in found} == {True}
    assert len(found) == 2


def test_every_decision_is_logged_and_waits_for_a_build(
    client: httpx.Client, deployment: Deployment, facts: Facts, people: list[str]
) -> None:
    ada = facts.shown_twice
    [_, home] = address_ids(client, ada)
    made = merge(client, *people[1:])
    post(client, f"developers/{ada}:split", {"addressIds": [home]})
    first = suggestions(client)[0]
    post(client, f"mergeSuggestions/{first['id']}:dismiss")
    post(client, f"identityDecisions/{made['id']}:undo")
    actions = ["developers.merge", "developers.split", "mergeSuggestions.dismiss", "identityDecisions.undo"]
    entries = client.get(f"{ROOT}/auditEntries", params={"orderBy": "at"}).json()["auditEntries"]
    own = [entry for entry in entries if not entry["action"].startswith("tokens.")]
    assert [entry["action"] for entry in own] == actions
    assert {part["id"] for part in own[0]["after"]["developers"]} == set(people[1:])
    assert own[3]["before"]["kind"] == "MERGE"
    pending = client.get(f"{ROOT}/operations", params={"orderBy": "at"}).json()["operations"]
    assert {one["action"] for one in pending} == set(actions)
    assert {one["state"] for one in pending} == {"PENDING"}
