"""Agreed prices of models over HTTP: made once, listed, withdrawn; what cannot be a price is refused."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import httpx
import pytest

from api.control.ai_usage.prices import create_price
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from tests.api.conftest import ROOT, client_for
from tests.api.empty_organization import address, data_dir, store
from tests.api.people import join, sign_in
from tests.api.published_facts import ORGANIZATION

__all__ = ["address", "data_dir", "store"]

PATH = f"{ROOT}/aiPrices"
DISCOUNT = {"model": "Claude-*", "validFrom": "2026-01-01", "discountPercent": 12.5, "reason": "Contract."}
PRICES = {"input": 4.5, "output": 22.25, "cacheRead": 0.000001}
RATE = {
    "model": "gpt-6-astra", "validFrom": "2026-01-01", "validUntil": "2026-12-31", "reason": "Contract.",
    "prices": PRICES,
}  # fmt: skip


@pytest.fixture
def admin(address: str, store: ControlStore) -> Iterator[httpx.Client]:
    with client_for(address, sign_in(store, join(store, ORGANIZATION, Role.ADMIN))) as client:
        yield client


def in_force(store: ControlStore) -> list[dict[str, Any]]:
    return store.snapshot(ORGANIZATION)["ai_prices"]


def test_a_price_is_made_listed_handed_to_builds_and_withdrawn(
    admin: httpx.Client, store: ControlStore
) -> None:
    discount, rate = (admin.post(PATH, json=given).json() for given in (DISCOUNT, RATE))
    assert (discount["model"], discount["discountPercent"], discount["prices"]) == ("claude-*", 12.5, None)
    assert rate["prices"] == PRICES | {"cacheWriteFiveMinutes": None, "cacheWriteOneHour": None}
    assert {one["id"]: one for one in admin.get(PATH).json()["aiPrices"]} == {
        one["id"]: one for one in (discount, rate)
    }
    by_id = {row["price_id"]: row for row in in_force(store)}
    assert by_id[discount["id"]]["discount_hundredths"] == 1250
    held = by_id[rate["id"]]
    assert (held["input_pico"], held["output_pico"], held["cache_read_pico"]) == (4_500_000, 22_250_000, 1)
    for _ in range(2):
        answer = admin.post(f"{PATH}/{rate['id']}:withdraw").json()
        assert answer | {"withdrawnAt": None} == rate | {"state": "WITHDRAWN"}
    assert [row["price_id"] for row in in_force(store)] == [discount["id"]]
    audit = admin.get(f"{ROOT}/auditEntries").json()["auditEntries"]
    assert [one["action"] for one in audit if one["targetId"] == rate["id"]] == [
        "aiPrices.withdraw",
        "aiPrices.create",
    ]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"discountPercent": 12.345}, "discountPercent"),
        ({"discountPercent": 0}, "discountPercent"),
        ({"discountPercent": None}, "prices"),
        ({"prices": {"input": 1, "output": 2}}, "prices"),
        ({"discountPercent": None, "prices": {"input": 1, "output": 0.0000001}}, "prices"),
        ({"discountPercent": None, "prices": {"input": -1, "output": 2}}, "prices"),
        ({"validUntil": "2025-12-31"}, "validUntil"),
        ({"model": "*-opus"}, "model"),
        ({"model": " "}, "model"),
        ({"reason": ""}, "reason"),
    ],
)
def test_what_cannot_be_a_price_is_refused(
    admin: httpx.Client, store: ControlStore, change: dict[str, Any], field: str
) -> None:
    before = in_force(store)
    answer = admin.post(PATH, json=DISCOUNT | change)
    assert (answer.status_code, answer.json()["code"]) == (400, 3)
    assert field in answer.text
    assert in_force(store) == before


def test_contract_rates_are_for_administrators(address: str, store: ControlStore) -> None:
    for role in (Role.MEMBER, Role.VIEWER, Role.TEAM_LEAD):
        with client_for(address, sign_in(store, join(store, ORGANIZATION, role))) as client:
            assert [client.get(PATH).status_code, client.post(PATH, json=DISCOUNT).status_code] == [403, 403]


def test_a_price_of_another_organization_is_unknown(admin: httpx.Client, store: ControlStore) -> None:
    other = store.ensure_organization("Other", slug="other")
    made = create_price(store, OPERATOR, other.id, "x", date(2026, 1, 1), "Why.", priced_as="claude-opus-5")
    answer = admin.post(f"{PATH}/{made.id}:withdraw")
    assert (answer.status_code, made.id in answer.text) == (404, True)
    assert len(store.snapshot(other.id)["ai_prices"]) == 1
