"""The engine of one organization's own, and its entries in the audit log."""

import pytest

from api.control.audit import Selection, list_entries
from api.control.list_pages import ListQuery
from api.control.organizations.warehouse_engines import choose_engine, own_engine, own_engines
from api.control.store import ControlStore

pytestmark = pytest.mark.both_databases


def test_the_engine_of_one_organization_is_its_own(store: ControlStore) -> None:
    acme, other = store.ensure_organization("Acme"), store.ensure_organization("Other")
    choose_engine(store, acme.id, "spark")
    assert [own_engine(store, one) for one in (acme.id, other.id, "unknown")] == ["spark", None, None]
    assert own_engines(store) == {acme.slug: "spark"}
    choose_engine(store, acme.id, None)
    assert own_engines(store) == {}


def test_a_change_is_in_the_audit_log_once(store: ControlStore) -> None:
    acme = store.ensure_organization("Acme")
    choose_engine(store, acme.id, "spark")
    choose_engine(store, acme.id, "spark")
    entries = list_entries(store, acme.id, ListQuery(10), Selection(action="organizations.chooseEngine"))
    assert [(one.actor_kind, one.before, one.after) for one in entries.items] == [
        ("operator", {"warehouseEngine": None}, {"warehouseEngine": "spark"})
    ]
