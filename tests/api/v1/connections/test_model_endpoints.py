"""Model endpoints over HTTP: checked, stored and removed like other connections, and never read."""

import json
from typing import Any

import httpx
import pytest

from api.control.connections.endpoints import note_answers, used_endpoint
from api.control.connections.usable import usable_connections
from api.control.models import ConnectionEvent, Operation
from api.control.organizations.first_steps import ADD, first_step
from tests.api.conftest import ROOT, Deployment
from tests.api.published_facts import ORGANIZATION
from tests.api.v1.connections.conftest import ADDRESS, HOST, FakeHost
from tests.api.v1.connections.test_connections import added, stored, violation
from tests.ingest.providers.openai_compatible.model_server import KEY, MODEL, said

NEW = {
    "kind": "OPENAI_COMPATIBLE",
    "address": f"{ADDRESS}/v1",
    "name": "Writer",
    "secret": KEY,
    "options": {"model": MODEL},
}


@pytest.fixture
def model(host: FakeHost) -> FakeHost:
    """The host as a model endpoint that accepts `KEY`, or requests without any."""

    def answer() -> httpx.Response:
        request = host.requests[-1]
        if request.headers.get("authorization") not in (None, f"Bearer {KEY}"):
            return httpx.Response(
                401, json={"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}
            )
        if request.url.path == "/v1/models":
            return httpx.Response(200, json={"data": [{"id": MODEL}]})
        if request.url.path != "/v1/chat/completions" or json.loads(request.content)["model"] != MODEL:
            return httpx.Response(404, json={"error": {"message": "no", "code": "model_not_found"}})
        return httpx.Response(200, json=said("ready"))

    host.refusal = answer
    return host


def new(admin: httpx.Client, **changes: Any) -> dict[str, Any]:
    return added(admin, **(NEW | changes))


@pytest.mark.both_databases
def test_an_endpoint_is_healthy_when_it_is_added_and_nothing_waits_for_a_sync(
    admin: httpx.Client, deployment: Deployment, model: FakeHost
) -> None:
    one = new(admin)
    assert (one["category"], one["health"], one["account"]) == ("MODEL_ENDPOINT", "HEALTHY", f"{MODEL}-2026")
    assert one["lastSyncedAt"] is None
    assert admin.get(f"{ROOT}/connections", params={"category": "model_endpoint"}).json()["totalSize"] == 1
    for action in ("sync", "resync"):
        refused = admin.post(f"{ROOT}/connections/{one['id']}:{action}")
        assert (refused.status_code, refused.json()["code"]) == (400, 9), refused.text
        assert "nothing of it is read" in refused.json()["message"]
    with deployment.store.session() as session:
        assert session.query(Operation).count() == 0
    assert ADD in first_step(deployment.store, ORGANIZATION)
    available = admin.get(f"{ROOT}/repositories:available", params={"connection": one["id"]}).json()
    assert "a model endpoint" in available["nextStep"]
    assert KEY not in json.dumps(one) + admin.get(f"{ROOT}/auditEntries").text
    assert all(KEY not in str(request.url) for request in model.requests)


@pytest.mark.parametrize(
    ("changes", "field", "told"),
    [
        ({"secret": "sk-wrong-wrong"}, "secret", "does not accept the key"),
        ({"options": {}}, "options", f"option model; it lists {MODEL}"),
        ({"options": {"model": "large"}}, "options", f"no model large; it lists {MODEL}"),
        ({"options": {"temperature": "1"}}, "options", "its options: model"),
        ({"address": None}, "address", "give yours"),
        ({"address": f"http://{HOST}/v1"}, "address", "only sent encrypted"),
        ({"address": "http://198.51.100.7/v1", "secret": ""}, "address", "EAS_PRIVATE_HOSTS"),
        ({"address": "https://10.0.0.1/v1"}, "address", "EAS_PRIVATE_HOSTS"),
        ({"secret": "short"}, "secret", "8 to 4096"),
    ],
)
def test_a_refused_endpoint_names_the_field_and_is_not_stored(
    admin: httpx.Client, model: FakeHost, changes: dict[str, Any], field: str, told: str
) -> None:
    found, description = violation(admin.post(f"{ROOT}/connections", json=NEW | changes))
    assert (found, told in description) == (field, True), description
    assert stored(admin) == 0


@pytest.mark.both_databases
def test_a_server_without_keys_is_added_without_one_and_over_http_where_the_operator_lists_it(
    admin: httpx.Client, deployment: Deployment, model: FakeHost
) -> None:
    body = {name: value for name, value in NEW.items() if name != "secret"}
    answer = admin.post(f"{ROOT}/connections", json=body | {"address": f"http://{HOST}:8080/v1/"})
    assert answer.status_code == 200, answer.text
    assert answer.json()["address"] == f"http://{HOST}:8080/v1"
    assert all("authorization" not in request.headers for request in model.requests)
    used = used_endpoint(deployment.store, ORGANIZATION)
    assert used is not None
    assert (used.secret, used.problem) == ("", None)
    [violated] = [
        violation(
            admin.post(f"{ROOT}/connections", json=NEW | {"kind": "GITEA", "secret": "", "options": {}})
        )
    ]
    assert violated[0] == "secret"


@pytest.mark.both_databases
def test_the_newest_endpoint_is_used_and_a_removed_one_is_gone_at_once(
    admin: httpx.Client, deployment: Deployment, model: FakeHost
) -> None:
    ids = [new(admin, name=name)["id"] for name in ("First", "Second")]
    for expected in (ids[1], ids[0], None):
        used = used_endpoint(deployment.store, ORGANIZATION)
        assert (used.id if used is not None else None) == expected
        if expected is not None:
            assert admin.delete(f"{ROOT}/connections/{expected}").status_code == 200
    assert usable_connections(deployment.store) == []
    with deployment.store.session() as session:
        assert session.query(ConnectionEvent).count() == 0
        assert session.query(Operation).count() == 0
    actions = [one["action"] for one in admin.get(f"{ROOT}/auditEntries").json()["auditEntries"]]
    assert actions.count("connections.remove") == 2


@pytest.mark.both_databases
def test_a_new_key_or_model_is_checked_and_forgets_what_the_one_before_refused(
    admin: httpx.Client, deployment: Deployment, model: FakeHost
) -> None:
    one = new(admin)["id"]
    store, path = deployment.store, f"{ROOT}/connections/{one}"
    note_answers(
        store,
        ORGANIZATION,
        one,
        capabilities={"format": "plain"},
        failure="No quota.",
        reason="PLAN_REQUIRED",
    )
    shown = admin.get(path).json()
    assert (shown["health"], shown["failure"], shown["lastSyncedAt"]) == ("FAILING", "No quota.", None)
    note_answers(store, ORGANIZATION, one)
    used = used_endpoint(store, ORGANIZATION)
    assert used is not None
    assert used.capabilities == {"format": "plain"}
    assert violation(admin.patch(path, json={"options": {"model": "large"}}))[0] == "options"
    assert violation(admin.patch(path, json={"secret": "sk-wrong-wrong"}))[0] == "secret"
    assert admin.patch(path, json={"secret": ""}).json()["health"] == "HEALTHY"
    used = used_endpoint(store, ORGANIZATION)
    assert used is not None
    assert (used.secret, used.capabilities) == ("", None)
    history = [entry["health"] for entry in admin.get(f"{path}/history").json()["history"]]
    assert history == ["HEALTHY", "FAILING", "HEALTHY"]
    with store.session() as session:
        assert session.query(Operation).count() == 0
