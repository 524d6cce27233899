"""Random requests for lists: ranges, search words, filters, orders, later pages."""

import random
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import duckdb
import orjson

from tests.benchmarks.latency.list_organization import ACTIONS, published_file
from tests.benchmarks.latency.published_synthetic import AS_OF, ORGANIZATION

ROOT = f"/api/v1/organizations/{ORGANIZATION}"
FIGURES = ("developers", "repositories", "teams")
# The default order is by value.
ORDERS = (
    "",
    "",
    "",
    "performance desc",
    "commits desc",
    "name",
    "aiShareAtLeast desc",
    "linesAdded desc, name",
)
FILTERS = (
    "etv > 2",
    "commits >= 2 AND etv < 40",
    'name:"12"',
    "performance > 30",
    "featuresEtv > 1 AND NOT fixesEtv > 1",
)
PRESETS = (
    (date(2026, 10, 1), date(2026, 10, 31)),
    (date(2026, 7, 1), date(2026, 9, 30)),
    (date(2026, 1, 1), AS_OF),
    (date(2025, 1, 1), date(2025, 12, 31)),
)
WALKED = 6

Picker = Callable[[random.Random], tuple[str, str]]


@dataclass
class Requests:
    """Requests of a caller. `pages` holds tokens of later pages by route."""

    port: int
    key: str
    folder: Path
    of_owner: bool = True
    ids: dict[str, list[str]] = field(default_factory=dict)
    pages: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        with duckdb.connect(str(published_file(self.folder)), read_only=True) as build:
            for kind, table in (("team", "teams"), ("developer", "developers")):
                rows = build.execute(f"select {kind}_id from {table} using sample 2000").fetchall()
                self.ids[kind] = [row[0] for row in rows]
        for route in FIGURES:
            for options in ({}, {"orderBy": "name"}, {"orderBy": "commits desc", "startDate": "2026-01-01"}):
                self.pages.setdefault(route, []).extend(self._walk(f"{ROOT}/{route}", options))
        self.pages["tree"] = self._walk(f"{ROOT}/teams:tree", {"pageSize": 500})
        if not self.of_owner:
            # The API refuses a lead any other developer, so draw from the visible ones.
            listed = self._read(f"{ROOT}/developers?pageSize=1000")["developers"]
            self.ids["developer"] = [one["id"] for one in listed]
        else:
            self.pages["audit log"] = self._walk(f"{ROOT}/auditEntries", {"pageSize": 500})
            self.pages["managed"] = self._walk(f"{ROOT}/repositories:managed", {"pageSize": 500})
            self.pages["members"] = self._walk(f"{ROOT}/members", {"pageSize": 100})

    def pick(self, dice: random.Random) -> tuple[str, str]:
        """Draw a route and path: half are lists with figures, half lists of settings."""
        if dice.randrange(2) == 0:
            route = dice.choice(FIGURES)
            if dice.randrange(5) == 0 and self.pages[route]:
                return f"{route}, later page", dice.choice(self.pages[route])
            return route, f"{ROOT}/{route}?{urlencode(figure_query(dice), quote_via=quote)}"
        routes = {"tree": self._tree, "memberships": self._memberships}
        if self.of_owner:
            routes |= {
                "managed": _managed, "members": _members, "audit log": _audit, "operations": _operations,
            }  # fmt: skip
        route = dice.choice(list(routes))
        if dice.randrange(4) == 0 and self.pages.get(route):
            return f"{route}, later page", dice.choice(self.pages[route])
        path, query = routes[route](dice)
        return route, f"{ROOT}/{path}?{urlencode(query, quote_via=quote)}"

    def _walk(self, path: str, options: dict[str, Any]) -> list[str]:
        found: list[str] = []
        url = f"{path}?{urlencode(options)}"
        while len(found) < WALKED:
            token = self._read(url)["nextPageToken"]
            if not token:
                break
            url = f"{path}?{urlencode(options | {'pageToken': token})}"
            found.append(url)
        return found

    def _read(self, url: str) -> dict[str, Any]:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{url}", headers={"Authorization": f"Bearer {self.key}"}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            found: dict[str, Any] = orjson.loads(answer.read())
        return found

    def _tree(self, dice: random.Random) -> tuple[str, dict[str, Any]]:
        return "teams:tree", dice.choice(({}, {"pageSize": 1000}, {"orderBy": "name desc"}))

    def _memberships(self, dice: random.Random) -> tuple[str, dict[str, Any]]:
        choices: list[dict[str, Any]] = [
            {},
            {"on": AS_OF.isoformat()},
            {"developer": dice.choice(self.ids["developer"])},
        ]
        if self.of_owner:
            choices.append({"team": dice.choice(self.ids["team"]), "on": AS_OF.isoformat()})
        return "teamMemberships", dice.choice(choices)


def figure_query(dice: random.Random) -> dict[str, Any]:
    """Draw a query: half with the default range, others with whole periods or any days; some with words and filters."""
    query: dict[str, Any] = {"orderBy": dice.choice(ORDERS), "pageSize": dice.choice((25, 50, 50, 100))}
    match dice.randrange(8):
        case 4 | 5 | 6:
            query["startDate"], query["endDate"] = dice.choice(PRESETS)
        case 7:
            last = AS_OF - timedelta(days=dice.randrange(600))
            query |= {"startDate": last - timedelta(days=dice.randrange(7, 200)), "endDate": last}
    match dice.randrange(5):
        case 0:
            query["search"] = str(dice.randrange(10, 1000))
        case 1:
            query["filter"] = dice.choice(FILTERS)
    return {name: value for name, value in query.items() if value != ""}


def _managed(dice: random.Random) -> tuple[str, dict[str, Any]]:
    return "repositories:managed", dice.choice(
        (
            {},
            {"state": "ACTIVE"},
            {"state": "NEEDS_ATTENTION"},
            {"orderBy": "createdAt desc"},
            {"orderBy": "analyzedAt desc"},
            {"search": str(dice.randrange(10, 1000))},
        )
    )


def _members(dice: random.Random) -> tuple[str, dict[str, Any]]:
    return "members", dice.choice(
        ({}, {"search": str(dice.randrange(10, 1000))}, {"role": "OWNER"}, {"orderBy": "joinedAt desc"})
    )


def _audit(dice: random.Random) -> tuple[str, dict[str, Any]]:
    start = AS_OF - timedelta(days=dice.randrange(900))
    return "auditEntries", dice.choice(
        (
            {},
            {"actor": f"person{dice.randrange(50)}@acme.example"},
            {"action": dice.choice(ACTIONS)[0]},
            {"targetKind": "team", "target": f"target-{dice.randrange(5000)}"},
            {"startTime": f"{start}T00:00:00Z", "endTime": f"{start + timedelta(days=30)}T00:00:00Z"},
        )
    )


def _operations(dice: random.Random) -> tuple[str, dict[str, Any]]:
    return "operations", dice.choice(({}, {"state": "PENDING"}, {"state": "DONE"}, {"orderBy": "at"}))
