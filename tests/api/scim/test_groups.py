"""Groups of a directory: their members, and the dated memberships of the teams that have their names."""

from datetime import date

import httpx
import pytest

from api.control.list_pages import ListQuery
from api.control.models import Organization
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from api.control.teams.memberships import add_membership, list_memberships
from api.control.teams.teams import create_team
from api.control.visibility import address_key
from tests.api.people import Clock
from tests.api.published_facts import ORGANIZATION
from tests.api.scim.directories import created, patched, user


def days(store: ControlStore, team_id: str) -> list[tuple[str, date, date | None]]:
    page = list_memberships(store, ORGANIZATION, ListQuery(100, order_by="startDate"), team_id=team_id)
    return [(one.developer_id, one.start_on, one.end_on) for one in page.items]


def today(store: ControlStore) -> date:
    with store.session() as session:
        return session.get_one(Organization, ORGANIZATION).day_of(store.now())


def members(client: httpx.Client, group: str) -> set[str]:
    return {one["value"] for one in client.get(f"/Groups/{group}").json().get("members", [])}


def developer(email: str) -> str:
    return address_key(ORGANIZATION, email)


def test_a_group_with_the_name_of_a_team_keeps_its_memberships_with_dates(
    directory: httpx.Client, kept: ControlStore, now: Clock
) -> None:
    payments = create_team(kept, OPERATOR, ORGANIZATION, "Payments").id
    search = create_team(kept, OPERATOR, ORGANIZATION, "Search").id
    ada = created(directory, user("ada@teams.example"))["id"]
    bob = created(directory, user("bob@teams.example"))["id"]
    by_hand = developer("hand@teams.example")
    add_membership(kept, OPERATOR, ORGANIZATION, payments, by_hand, today(kept))
    first = today(kept)
    group = created(
        directory, {"displayName": "payments", "members": [{"value": ada}, {"value": bob}]}, "Groups"
    )["id"]
    assert set(days(kept, payments)) == {
        (by_hand, first, None),
        (developer("ada@teams.example"), first, None),
        (developer("bob@teams.example"), first, None),
    }
    now.advance(days=10)
    second = today(kept)
    removal = {"op": "remove", "path": f'members[value eq "{ada}"]'}
    assert patched(directory, f"/Groups/{group}", removal).status_code == 204
    assert members(directory, group) == {bob}
    assert (developer("ada@teams.example"), first, second) in days(kept, payments)
    # Entra moves a person by a removal and an addition on one day.
    created(directory, {"displayName": "Search", "members": [{"value": ada}]}, "Groups")
    assert days(kept, search) == [(developer("ada@teams.example"), second, None)]
    assert (developer("ada@teams.example"), first, second.fromordinal(second.toordinal() - 1)) in days(
        kept, payments
    )
    now.advance(days=1)
    assert directory.delete(f"/Groups/{group}").status_code == 204
    assert (developer("bob@teams.example"), first, today(kept)) in days(kept, payments)
    assert (by_hand, first, None) in days(kept, payments)


def test_a_user_who_is_deactivated_leaves_the_team_and_returns_to_it(
    directory: httpx.Client, kept: ControlStore, now: Clock
) -> None:
    team = create_team(kept, OPERATOR, ORGANIZATION, "Returning").id
    eve = created(directory, user("eve@teams.example"))["id"]
    created(directory, {"displayName": "Returning", "members": [{"value": eve}]}, "Groups")
    first = today(kept)
    now.advance(days=5)
    patched(directory, f"/Users/{eve}", {"op": "replace", "path": "active", "value": False})
    left = today(kept)
    now.advance(days=5)
    patched(directory, f"/Users/{eve}", {"op": "replace", "path": "active", "value": True})
    key = developer("eve@teams.example")
    assert days(kept, team) == [(key, first, left), (key, today(kept), None)]
    assert [one["display"] for one in directory.get(f"/Users/{eve}").json()["groups"]] == ["Returning"]


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "Remove", "path": "members", "value": [{"value": "{}"}]},
        {"op": "remove", "path": 'members[value eq "{}"]'},
        {"op": "remove", "path": 'members[value eq "{}" and type eq "User"]'},
    ],
    ids=str,
)
def test_a_removal_takes_its_match_alone(directory: httpx.Client, operation: dict[str, object]) -> None:
    name = f"taken{len(str(operation))}"
    one, other = (created(directory, user(f"{name}-{part}@teams.example"))["id"] for part in "ab")
    group = created(
        directory, {"displayName": name, "members": [{"value": one}, {"value": other}]}, "Groups"
    )["id"]
    # Entra's old form: the value, not the path, names what goes.
    sent = {
        key: value.replace("{}", one) if isinstance(value, str) else [{"value": one}]
        for key, value in operation.items()
    }
    assert patched(directory, f"/Groups/{group}", sent).status_code == 204
    assert members(directory, group) == {other}
    assert patched(directory, f"/Groups/{group}", sent).status_code == 204
    assert members(directory, group) == {other}


def test_members_can_be_added_replaced_and_emptied(directory: httpx.Client) -> None:
    ids = [created(directory, user(f"many{number}@teams.example"))["id"] for number in range(3)]
    group = created(directory, {"displayName": "many"}, "Groups")["id"]
    path = f"/Groups/{group}"
    adding = {"op": "add", "path": "members", "value": [{"value": one} for one in ids[:2]]}
    patched(directory, path, adding, {"op": "replace", "path": "displayName", "value": "More"}, adding)
    assert members(directory, group) == set(ids[:2])
    patched(directory, path, {"op": "replace", "path": "members", "value": [{"value": ids[2]}]})
    assert members(directory, group) == {ids[2]}
    patched(directory, path, {"op": "add", "value": {"members": [{"value": ids[0]}]}})
    assert members(directory, group) == {ids[0], ids[2]}
    found = directory.get("/Groups", params={"filter": f'members[value eq "{ids[0]}"]'}).json()
    assert [one["displayName"] for one in found["Resources"]] == ["More"]
    patched(directory, path, {"op": "remove", "path": "members"})
    assert members(directory, group) == set()
    unknown = patched(directory, path, {"op": "add", "path": "members", "value": [{"value": "nobody"}]})
    assert (unknown.status_code, unknown.json()["scimType"]) == (400, "invalidValue")
