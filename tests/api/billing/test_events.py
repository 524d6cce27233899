"""The callback over HTTP: signatures, ages, sizes and repetitions; what it says and what it keeps to itself."""

import hashlib
import hmac
import logging
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import httpx
import orjson
import pytest

from api.control.organizations.organizations import create_organization
from api.control.plans.billing import request_upgrade
from api.control.plans.plans import plan
from api.control.store import ControlStore, open_store
from ingest.settings import CHECKOUT
from tests.api.conftest import client_for, serving
from tests.api.control.plans.events import SECRET, START, signed
from tests.api.people import Clock, make_account, principal, sign_in, stored

DOCS = CHECKOUT / "docs" / "administration" / "plans.md"
NEXT_SECRET = "the-secret-that-replaces-it-00002"


@pytest.fixture(autouse=True)
def _cloud(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    monkeypatch.setenv("EAS_DEPLOYMENT", "cloud")
    monkeypatch.setenv("EAS_BILLING_SECRET", SECRET)
    monkeypatch.setenv("EAS_CHECKOUT_URL", "https://pay.example.org/checkout")
    clock.at = START


@pytest.fixture
def owner(store: ControlStore) -> str:
    return make_account(store, "ada@example.org")


@pytest.fixture
def organization(store: ControlStore, owner: str) -> str:
    return create_organization(store, principal(store, owner), "Acme")


@pytest.fixture
def reference(store: ControlStore, owner: str, organization: str) -> str:
    return request_upgrade(store, principal(store, owner), organization).reference


@pytest.fixture
def client(tmp_path: Any, organization: str, clock: Clock) -> Iterator[httpx.Client]:
    with serving(tmp_path, clock) as address, client_for(address, None) as made:
        yield made


def activation(reference: str, **changes: Any) -> bytes:
    given = {
        "id": "evt_1", "type": "SUBSCRIPTION_ACTIVATED", "occurredAt": START.isoformat(), "reference": reference,
        "plan": "PAID", "commitLimit": 5000, "renewalDate": "2027-12-01",
    }  # fmt: skip
    return orjson.dumps({key: value for key, value in (given | changes).items() if value != "absent"})


def send(client: httpx.Client, body: bytes, header: str | None = None) -> httpx.Response:
    given = header if header is not None else signed(body, START)
    return client.post(
        "/billing/events",
        content=body,
        headers={"Billing-Signature": given, "Content-Type": "application/json"},
    )


def test_an_owner_asks_pays_and_sees_the_plan(
    store: ControlStore, owner: str, client: httpx.Client, organization: str
) -> None:
    root = f"/api/v1/organizations/{organization}/plan"
    client.headers["Authorization"] = f"Bearer {sign_in(store, owner)}"
    asked = client.post(f"{root}:requestUpgrade", json={"commitLimit": 5000}).json()
    assert asked["checkoutUrl"] == f"https://pay.example.org/checkout?reference={asked['reference']}"
    shown = client.get(root).json()
    assert (shown["plan"], shown["payment"]["state"], shown["upgrade"]["commitLimit"]) == (
        "TRIAL",
        "NONE",
        5000,
    )
    answer = send(client, activation(asked["reference"]))
    assert (answer.status_code, answer.json()) == (200, {"outcome": "APPLIED"})
    shown = client.get(root).json()
    assert (shown["plan"], shown["commitLimit"], shown["upgrade"], shown["isPaused"]) == (
        "PAID",
        5000,
        None,
        False,
    )
    assert shown["payment"] == {
        "state": "CURRENT",
        "message": "the subscription is paid",
        "graceEndsAt": None,
    }


@pytest.mark.both_databases
def test_a_repetition_is_applied_once_also_at_once(
    store: ControlStore, client: httpx.Client, organization: str, reference: str
) -> None:
    body = activation(reference)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: send(client, body), range(8)))
    assert sorted(answer.json()["outcome"] for answer in answers) == ["ALREADY_APPLIED"] * 7 + ["APPLIED"]
    other = send(client, activation(reference, commitLimit=9))
    assert (other.status_code, other.json()["code"]) == (409, 6)
    assert plan(store, organization).commit_limit == 5000


def test_the_example_of_the_docs_signs(client: httpx.Client, reference: str) -> None:
    [example] = re.findall(r"```python\n(def signature.*?)```", DOCS.read_text(), re.DOTALL)
    known: dict[str, Any] = {"hmac": hmac, "hashlib": hashlib}
    exec(example, known)
    body = activation(reference)
    answer = send(client, body, known["signature"](SECRET, int(START.timestamp()), body))
    assert answer.status_code == 200


@pytest.mark.parametrize("seconds", [-301, -300, 300, 301])
def test_a_signature_counts_for_five_minutes(client: httpx.Client, reference: str, seconds: int) -> None:
    body = activation(reference)
    answer = send(client, body, signed(body, START + timedelta(seconds=seconds)))
    assert answer.status_code == (200 if abs(seconds) <= 300 else 401)
    if answer.status_code == 401:
        assert "5 minutes" in answer.json()["message"]


def test_forged_requests_change_nothing(
    store: ControlStore, client: httpx.Client, organization: str, reference: str
) -> None:
    body = activation(reference)
    good = signed(body, START)
    time, _, digest = good.partition(",v1=")
    forged = {
        "of another body": signed(activation(reference, commitLimit=9), START),
        "with another secret": signed(body, START, "a-secret-that-nobody-here-has-001"),
        "with another time": f"t={int(START.timestamp()) + 1},v1={digest}",
        "without a time": f"v1={digest}",
        "without a signature": time,
        "in capitals": f"{time},v1={digest.upper()}",
        "cut": good[:-1],
        "empty": "",
        "too many": ",".join([time, *[f"v1={'0' * 64}"] * 5, f"v1={digest}"]),
        "with a line more": f"{good},v2=0",
    }
    for name, header in forged.items():
        answer = send(client, body, header)
        assert (name, answer.status_code, answer.json()["code"]) == (name, 401, 16)
        assert SECRET not in answer.text
        assert digest not in answer.text
    unsigned = client.post("/billing/events", content=body)
    assert unsigned.status_code == 401
    # A changed body under a good signature, down to one space.
    assert send(client, body + b" ", good).status_code == 401
    assert plan(store, organization).plan == "trial"


def test_two_secrets_count_while_one_replaces_the_other(
    client: httpx.Client, reference: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EAS_BILLING_SECRET", f"{NEXT_SECRET}, {SECRET}")
    for number, secrets in enumerate(([SECRET], [NEXT_SECRET], [NEXT_SECRET, SECRET])):
        body = activation(reference, id=f"evt_{number}")
        assert send(client, body, signed(body, START, *secrets)).status_code == 200
    monkeypatch.setenv("EAS_BILLING_SECRET", NEXT_SECRET)
    body = activation(reference, id="evt_9")
    assert send(client, body).status_code == 401
    assert send(client, body, signed(body, START, SECRET, NEXT_SECRET)).status_code == 200


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"commitLimit": "absent"}, "commitLimit"),
        ({"commitLimit": -1}, "commitLimit"),
        ({"commitLimit": "5"}, "commitLimit"),
        ({"plan": "GOLD"}, "plan"),
        ({"type": "REFUNDED"}, "type"),
        ({"type": ["PAYMENT_FAILED"]}, "type"),
        ({"occurredAt": "2027-03-01T12:00:00"}, "occurredAt"),
        ({"occurredAt": "2027-03-01T12:05:01Z"}, "occurredAt"),
        ({"renewalDate": "2027-02-27"}, "renewalDate"),
        ({"id": ""}, "id"),
        ({"id": "e" * 129}, "id"),
        ({"cardNumber": "4111"}, "cardNumber"),
        ({"type": "PAYMENT_SUCCEEDED"}, "plan"),
    ],
    ids=str,
)
def test_a_signed_event_that_misses_its_form_names_the_field(
    client: httpx.Client, reference: str, changes: dict[str, Any], field: str
) -> None:
    answer = send(client, activation(reference, **changes))
    assert (answer.status_code, answer.json()["code"]) == (400, 3)
    named = {one["field"] for one in answer.json()["details"][0]["fieldViolations"]}
    assert field in named
    assert "4111" not in answer.text


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 10000], ids=repr)
def test_a_signed_body_that_is_no_object_is_refused(client: httpx.Client, body: bytes) -> None:
    answer = send(client, body)
    assert (answer.status_code, answer.json()["details"][0]["fieldViolations"][0]["field"]) == (400, "body")


@pytest.mark.parametrize("size", [16_385, 1_000_001])
def test_a_large_body_is_refused(client: httpx.Client, size: int) -> None:
    body = b" " * size
    answer = send(client, body)
    assert (answer.status_code, answer.json()["code"]) == (413, 3)


def test_an_unknown_reference_is_not_found(client: httpx.Client, organization: str) -> None:
    answer = send(client, activation(organization))
    assert (answer.status_code, answer.json()["code"]) == (404, 5)
    assert organization not in answer.text


@pytest.mark.parametrize(("name", "value"), [("EAS_DEPLOYMENT", "local"), ("EAS_BILLING_SECRET", "")])
def test_a_deployment_without_billing_takes_no_events(
    client: httpx.Client, reference: str, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    answer = send(client, activation(reference))
    assert (answer.status_code, answer.json()["code"]) == (404, 5)


def test_a_refused_event_is_one_line_in_the_log_with_its_cause(
    client: httpx.Client, reference: str, caplog: pytest.LogCaptureFixture
) -> None:
    body = activation(reference)
    refused = {
        'no known secret signed this body"; EAS_BILLING_SECRET must be': (body, "t=1,v1=" + "0" * 64),
        "look at both clocks": (body, signed(body, START - timedelta(hours=1))),
        "no organization has this reference": (activation("unknown"), None),
        "commitLimit: ": (activation(reference, commitLimit=-1), None),
    }
    for cause, (content, header) in refused.items():
        caplog.clear()
        assert send(client, content, header).status_code >= 400
        [line] = [one for one in caplog.records if one.name == "api.billing.events"]
        assert (line.levelname, cause in line.getMessage()) == ("WARNING", True), line.getMessage()
        assert SECRET not in line.getMessage()
        assert reference not in line.getMessage()
    caplog.clear()
    for _ in range(40):
        send(client, body, "t=1,v1=" + "0" * 64)
    assert len(caplog.records) < 30


def test_no_log_and_no_table_has_the_secret(
    store: ControlStore, client: httpx.Client, reference: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    body = activation(reference)
    send(client, body)
    send(client, body, "t=1,v1=" + "0" * 64)
    assert SECRET not in caplog.text
    assert SECRET not in stored(store)


def test_a_payment_system_without_a_credential_reads_nothing(client: httpx.Client, organization: str) -> None:
    for path in (f"/api/v1/organizations/{organization}/plan", "/api/v1/organizations"):
        header = {"Billing-Signature": signed(b"", START)}
        assert client.get(path, headers=header).status_code == 401


def test_a_reader_sees_the_grace_its_end_and_the_recovery(
    tmp_path: Any, store: ControlStore, owner: str, client: httpx.Client, organization: str, reference: str,
    clock: Clock,
) -> None:  # fmt: skip
    send(client, activation(reference))
    failed = {
        "id": "evt_2", "type": "PAYMENT_FAILED", "occurredAt": START.isoformat().replace("12:00", "12:01"),
        "reference": reference, "graceEndsAt": (START + timedelta(days=5)).isoformat(),
    }  # fmt: skip
    assert send(client, orjson.dumps(failed)).status_code == 200
    key = sign_in(open_store(tmp_path, now=clock), owner)
    client.headers["Authorization"] = f"Bearer {key}"
    seen = []
    for days in (1, 5):
        clock.at = START + timedelta(days=days)
        shown = client.get(f"/api/v1/organizations/{organization}/plan").json()
        seen.append((shown["payment"]["state"], shown["isPaused"]))
        assert "2027-03-06" in shown["payment"]["message"]
        # Reading goes on.
        assert client.get(f"/api/v1/organizations/{organization}").status_code == 200
    assert seen == [("IN_GRACE", False), ("PAST_DUE", True)]
    paid = orjson.dumps(
        {
            "id": "evt_3",
            "type": "PAYMENT_SUCCEEDED",
            "occurredAt": clock().isoformat(),
            "reference": reference,
        }
    )
    assert send(client, paid, signed(paid, clock())).status_code == 200
    shown = client.get(f"/api/v1/organizations/{organization}/plan").json()
    assert (shown["payment"]["state"], shown["isPaused"]) == ("CURRENT", False)
