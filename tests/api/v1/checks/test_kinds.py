"""Kinds of checks over HTTP: defaults, changes and refusals."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import httpx
import pytest

from api.control.snapshot import tables
from api.control.store import ControlStore
from api.presentation.checks import check_kinds
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.published_facts import ORGANIZATION

Serve = Callable[..., AbstractContextManager[str]]


@pytest.fixture
def writer(deployment: Deployment, serve: Serve) -> Iterator[httpx.Client]:
    with serve(deployment.data_dir) as address, client_for(address, deployment.key(scope="write")) as client:
        yield client


def kinds(client: httpx.Client) -> dict[str, dict[str, Any]]:
    answer = client.get(f"{ROOT}/checkKinds")
    assert answer.status_code == 200, answer.text
    return {one["name"]: one for one in answer.json()["checkKinds"]}


def snapshot(store: ControlStore) -> list[dict[str, Any]]:
    with store.session() as session:
        return tables.rows(session, ORGANIZATION, store.now())["check_settings"]


def test_every_kind_has_its_defaults_and_says_why(writer: httpx.Client) -> None:
    found = kinds(writer)
    assert list(found) == [name.upper() for name in check_kinds()]
    for kind in found.values():
        assert (kind["isOn"], kind["threshold"]) == (kind["defaultIsOn"], kind["defaultThreshold"])
        assert kind["changedBy"] is None
        assert kind["reason"].endswith(".")


def test_a_change_is_what_the_warehouse_reads(writer: httpx.Client, deployment: Deployment) -> None:
    assert snapshot(deployment.store) == []
    answer = writer.patch(f"{ROOT}/checkKinds/WAITING_FOR_REVIEW", json={"threshold": 8.5})
    assert answer.status_code == 200, answer.text
    assert (answer.json()["threshold"], answer.json()["critical"], answer.json()["isOn"]) == (8.5, 48, True)
    assert "x-operation" in answer.headers
    (row,) = snapshot(deployment.store)
    assert (row["kind"], row["is_on"], row["threshold_micro"]) == ("waiting_for_review", True, 8_500_000)
    changed = writer.patch(f"{ROOT}/checkKinds/waiting_for_review", json={"isOn": False, "critical": None})
    assert (changed.json()["isOn"], changed.json()["threshold"], changed.json()["critical"]) == (
        False,
        8.5,
        None,
    )


def test_a_threshold_can_be_a_multiple_of_the_own_median(
    writer: httpx.Client, deployment: Deployment
) -> None:
    body = {"thresholdMultiple": 1.5, "criticalMultiple": 2}
    changed = writer.patch(f"{ROOT}/checkKinds/WAITING_FOR_REVIEW", json=body)
    assert changed.status_code == 200, changed.text
    answer = changed.json()
    assert (answer["thresholdMultiple"], answer["criticalMultiple"], answer["threshold"]) == (1.5, 2, 24)
    (row,) = snapshot(deployment.store)
    assert (row["threshold_multiple_hundredths"], row["critical_multiple_hundredths"]) == (150, 200)
    assert row["threshold_micro"] == 24_000_000
    back = writer.patch(f"{ROOT}/checkKinds/WAITING_FOR_REVIEW", json=dict.fromkeys(body))
    assert (back.json()["thresholdMultiple"], back.json()["threshold"]) == (None, 24)
    log = writer.get(f"{ROOT}/auditEntries", params={"orderBy": "at"}).json()["auditEntries"]
    assert [
        entry["after"]["thresholdMultiple"] for entry in log if entry["action"] == "checkKinds.update"
    ] == [
        1.5,
        None,
    ]


@pytest.mark.parametrize(
    ("kind", "body", "field"),
    [
        ("WAITING_FOR_REVIEW", {"threshold": 0}, "threshold"),
        ("WAITING_FOR_REVIEW", {"threshold": -1}, "threshold"),
        ("WAITING_FOR_REVIEW", {"threshold": 1e12}, "threshold"),
        ("WAITING_FOR_REVIEW", {"threshold": 1e308}, "threshold"),
        ("WAITING_FOR_REVIEW", {"threshold": None}, "threshold"),
        ("WAITING_FOR_REVIEW", {"threshold": "8"}, "threshold"),
        ("WAITING_FOR_REVIEW", {"critical": 2}, "critical"),
        ("WAITING_FOR_REVIEW", {"thresholdMultiple": 0.5}, "thresholdMultiple"),
        ("WAITING_FOR_REVIEW", {"thresholdMultiple": 1e308}, "thresholdMultiple"),
        ("WAITING_FOR_REVIEW", {"criticalMultiple": 2}, "criticalMultiple"),
        ("WAITING_FOR_REVIEW", {"thresholdMultiple": 2, "criticalMultiple": 1.5}, "criticalMultiple"),
        ("RUBBER_STAMP", {"thresholdMultiple": 1.5}, "thresholdMultiple"),
        ("DIRECT_PUSH", {"thresholdMultiple": 1.5}, "thresholdMultiple"),
        ("WAITING_FOR_REVIEW", {"isOn": 1}, "isOn"),
        ("WAITING_FOR_REVIEW", {"limit": 1}, "limit"),
    ],
)
def test_an_impossible_setting_names_its_field(
    writer: httpx.Client, deployment: Deployment, kind: str, body: dict[str, Any], field: str
) -> None:
    answer = writer.patch(f"{ROOT}/checkKinds/{kind}", json=body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["details"][0]["fieldViolations"][0]["field"] == field
    assert snapshot(deployment.store) == []


def test_an_unknown_kind_is_not_found(writer: httpx.Client) -> None:
    assert writer.patch(f"{ROOT}/checkKinds/NOTHING", json={"isOn": True}).status_code == 404
