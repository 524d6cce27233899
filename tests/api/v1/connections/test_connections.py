"""Connections over HTTP: adding, messages of the provider, limits, changing, removing, syncing."""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from api.control.connections.sync_status import note_attempt, note_failure, note_held, note_success
from api.control.connections.usable import usable_connections
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import join, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.v1.connections.conftest import ADDRESS, HOST, TOKEN, FakeHost

NEW = {"kind": "GITEA", "address": ADDRESS, "name": "Host", "secret": TOKEN}
FIELDS = {
    *(
        "id",
        "kind",
        "category",
        "address",
        "name",
        "user",
        "options",
        "account",
        "expiresAt",
        "health",
        "failure",
    ),
    *(
        "failureReason",
        "warnings",
        "lastSyncedAt",
        "lastAttemptAt",
        "nextAttemptAt",
        "changedRows",
        "createdAt",
    ),
    "createdBy",
}


def added(admin: httpx.Client, **changes: Any) -> dict[str, Any]:
    answer = admin.post(f"{ROOT}/connections", json=NEW | changes)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def violation(answer: httpx.Response) -> tuple[str, str]:
    assert answer.status_code == 400, answer.text
    [detail] = answer.json()["details"]
    [one] = detail["fieldViolations"]
    return one["field"], one["description"]


def stored(admin: httpx.Client) -> int:
    total: int = admin.get(f"{ROOT}/connections").json()["totalSize"]
    return total


def test_an_added_connection_is_listed_without_its_secret(
    admin: httpx.Client, deployment: Deployment, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    one = added(admin)
    assert one.keys() == FIELDS
    assert (one["category"], one["health"], one["account"]) == ("GIT_HOST", "PENDING", "ada")
    assert one["lastSyncedAt"] is None
    answers = [
        admin.get(f"{ROOT}/connections"),
        admin.get(f"{ROOT}/connections/{one['id']}"),
        admin.get(f"{ROOT}/auditEntries"),
        admin.get(f"{ROOT}/operations"),
    ]
    assert answers[0].json()["connections"] == [one]
    assert answers[1].json() == one
    assert TOKEN not in "".join(answer.text for answer in answers) + repr(one) + caplog.text
    assert [found.secret for found in usable_connections(deployment.store)] == [TOKEN]


def test_adding_names_the_operation_of_the_first_sync(admin: httpx.Client) -> None:
    answer = admin.post(f"{ROOT}/connections", json=NEW)
    operation = admin.get(f"{ROOT}/operations/{answer.headers['X-Operation']}").json()
    assert (operation["state"], operation["connectionId"]) == ("PENDING", answer.json()["id"])
    assert operation["action"] == "connections.create"


@pytest.mark.both_databases
def test_several_connections_of_a_kind_are_sorted_and_selected(admin: httpx.Client) -> None:
    for name in ("b", "C", "a"):
        added(admin, name=name)
    found = admin.get(f"{ROOT}/connections", params={"category": "git_host"}).json()
    assert [one["name"] for one in found["connections"]] == ["a", "b", "C"]
    assert admin.get(f"{ROOT}/connections", params={"category": "ISSUE_TRACKER"}).json()["totalSize"] == 0
    first = admin.get(f"{ROOT}/connections", params={"pageSize": 2, "orderBy": "name desc"}).json()
    after = {"pageSize": 2, "orderBy": "name desc", "pageToken": first["nextPageToken"]}
    second = admin.get(f"{ROOT}/connections", params=after).json()
    assert [one["name"] for one in first["connections"] + second["connections"]] == ["C", "b", "a"]


@pytest.mark.parametrize(
    ("changes", "field", "told"),
    [
        ({"kind": "CVS"}, "kind", "one of"),
        ({"address": None}, "address", "give yours"),
        ({"address": "http://203.0.113.9"}, "address", "https"),
        ({"address": f"https://ada:x@{HOST}"}, "address", "before the @"),
        ({"address": f"{ADDRESS}?x=1"}, "address", "query"),
        ({"address": "https://0177.0.0.1"}, "address", "unusual spelling"),
        ({"address": "https://127.0.0.1"}, "address", "EAS_PRIVATE_HOSTS"),
        ({"address": "https://10.0.0.1:8443/git"}, "address", "EAS_PRIVATE_HOSTS"),
        ({"address": "https://[::1]"}, "address", "EAS_PRIVATE_HOSTS"),
        ({"address": "https://"}, "address", "valid host"),
        ({"address": f"{ADDRESS}/../x"}, "address", "valid host"),
        ({"name": " "}, "name", "1 to 255"),
        ({"secret": " "}, "secret", "8 to 4096"),
        ({"secret": "sh0rt-t"}, "secret", "copy the whole token"),
        ({"secret": "t\u00f6ken-of-ada"}, "secret", "ASCII"),
        ({"secret": "token-of\n-ada"}, "secret", "ASCII"),
        ({"options": {"nothing": "x"}}, "options", "no option 'nothing'"),
        ({"secret": "wrong-token"}, "secret", "does not accept the token: create one with the scopes"),
    ],
)
def test_a_refused_connection_names_the_field_and_the_remedy_and_is_not_stored(
    admin: httpx.Client, changes: dict[str, Any], field: str, told: str
) -> None:
    answer = admin.post(f"{ROOT}/connections", json=NEW | changes)
    found, description = violation(answer)
    assert found == field
    assert told in description
    assert "wrong" not in answer.text.replace("wrong address", "")
    assert stored(admin) == 0


def test_no_request_leaves_for_an_internal_address(admin: httpx.Client, host: FakeHost) -> None:
    admin.post(f"{ROOT}/connections", json=NEW | {"address": "https://169.254.169.254/latest"})
    assert host.requests == []


def test_the_token_goes_to_the_host_in_a_header_alone(admin: httpx.Client, host: FakeHost) -> None:
    added(admin, address=f"{ADDRESS}:443/sub/")
    assert {request.url.host for request in host.requests} == {HOST}
    assert all(request.url.path.startswith("/sub/api/v1/") for request in host.requests)
    assert all(TOKEN not in str(request.url) for request in host.requests)


@pytest.mark.parametrize(
    ("refusal", "status", "told"),
    [
        (
            lambda: httpx.Response(200, html="<p>"),
            400,
            "answers a page instead of data",
        ),
        (lambda: httpx.Response(200, json={}), 400, "not as Gitea or Forgejo does"),
        (lambda: httpx.Response(404, json={"message": "nothing"}), 400, "404"),
        (lambda: httpx.Response(403, json={"message": "scope"}), 400, "403"),
        (lambda: httpx.Response(502, text="bad"), 503, "502"),
    ],
)
def test_answers_of_a_host_that_is_none_or_ill_are_told(
    admin: httpx.Client, host: FakeHost, refusal: Callable[[], httpx.Response], status: int, told: str
) -> None:
    host.refusal = refusal
    answer = admin.post(f"{ROOT}/connections", json=NEW)
    assert answer.status_code == status, answer.text
    assert told in answer.json()["message"]
    host.refusal = None
    assert stored(admin) == 0


def test_a_host_that_repeats_the_token_does_not_show_it(admin: httpx.Client, host: FakeHost) -> None:
    host.refusal = lambda: httpx.Response(403, json={"message": f"{TOKEN} may not"})
    answer = admin.post(f"{ROOT}/connections", json=NEW)
    assert answer.status_code == 400
    assert TOKEN not in answer.text


def test_while_the_provider_limits_nothing_is_stored_and_the_time_is_told(
    deployment: Deployment, host: FakeHost, serve: Callable[..., AbstractContextManager[str]]
) -> None:
    now = datetime(2026, 11, 23, 13, 44, 30, tzinfo=UTC)
    host.refusal = lambda: httpx.Response(429, json={}, headers={"Retry-After": "1200"})
    key = deployment.key("admin", scope="write")
    with (
        serve(deployment.data_dir, lambda: now, EAS_PRIVATE_HOSTS=HOST) as address,
        client_for(address, key) as admin,
    ):
        answer = admin.post(f"{ROOT}/connections", json=NEW)
        assert (answer.status_code, answer.headers["Retry-After"]) == (429, "1200")
        assert answer.json()["code"] == 8
        assert answer.json()["message"] == (
            "connecting to Gitea or Forgejo is temporarily rate limited; try again at 14:05 UTC"
        )
        assert len(host.requests) == 1
        assert stored(admin) == 0


def test_a_short_limit_is_told_at_once_too(admin: httpx.Client, host: FakeHost) -> None:
    host.refusal = lambda: httpx.Response(429, json={}, headers={"Retry-After": "30"})
    began = datetime.now(UTC)
    assert admin.post(f"{ROOT}/connections", json=NEW).status_code == 429
    assert datetime.now(UTC) - began < timedelta(seconds=15)


@pytest.mark.both_databases
def test_a_new_secret_is_checked_and_keeps_id_history_and_last_sync(
    admin: httpx.Client, deployment: Deployment
) -> None:
    one = added(admin)
    store = deployment.store
    note_attempt(store, ORGANIZATION, one["id"])
    note_success(store, ORGANIZATION, one["id"], rows={"repositories": 1}, warnings=["It ends soon."])
    note_failure(store, ORGANIZATION, one["id"], reason="EXPIRED", message="The token has expired.")
    failing = admin.get(f"{ROOT}/connections/{one['id']}").json()
    assert (failing["health"], failing["failureReason"]) == ("FAILING", "EXPIRED")
    path = f"{ROOT}/connections/{one['id']}"
    assert violation(admin.patch(path, json={"secret": "bad-token"}))[0] == "secret"
    assert usable_connections(store)[0].secret == TOKEN
    changed = admin.patch(path, json={"secret": f" {TOKEN} "})
    assert changed.status_code == 200
    assert (changed.json()["health"], changed.json()["failure"]) == ("PENDING", None)
    assert changed.json()["lastSyncedAt"] == failing["lastSyncedAt"]
    history = admin.get(f"{path}/history").json()
    assert [entry["health"] for entry in history["history"]] == ["PENDING", "FAILING", "HEALTHY"]
    assert history["history"][1]["message"] == "The token has expired."


def test_a_new_name_of_another_connection_to_the_same_place_is_refused(admin: httpx.Client) -> None:
    first, second = added(admin, name="First"), added(admin, name="Second")
    path = f"{ROOT}/connections/{second['id']}"
    answer = admin.patch(path, json={"name": "First"})
    assert (answer.status_code, first["id"] in answer.text) == (409, True), answer.text
    assert "use another name" in answer.json()["message"]
    assert admin.get(path).json()["name"] == "Second"
    assert admin.patch(path, json={"name": "Second"}).status_code == 200, "its own name is no conflict"


def test_a_new_name_asks_the_provider_nothing(admin: httpx.Client, host: FakeHost) -> None:
    one = added(admin)
    host.requests.clear()
    changed = admin.patch(f"{ROOT}/connections/{one['id']}", json={"name": "Other"})
    assert (changed.json()["name"], host.requests) == ("Other", [])


@pytest.mark.both_databases
def test_changes_are_in_the_audit_log_with_values_before_and_after(admin: httpx.Client) -> None:
    one = added(admin)
    path = f"{ROOT}/connections/{one['id']}"
    admin.patch(path, json={"name": "Other"})
    admin.patch(path, json={"secret": TOKEN})
    admin.post(f"{path}:sync")
    admin.post(f"{path}:resync")
    admin.delete(path)
    entries = admin.get(f"{ROOT}/auditEntries", params={"target": one["id"]}).json()["auditEntries"]
    assert [entry["action"] for entry in entries] == [
        "connections.remove", "connections.resync", "connections.sync", "connections.replaceSecret",
        "connections.update", "connections.create",
    ]  # fmt: skip
    assert [entries[4][side]["name"] for side in ("before", "after")] == ["Host", "Other"]
    assert TOKEN not in repr(entries)


def test_a_sync_answers_an_operation_that_ends_with_the_pass(
    admin: httpx.Client, deployment: Deployment
) -> None:
    one = added(admin)
    for verb, action in (("sync", "connections.sync"), ("resync", "connections.resync")):
        answer = admin.post(f"{ROOT}/connections/{one['id']}:{verb}")
        assert answer.status_code == 200, answer.text
        assert (answer.json()["action"], answer.json()["state"]) == (action, "PENDING")
        assert answer.headers["X-Operation"] == answer.json()["id"]
    note_attempt(deployment.store, ORGANIZATION, one["id"])
    note_failure(deployment.store, ORGANIZATION, one["id"], reason="TLS", message="The certificate ended.")
    failed = admin.get(f"{ROOT}/operations/{answer.json()['id']}").json()
    assert (failed["state"], failed["error"]) == ("FAILED", "The certificate ended.")


def test_a_connection_whose_newest_rows_are_held_says_so_until_they_count(
    admin: httpx.Client, deployment: Deployment
) -> None:
    one = added(admin)
    note_success(deployment.store, ORGANIZATION, one["id"], rows={"pull_requests": 3})
    told = "The newest rows do not count: a check of the build fails with them. Tell support."
    note_held(deployment.store, ORGANIZATION, one["id"], message=told)
    held = admin.get(f"{ROOT}/connections/{one['id']}").json()
    assert (held["health"], held["failureReason"], held["failure"]) == ("DEGRADED", "HELD", told)
    # The rows were read: only the figures leave them out.
    assert held["lastSyncedAt"] is not None
    assert held["changedRows"] == {"pull_requests": 3}
    [listed] = admin.get(f"{ROOT}/connections").json()["connections"]
    assert listed == held
    note_success(deployment.store, ORGANIZATION, one["id"], rows={})
    healthy = admin.get(f"{ROOT}/connections/{one['id']}").json()
    assert (healthy["health"], healthy["failureReason"], healthy["failure"]) == ("HEALTHY", None, None)


def test_a_removed_connection_is_gone_everywhere(admin: httpx.Client) -> None:
    one = added(admin)
    path = f"{ROOT}/connections/{one['id']}"
    assert admin.delete(path).json() == {}
    for answer in (
        admin.get(path), admin.get(f"{path}/history"), admin.post(f"{path}:sync"), admin.delete(path),
        admin.patch(path, json={"secret": TOKEN}), admin.get(f"{path}/levels"),
        admin.get(f"{ROOT}/repositories:available", params={"connection": one["id"]}),
    ):  # fmt: skip
        assert answer.status_code == 404, answer.text
    assert stored(admin) == 0


def test_team_leads_are_refused_with_the_reason_and_others_only_read(
    admin: httpx.Client, deployment: Deployment, served: str
) -> None:
    one = added(admin)
    path = f"{ROOT}/connections/{one['id']}"
    for role, reads, writes in (
        ("owner", 200, 200), ("admin", 200, 200), ("member", 200, 403), ("viewer", 200, 403), ("team_lead", 403, 403),
    ):  # fmt: skip
        session = sign_in(deployment.store, join(deployment.store, ORGANIZATION, role))
        with client_for(served, session) as client:
            read = [
                client.get(path),
                client.get(f"{ROOT}/connections"),
                client.get(f"{ROOT}/connectionKinds"),
            ]
            write = [client.patch(path, json={"name": role}), client.post(f"{path}:sync")]
        assert {answer.status_code for answer in read} == {reads}, role
        assert {answer.status_code for answer in write} == {writes}, role
        if role == "team_lead":
            assert (
                read[0]
                .json()["message"]
                .startswith("you may not open the connections: your role is team lead")
            )


def test_the_connections_of_another_organization_are_unknown(
    admin: httpx.Client, deployment: Deployment, served: str
) -> None:
    one = added(admin)
    other = deployment.store.ensure_organization("Other", slug="other")
    session = sign_in(deployment.store, join(deployment.store, other.id, "owner"))
    with client_for(served, session) as client:
        elsewhere = f"/api/v1/organizations/other/connections/{one['id']}"
        for answer in (
            client.get(elsewhere), client.delete(elsewhere), client.post(f"{elsewhere}:sync"),
            client.patch(elsewhere, json={"options": {}}), client.get(f"{elsewhere}/history"),
        ):  # fmt: skip
            assert answer.status_code == 404, answer.text


def test_the_kinds_say_what_each_needs(admin: httpx.Client) -> None:
    kinds = {one["kind"]: one for one in admin.get(f"{ROOT}/connectionKinds").json()["connectionKinds"]}
    assert kinds["GITEA"]["title"] == "Gitea or Forgejo"
    assert (kinds["GITEA"]["category"], kinds["GITEA"]["defaultAddress"]) == ("GIT_HOST", None)


def test_a_second_connection_with_kind_address_and_name_of_another_is_refused(admin: httpx.Client) -> None:
    first = added(admin, name="Twice")
    refused = admin.post(f"{ROOT}/connections", json=NEW | {"name": "Twice"})
    assert (refused.status_code, refused.json()["code"]) == (409, 6)
    assert first["id"] in refused.json()["message"]
    assert added(admin, name="Once more")["id"] != first["id"]
