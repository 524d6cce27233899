"""A whole directory, provisioned, changed and removed by a client that repeats what failed, as Entra and Okta do.

What is expected of the service comes from plain dictionaries here. Keep out: faults (faulty_wire.py).
"""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpx

from tests.api.scim.directories import PATCH, user

GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
MAX_TRIES = 30
# Requests at once. Entra sends a few; more would only wait for the control database.
WORKERS = 3
PER_GROUP = 10
Item = TypeVar("Item")


@dataclass
class WholeDirectory:
    """Users and groups with their members, by number, and the ids that the service gave them."""

    client: httpx.Client
    users: int
    groups: int
    user_ids: dict[int, str] = field(default_factory=dict)
    group_ids: dict[int, str] = field(default_factory=dict)
    requests: int = 0

    def provision(self) -> None:
        """Create all users and groups, and put the members into the groups."""
        _each(range(self.users), self._create_user)
        _each(range(self.groups), self._create_group)
        _each(
            range(self.groups),
            lambda n: self._patch_group(n, _added(self._ids(members_before(n, self.users)))),
        )

    def change(self) -> None:
        """Rename everybody and every group, deactivate every tenth user, and exchange half of all members."""
        _each(range(self.users), self._change_user)
        _each(range(self.groups), self._change_group)

    def remove(self) -> None:
        """Delete all groups and users."""
        _each(range(self.groups), lambda n: self._delete(f"/Groups/{self.group_ids.pop(n)}"))
        _each(range(self.users), lambda n: self._delete(f"/Users/{self.user_ids.pop(n)}"))

    def _create_user(self, number: int) -> None:
        body = user(address(number), displayName=f"Person {number}", externalId=f"u{number}")
        self.user_ids[number] = self._create("/Users", body, f'userName eq "{address(number)}"')

    def _create_group(self, number: int) -> None:
        body = {
            "schemas": [GROUP],
            "displayName": group_name(number),
            "externalId": f"g{number}",
            "members": [],
        }
        self.group_ids[number] = self._create("/Groups", body, f'externalId eq "g{number}"')

    def _create(self, path: str, body: dict[str, Any], found_by: str) -> str:
        """The id of a created resource, which may have been created by a request whose answer was lost."""
        # As directories do, it looks for the resource before it repeats the request.
        for number in range(MAX_TRIES):
            if number:
                found = self._send("GET", path, query={"filter": found_by})
                if found.json()["totalResults"]:
                    return str(found.json()["Resources"][0]["id"])
            try:
                answer = self._send_once("POST", path, body)
            except httpx.TransportError:
                continue
            if answer.status_code == 201:
                return str(answer.json()["id"])
            assert answer.status_code in {409, 503}, answer.text
        raise AssertionError(f"{path} was not created in {MAX_TRIES} tries")

    def _change_user(self, number: int) -> None:
        operations = [{"op": "Replace", "path": "displayName", "value": f"Renamed {number}"}]
        if not is_active_after(number):
            operations.append({"op": "Replace", "path": "active", "value": "False"})
        self._patch(f"/Users/{self.user_ids[number]}", operations)

    def _change_group(self, number: int) -> None:
        before, after = members_before(number, self.users), members_after(number, self.users)
        gone, new = self._ids(before - after), self._ids(after - before)
        renamed = {"op": "replace", "path": "displayName", "value": f"{group_name(number)} renamed"}
        removed = [{"op": "remove", "path": f'members[value eq "{one}"]'} for one in gone]
        self._patch_group(number, [renamed, *removed, *_added(new)])

    def _patch_group(self, number: int, operations: list[dict[str, Any]]) -> None:
        self._patch(f"/Groups/{self.group_ids[number]}", operations)

    def _patch(self, path: str, operations: list[dict[str, Any]]) -> None:
        answer = self._send("PATCH", path, {"schemas": [PATCH], "Operations": operations})
        assert answer.status_code in {200, 204}, answer.text

    def _delete(self, path: str) -> None:
        answer = self._send("DELETE", path)
        assert answer.status_code in {204, 404}, answer.text

    def _ids(self, numbers: Iterable[int]) -> list[str]:
        return [self.user_ids[number] for number in sorted(numbers)]

    def _send(
        self, method: str, path: str, body: Any = None, query: dict[str, str] | None = None
    ) -> httpx.Response:
        for _ in range(MAX_TRIES):
            try:
                answer = self._send_once(method, path, body, query)
            except httpx.TransportError:
                continue
            if answer.status_code != 503:
                return answer
            time.sleep(0.01)
        raise AssertionError(f"{method} {path} failed {MAX_TRIES} times")

    def _send_once(
        self, method: str, path: str, body: Any = None, query: dict[str, str] | None = None
    ) -> httpx.Response:
        self.requests += 1
        return self.client.request(method, path, json=body, params=query)


def address(number: int) -> str:
    return f"person{number:05}@acme.example"


def group_name(number: int) -> str:
    return f"Group {number:04}"


def members_before(group: int, users: int) -> set[int]:
    return {(group * PER_GROUP + place) % users for place in range(PER_GROUP)}


def members_after(group: int, users: int) -> set[int]:
    return {(group * PER_GROUP + place + PER_GROUP // 2) % users for place in range(PER_GROUP)}


def is_active_after(number: int) -> bool:
    return number % 10 != 0


def _added(ids: list[str]) -> list[dict[str, Any]]:
    return [{"op": "Add", "path": "members", "value": [{"value": one} for one in ids]}]


def _each(items: Iterable[Item], do: Callable[[Item], None]) -> None:
    with ThreadPoolExecutor(WORKERS) as workers:
        for _ in workers.map(do, items):
            pass


def listed(client: httpx.Client, path: str) -> list[dict[str, Any]]:
    """Every resource of a list, page after page."""
    found: list[dict[str, Any]] = []
    while True:
        page = client.get(path, params={"startIndex": len(found) + 1, "count": 200}).json()
        found += page.get("Resources", [])
        if len(found) >= page["totalResults"]:
            return found


def state(client: httpx.Client) -> tuple[dict[str, tuple[str, bool]], dict[str, set[str]]]:
    """Name and state of every user by user name, and the user names of the members of every group by its name."""
    users = {one["id"]: one for one in listed(client, "/Users")}
    names = {key: one["userName"] for key, one in users.items()}
    people = {names[key]: (one["displayName"], one["active"]) for key, one in users.items()}
    groups = {
        one["displayName"]: {names[member["value"]] for member in one.get("members", [])}
        for one in listed(client, "/Groups")
    }
    return people, groups


def expected(
    users: int, groups: int, *, changed: bool
) -> tuple[dict[str, tuple[str, bool]], dict[str, set[str]]]:
    """The state after `provision`, or after `change`."""
    word, suffix = ("Renamed", " renamed") if changed else ("Person", "")
    people = {address(n): (f"{word} {n}", not changed or is_active_after(n)) for n in range(users)}
    members = members_after if changed else members_before
    return people, {
        f"{group_name(n)}{suffix}": {address(one) for one in members(n, users)} for n in range(groups)
    }
