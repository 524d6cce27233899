"""Repositories of a connection over HTTP: listing them, and adding them by their ids."""

from typing import Any

import httpx
import pytest

from api.control.connections.available import AvailableRepository, replace_available
from api.control.connections.connections import NewConnection, add_connection
from api.control.connections.sync_status import note_attempt, note_failure, note_success
from api.control.models import Connection
from api.control.operations import operations
from api.control.principals import OPERATOR
from api.control.repositories import sync_status as repository_status
from ingest.git.identifiers import repository_id
from ingest.git.remote.url import normalize
from tests.api.conftest import ROOT, Deployment, client_for, serving
from tests.api.people import join, sign_in
from tests.api.published_facts import ORGANIZATION

# A block that is nobody's: nothing is resolved and nothing connects.
HOST = "198.51.100.7"


def listed(number: int, address: str | None = None, **values: Any) -> AvailableRepository:
    name = f"repo-{number:03}"
    place = address or f"https://{HOST}/acme/{name}.git"
    key = repository_id(ORGANIZATION, normalize(place))
    return AvailableRepository(str(number), key, "acme", name, place, **values)


@pytest.fixture
def host(deployment: Deployment) -> str:
    """The id of a connection that lists 25 repositories."""
    new = NewConnection("GITEA", "hosts", f"https://{HOST}", "Host", "t0ken-long")
    made = add_connection(deployment.store, OPERATOR, ORGANIZATION, new).id
    replace_available(deployment.store, ORGANIZATION, made, [listed(number) for number in range(25)])
    return made


@pytest.fixture
def admin(deployment: Deployment) -> Any:
    with (
        serving(deployment.data_dir, EAS_PRIVATE_HOSTS=HOST) as address,
        client_for(address, deployment.key("admin", scope="write")) as made,
    ):
        yield made


def names(admin: httpx.Client, host: str, **params: Any) -> list[str]:
    path = f"{ROOT}/repositories:available"
    answer = admin.get(path, params={"connection": host, "pageSize": 1000, **params})
    assert answer.status_code == 200, answer.text
    return [one["name"] for one in answer.json()["repositories"]]


def add(admin: httpx.Client, *items: dict[str, Any]) -> list[dict[str, Any]]:
    answer = admin.post(f"{ROOT}/repositories:batchCreate", json={"repositories": list(items)})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


@pytest.mark.both_databases
def test_owner_and_name_are_fields_and_the_list_is_sorted_searched_and_paged(
    admin: httpx.Client, host: str
) -> None:
    path = f"{ROOT}/repositories:available"
    first = admin.get(path, params={"connection": host, "pageSize": 10}).json()
    assert (first["totalSize"], first["repositories"][0]["owner"]) == (25, "acme")
    assert first["repositories"][0]["providerId"] == "0"
    seen, token = [], ""
    while True:
        page = admin.get(path, params={"connection": host, "pageSize": 10, "pageToken": token}).json()
        seen += [one["name"] for one in page["repositories"]]
        token = page["nextPageToken"]
        if not token:
            break
    assert seen == [f"repo-{number:03}" for number in range(25)]
    assert names(admin, host, search="REPO-02") == [f"repo-02{digit}" for digit in range(5)]
    assert names(admin, host, orderBy="name desc")[0] == "repo-024"


def test_repositories_are_added_by_id_beside_addresses(admin: httpx.Client, host: str) -> None:
    by_id, by_address, unknown, elsewhere, again = add(
        admin,
        {"connection": host, "providerId": "3", "tags": ["web"]},
        {"address": f"https://{HOST}/acme/other"},
        {"connection": host, "providerId": "99"},
        {"connection": "nothing", "providerId": "3"},
        {"connection": host, "providerId": "3"},
    )
    assert by_id["status"]["code"] == 0, by_id
    assert by_id["repository"]["name"] == "acme/repo-003"
    assert (by_id["repository"]["connectionId"], by_id["repository"]["providerId"]) == (host, "3")
    assert (by_id["providerId"], by_id["repository"]["tags"]) == ("3", ["web"])
    assert (by_address["status"]["code"], by_address["repository"]["connectionId"]) == (0, None)
    assert [one["status"]["code"] for one in (unknown, elsewhere, again)] == [3, 3, 6]
    assert "lists no repository with this id" in unknown["status"]["message"]
    assert "no connection 'nothing'" in elsewhere["status"]["message"]
    assert "repo-003" not in names(admin, host)
    assert len(names(admin, host)) == 24


@pytest.mark.parametrize(
    "item",
    [
        {},
        {"connection": "c"},
        {"providerId": "3"},
        {"address": f"https://{HOST}/acme/web", "connection": "c", "providerId": "3"},
        {"connection": "c", "providerId": ""},
    ],
)
def test_an_item_names_a_repository_in_exactly_one_way(admin: httpx.Client, item: dict[str, Any]) -> None:
    [outcome] = add(admin, item)
    assert outcome["status"]["code"] == 3
    assert outcome["repository"] is None


def test_an_internal_address_that_a_host_lists_is_refused(
    admin: httpx.Client, deployment: Deployment, host: str
) -> None:
    inside = listed(1, "https://127.0.0.1/acme/inside")
    replace_available(deployment.store, ORGANIZATION, host, [inside])
    [outcome] = add(admin, {"connection": host, "providerId": "1"})
    assert outcome["status"]["code"] == 3
    assert "EAS_PRIVATE_HOSTS" in outcome["status"]["message"]


def test_a_failing_connection_shows_on_its_repositories(
    admin: httpx.Client, deployment: Deployment, host: str
) -> None:
    [made] = add(admin, {"connection": host, "providerId": "3"})
    assert made["repository"]["health"] == "PENDING"
    note_failure(deployment.store, ORGANIZATION, host, reason="EXPIRED", message="The token has expired.")
    path = f"{ROOT}/repositories/{made['repository']['id']}/settings"
    shown = admin.get(path).json()
    assert (shown["health"], "The token has expired." in shown["failure"]) == ("FAILING", True)
    found = admin.get(f"{ROOT}/repositories:managed", params={"state": "NEEDS_ATTENTION"}).json()
    assert [one["id"] for one in found["repositories"]] == [made["repository"]["id"]]
    assert found["counts"]["needsAttention"] == 1


def test_viewers_see_the_list_and_team_leads_do_not(
    admin: httpx.Client, deployment: Deployment, host: str
) -> None:
    for role, status in (("viewer", 200), ("team_lead", 403)):
        session = sign_in(deployment.store, join(deployment.store, ORGANIZATION, role))
        headers = {"Authorization": f"Bearer {session}"}
        answer = admin.get(f"{ROOT}/repositories:available", params={"connection": host}, headers=headers)
        assert answer.status_code == status, answer.text


def told_step(admin: httpx.Client, connection: str) -> str | None:
    answer = admin.get(f"{ROOT}/repositories:available", params={"connection": connection})
    assert answer.status_code == 200, answer.text
    step: str | None = answer.json()["nextStep"]
    return step


@pytest.mark.both_databases
def test_a_list_without_repositories_says_why(deployment: Deployment, admin: httpx.Client, host: str) -> None:
    def connected(kind: str, category: str) -> str:
        new = NewConnection(kind, category, f"https://{HOST}/{kind}", kind, "t0ken-long")
        return add_connection(deployment.store, OPERATOR, ORGANIZATION, new).id

    assert told_step(admin, host) is None
    assert "issue tracker" in (told_step(admin, connected("LINEAR", "trackers")) or "")
    fresh = connected("GITLAB", "hosts")
    step = told_step(admin, fresh)
    assert step is not None
    assert "first sync" in step
    assert f"{fresh}:sync" in step
    with deployment.store.session() as session:
        session.get_one(Connection, fresh).last_synced_at = deployment.store.now()
    assert "reaches no repository" in (told_step(admin, fresh) or "")
    replace_available(deployment.store, ORGANIZATION, fresh, [listed(99)])
    assert told_step(admin, fresh) is None
    [result] = add(admin, {"connection": fresh, "providerId": "99"})
    assert result["status"]["code"] == 0, result
    assert "has every repository" in (told_step(admin, fresh) or "")


def _asked(deployment: Deployment, *actions: str) -> list[tuple[str, str | None]]:
    found = operations.pending(deployment.store, ORGANIZATION)
    return [(one.action, one.connection_id) for one in found if one.action in actions]


def test_an_added_repository_is_read_at_its_host_at_once_and_again_whenever_somebody_asks(
    admin: httpx.Client, host: str, deployment: Deployment
) -> None:
    store, syncs = deployment.store, ("connections.sync",)
    note_attempt(store, ORGANIZATION, host)
    note_success(store, ORGANIZATION, host, rows={})
    by_id = {"connection": host, "providerId": "3"}
    # Also where only its address is given: the connection lists it.
    results = add(
        admin,
        by_id,
        {"address": f"https://{HOST}/acme/repo-004.git"},
        {"connection": host, "providerId": "5"},
    )
    added = [one["repository"] for one in results]
    assert [(one["connectionId"], one["providerId"]) for one in added] == [
        (host, "3"),
        (host, "4"),
        (host, "5"),
    ]
    assert _asked(deployment, *syncs) == [("connections.sync", host)], "one sync reads all of them"

    note_attempt(store, ORGANIZATION, host)
    path = f"{ROOT}/repositories/{added[0]['id']}"
    answer = admin.post(f"{path}:analyze")
    assert answer.status_code == 200, answer.text
    assert (answer.json()["action"], answer.json()["state"]) == ("repositories.analyze", "PENDING")
    assert answer.json()["id"] in answer.headers["X-Operation"]
    assert len(_asked(deployment, *syncs)) == 2, "the first sync has begun"
    assert _asked(deployment, "repositories.analyze") == [("repositories.analyze", None)]
    assert admin.patch(path, json={"isDisabled": True}).status_code == 200
    refused = admin.post(f"{path}:analyze")
    assert (refused.status_code, refused.json()["code"]) == (400, 9)
    assert "is disabled" in refused.json()["message"]


def test_settings_show_the_start_that_applies(admin: httpx.Client, host: str) -> None:
    path = f"{ROOT}/settings"
    assert (
        admin.patch(
            path, json={"timeZone": "Europe/Berlin", "defaultAnalysisStartDate": "2026-01-01"}
        ).status_code
        == 200
    )
    own = {"connection": host, "providerId": "1", "analysisStartTime": "2025-06-01T00:00:00Z"}
    added = [one["repository"] for one in add(admin, own, {"connection": host, "providerId": "2"})]
    assert [(one["analysisStartTime"], one["appliedAnalysisStartTime"]) for one in added] == [
        ("2025-06-01T00:00:00Z", "2025-06-01T00:00:00Z"), (None, "2025-12-31T23:00:00Z"),
    ]  # fmt: skip


def test_the_next_step_of_an_empty_list_is_true_for_the_state_of_the_organization(
    admin: httpx.Client, deployment: Deployment
) -> None:
    def step() -> str:
        return str(admin.get(f"{ROOT}/commits").json()["nextStep"])

    assert "adds a repository" in step()
    new = NewConnection("GITEA", "hosts", f"https://{HOST}", "Host", "t0ken-long")
    made = add_connection(deployment.store, OPERATOR, ORGANIZATION, new).id
    assert "…/repositories:available lists" in step()
    replace_available(deployment.store, ORGANIZATION, made, [listed(1)])
    [result] = add(admin, {"connection": made, "providerId": "1"})
    assert "first analysis of its repositories runs or waits" in step()
    key = result["repository"]["id"]
    repository_status.note_failure(deployment.store, ORGANIZATION, key, "It is gone.")
    assert "NEEDS_ATTENTION says why" in step()
    admin.patch(f"{ROOT}/repositories/{key}", json={"isDisabled": True})
    assert "disabled or stopped" in step()
