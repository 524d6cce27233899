"""The limit of organizations that an account can own, also under concurrent requests."""

import threading

import pytest

from api.control.errors import ControlError, InvalidSetting, NotPossible
from api.control.list_pages import ListQuery
from api.control.models import Member, Organization
from api.control.organizations.organizations import (
    MAX_OWNED_ORGANIZATIONS,
    change_settings,
    create_organization,
    rename_organization,
)
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from tests.api.people import join, make_account, principal

pytestmark = pytest.mark.both_databases


def owned(store: ControlStore, account: str) -> int:
    with store.session() as session:
        return session.query(Member).filter_by(account_id=account, role=Role.OWNER).count()


def test_an_account_owns_a_limited_number_of_organizations(store: ControlStore) -> None:
    account = make_account(store)
    for number in range(MAX_OWNED_ORGANIZATIONS):
        join(store, store.ensure_organization(f"Theirs {number}").id, Role.VIEWER, account)
    ada = principal(store, account)
    for number in range(MAX_OWNED_ORGANIZATIONS):
        create_organization(store, ada, f"Mine {number}")
    with pytest.raises(NotPossible, match=f"you own {MAX_OWNED_ORGANIZATIONS} organizations"):
        create_organization(store, ada, "One more")
    assert "One more" not in [one.name for one in store.organizations()]
    create_organization(store, principal(store, make_account(store)), "Somebody else's")


def test_concurrent_requests_stay_within_the_limit(store: ControlStore) -> None:
    ada = principal(store, make_account(store))
    assert ada.account_id is not None
    for number in range(MAX_OWNED_ORGANIZATIONS - 2):
        create_organization(store, ada, f"Mine {number}")
    outcomes: list[object] = []

    def create() -> None:
        try:
            outcomes.append(create_organization(store, ada, "At once"))
        except ControlError as error:
            outcomes.append(error)

    threads = [threading.Thread(target=create) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(type(one).__name__ for one in outcomes) == ["NotPossible"] * 4 + ["str"] * 2
    assert owned(store, ada.account_id) == MAX_OWNED_ORGANIZATIONS


def test_settings_of_an_earlier_release_are_not_judged_again_until_they_are_changed(
    store: ControlStore,
) -> None:
    acme = store.ensure_organization("Acme").id
    old = {"date": "2026-12-25", "name": "Christ\u00admas"}
    with store.session() as session:
        row = session.get_one(Organization, acme)
        row.name, row.time_zone, row.holidays = "Ac\u00adme", "Mars/Olympus", [old]
    new = {"date": "2026-12-26", "name": "Boxing Day"}
    sent = {"time_zone": "Mars/Olympus", "holidays": [old, new], "analysis_mode": "on_request"}
    assert change_settings(store, OPERATOR, acme, sent).holidays == [old, new]
    rename_organization(store, OPERATOR, acme, "Ac\u00adme")
    hidden = [{"date": "2026-12-26", "name": "Box\u00ading"}]
    for changes in ({"time_zone": "Mars/Hellas"}, {"holidays": hidden}):
        with pytest.raises(InvalidSetting):
            change_settings(store, OPERATOR, acme, changes)
    with pytest.raises(InvalidSetting):
        rename_organization(store, OPERATOR, acme, "A\u00adcme")


def test_pages_of_some_organizations_follow_each_other_by_name(store: ControlStore) -> None:
    made = {name: store.ensure_organization(name).id for name in ("beta", "Alpha", "other", "Gamma")}
    only, after, seen = [made[name] for name in ("beta", "Alpha", "Gamma")], None, []
    for _ in range(3):
        page = store.list_organizations(ListQuery(1, after=after), only=only)
        assert page.total == 3
        seen += [one.name for one in page.items]
        after = tuple(page.next_values) if page.next_values else None
    assert (seen, after) == (["Alpha", "beta", "Gamma"], None)
