"""Invents trackers with hierarchies, and references of commits to their items, some of them false.

Every case occurs: several trackers with one key, moved and reused keys, circles, parents that are deleted or unknown,
kinds that are ignored, older versions of items, and texts that look like keys.
"""

from __future__ import annotations

import random
import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from tests.dbt.invented.invented_delivery import Row
from tests.dbt.invented.invented_history import ORGANIZATION_ID, VERSION, Repository
from tests.dbt.invented.invented_teams import team_id

JIRA, OLD_JIRA, LINEAR, GITHUB, AZURE, ASANA = (f"0190d3b0-0000-7000-8000-00000000c00{n}" for n in range(6))
KINDS = {
    JIRA: "JIRA_CLOUD", OLD_JIRA: "JIRA_DATA_CENTER", LINEAR: "LINEAR", GITHUB: "GITHUB", AZURE: "AZURE_DEVOPS",
    ASANA: "ASANA",
}  # fmt: skip
LEVELS = {
    JIRA: {"initiative": "objective", "epic": "sub_objective", "folder": "ignored"},
    OLD_JIRA: {},
    LINEAR: {"initiative": "objective", "project": "sub_objective"},
    GITHUB: {"milestone": "sub_objective"},
    AZURE: {"epic": "objective", "feature": "sub_objective"},
    ASANA: {"goal": "objective", "project": "ignored"},
}
TEAMS = [(JIRA, "ABC", "Platform"), (LINEAR, "LIN", "Ledger"), (LINEAR, "OTHER", "Payments")]
CREATED = datetime(2025, 1, 2, tzinfo=UTC)
# Some hours before the invented builds.
SYNCED_AT = datetime(2027, 3, 1, 3, tzinfo=UTC)
FALSE_KEYS = [
    "UTF-8", "UTF-16", "SHA-256", "SHA-1", "ISO-8601", "ISO-8859", "CVE-2024", "RFC-2119", "X-1", "PEP-8", "MD-5",
    "AES-128", "COVID-19", "HTTP-2", "TLS-1", "A1-1", "BASE-64", "GPT-4", "PY-3", "WIN-32", "F-16", "EC-2",
]  # fmt: skip
"""Texts of the form of a key that name no issue."""


@dataclass
class Trackers:
    """Raw rows: items and deletions by connection, references by repository, and the settings of people."""

    items: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    deletions: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    control: dict[str, list[Row]] = field(default_factory=dict)

    @classmethod
    def of(cls, repositories: Sequence[Repository], seed: int = 1) -> Trackers:
        """Trackers of the repositories, whose rows get references."""
        return _Inventor(repositories, random.Random(seed)).trackers()

    def present(self) -> dict[str, Row]:
        """The newest version of every item that exists, by its id."""
        found: dict[str, Row] = {}
        for connection, rows in self.items.items():
            deleted = self.deletions[connection]
            gone = {row["provider_id"] for row in deleted if row["table_name"] == "items"}
            for row in sorted(rows, key=lambda row: int(row["batch"])):
                if row["provider_id"] not in gone:
                    found[item_id(connection, row["provider_id"])] = row
        return found


def item_id(connection: str, provider_id: str) -> str:
    return str(uuid.uuid5(uuid.UUID(ORGANIZATION_ID), f"item:{connection}:{provider_id}"))


def item(connection: str, provider_id: str, kind: str, **given: Any) -> Row:
    """A row of trackers.items with some columns given."""
    row: Row = {
        "organization_id": ORGANIZATION_ID, "connection_id": connection, "batch": 1, "provider_id": provider_id,
        "kind": kind, "key": None, "previous_keys": [], "repository_id": None, "number": None, "type_name": None,
        "title": f"{kind} {provider_id}", "status": "Open", "status_category": "todo", "parent_ids": [],
        "team_key": None, "team_name": None, "assignee": None, "assignee_name": None, "assignee_email": None,
        "creator": None, "created_at": CREATED, "updated_at": CREATED, "started_at": None, "completed_at": None,
        "start_on": None, "target_on": None, "estimate": None, "resolution": None, "branch_name": None, "url": None,
        "labels": [], "pull_requests": [], "history": [], "payload": "{}", "connector_version": VERSION,
    }  # fmt: skip
    assert set(given) <= set(row), set(given) - set(row)
    return row | given


def connection(
    connection_id: str, kind: str, category: str = "trackers", synced_at: datetime = SYNCED_AT
) -> Row:
    """A row of control.connections."""
    return {
        "organization_id": ORGANIZATION_ID, "connection_id": connection_id, "kind": kind, "category": category,
        "name": f"Our {kind.lower()}", "unsynced_since": synced_at,
    }  # fmt: skip


def reference(
    repository: Repository, sha: str, found_in: str, shape: str, target: str, path: str | None = None
) -> Row:
    """A row of git.references."""
    return {
        "organization_id": ORGANIZATION_ID, "repository_id": repository.id, "commit_sha": sha, "found_in": found_in,
        "trailer_key": None, "path": path, "shape": shape, "reference": target, "target": target,
        "extractor_version": VERSION,
    }  # fmt: skip


class _Inventor:
    def __init__(self, repositories: Sequence[Repository], chance: random.Random) -> None:
        self.repositories, self.chance, self.found = list(repositories), chance, Trackers()

    def trackers(self) -> Trackers:
        self._jira()
        self._others()
        for rows in self.found.items.values():
            self._vary(rows)
        for repository in self.repositories:
            self._refer(repository)
        self.found.control = {
            "connections": [connection(one, kind) for one, kind in KINDS.items()],
            "connection_levels": [
                {"organization_id": ORGANIZATION_ID, "connection_id": one, "item_kind": kind, "level": level}
                for one, levels in LEVELS.items()
                for kind, level in levels.items()
            ],
            "tracker_teams": [
                {"organization_id": ORGANIZATION_ID, "connection_id": one, "team_key": key, "team_id": team_id(team)}
                for one, key, team in TEAMS
            ],
        }  # fmt: skip
        return self.found

    def _add(self, connection: str, provider_id: str, kind: str, **given: Any) -> None:
        self.found.items[connection].append(item(connection, provider_id, kind, **given))

    def _jira(self) -> None:
        for n in (1, 2):
            self._add(
                JIRA, f"i{n}", "initiative", key=f"ABC-{900 + n}", team_key="ABC", target_on=date(2026, n, 1)
            )
        # An initiative above another one, and a circle of two.
        self._add(JIRA, "i3", "initiative", key="ABC-903", parent_ids=["i1"])
        self._add(JIRA, "i4", "initiative", key="ABC-904", parent_ids=["i5"])
        self._add(JIRA, "i5", "epic", key="ABC-905", parent_ids=["i4"])
        self._add(JIRA, "f1", "folder", key="ABC-906", parent_ids=["i2"])
        self._add(JIRA, "f2", "folder", key="ABC-907", parent_ids=["gone"])
        self._add(JIRA, "gone", "epic", key="ABC-908", parent_ids=["i1"])
        self.found.deletions[JIRA].append(_deletion(JIRA, "gone"))
        # A pull request of the same id is another entity.
        self.found.deletions[JIRA].append(_deletion(JIRA, "i1") | {"table_name": "pull_requests"})
        parents = ["i1", "i3", "i5", "f1", "f2", "gone", "never", "e1", "e2"]
        for n in range(1, 5):
            self._add(JIRA, f"e{n}", "epic", key=f"ABC-{910 + n}", parent_ids=self._some(parents, 2))
        parents += [f"e{n}" for n in range(3, 5)]
        for n in range(1, 30):
            given = {
                "parent_ids": self._some([*parents, f"s{n}"], 2),
                "type_name": self.chance.choice(["Bug", "Story"]),
            }
            url = f"https://jira.example.org/browse/ABC-{n}"
            self._add(JIRA, f"s{n}", "story", key=f"ABC-{n}", url=url, **given)
        # Addresses that differ in their queries alone, and one that GitLab has under two names.
        for n in range(1, 5):
            url = f"https://bugs.example.org/show_bug.cgi?id={n}"
            self._add(OLD_JIRA, f"b{n}", "bug", url=url)
            url = f"https://gitlab.example.org/acme/web/-/work_items/{n}"
            self._add(OLD_JIRA, f"g{n}", "issue", url=url)
        # A key that moved here, one that somebody else has now, and a moved issue that is deleted.
        self.found.items[JIRA][-1]["previous_keys"] = ["OPS-1", "ABC-2"]
        self._add(JIRA, "s98", "story", key="ABC-98", previous_keys=["OPS-3"])
        self.found.deletions[JIRA].append(_deletion(JIRA, "s98"))
        for n in range(1, 5):
            self._add(OLD_JIRA, f"o{n}", "story", key=f"ABC-{n}")
            self._add(OLD_JIRA, f"p{n}", "story", key=f"OLD_1-{n}")

    def _others(self) -> None:
        self._add(
            LINEAR, "l1", "initiative", team_key="OTHER", status_category="done", target_on=date(2025, 1, 1)
        )
        for n in range(1, 4):
            self._add(LINEAR, f"p{n}", "project", parent_ids=self._some(["l1", "l9"], 1), team_key="LIN")
        for n in range(1, 12):
            url = f"https://linear.app/acme/issue/LIN-{n}/some-title-{n}"
            given = {
                "parent_ids": self._some(["p1", "p2", "p3", "x1"], 1),
                "branch_name": f"ada/lin-{n}-some-title",
            }
            self._add(LINEAR, f"x{n}", "issue", key=f"LIN-{n}", url=url, team_key="LIN", **given)
        for repository in self.repositories[:3]:
            self._add(GITHUB, f"{repository.name}-m", "milestone")
            for n in range(1, 9):
                url = f"https://github.com/{repository.name}/issues/{n}"
                where = {
                    "repository_id": repository.id,
                    "number": n,
                    "url": url,
                    "key": f"{repository.name}#{n}",
                }
                labels = self._some(["bug", "good first issue", "type: bug"], 1)
                parents = self._some([f"{repository.name}-m", f"{repository.name}-{n + 1}"], 1)
                self._add(
                    GITHUB, f"{repository.name}-{n}", "issue", parent_ids=parents, labels=labels, **where
                )
        self._add(AZURE, "1", "epic", key="AB#1")
        for n in range(2, 9):
            given = {
                "parent_ids": [str(n // 2)],
                "url": f"https://dev.azure.com/acme/Core/_workitems/edit/{n}",
            }
            self._add(AZURE, str(n), "feature" if n < 4 else "issue", key=f"AB#{n}", **given)
        self._add(ASANA, "7", "goal")
        self._add(ASANA, "70", "project", parent_ids=["7"])
        for n in range(701, 706):
            url = f"https://app.asana.com/1/1200/project/70/task/{n}"
            self._add(ASANA, str(n), "task", parent_ids=["70"] if n % 2 else [], url=url)

    def _vary(self, rows: list[Row]) -> None:
        """Older versions with other parents and keys, and states."""
        for row in list(rows):
            row["status_category"] = self.chance.choice(["todo", "doing", "done", "done", "canceled"])
            row["resolution"] = self.chance.choice([None, "Fixed", "Won't fix"])
            if self.chance.random() < 0.3:
                old = {"batch": 1, "parent_ids": ["i1"], "title": "Former", "key": f"FORMER-{len(rows)}"}
                rows.append(row | old)
                row["batch"] = 2

    def _one(self, *values: str) -> str:
        return self.chance.choice(values)

    def _some(self, values: Sequence[str], most: int) -> list[str]:
        return self.chance.sample(values, self.chance.randint(0, most))

    def _refer(self, repository: Repository) -> None:
        paths = defaultdict(list)
        for change in repository.rows["file_changes"]:
            paths[change["commit_sha"]].append(change["path"])
        for commit in repository.rows["commits"]:
            own = paths[commit["commit_sha"]]
            for _ in range(self.chance.choice([0, 0, 1, 1, 2, 3])):
                place = self.chance.choice(["subject", "body", "trailer", *(["code"] if own else [])])
                shape, target = self._target(repository)
                path = self.chance.choice(own) if place == "code" else None
                row = reference(repository, commit["commit_sha"], place, shape, target, path)
                repository.rows["references"].append(row)
            if commit["is_merge"] and self.chance.random() < 0.6:
                shape, target = self.chance.choice([("key", "ABC-7"), ("number", "3"), ("key", "UTF-8")])
                row = reference(repository, commit["commit_sha"], "branch", shape, target)
                repository.rows["references"].append(row)
        for delivery in repository.rows["deliveries"]:
            if self.chance.random() < 0.2:
                delivery["branch_names"] = [f"Ada/LIN-{self.chance.randint(1, 12)}-some-title", "main"]

    def _target(self, repository: Repository) -> tuple[str, str]:
        n = self.chance.randint(1, 12)
        name = self.repositories[self.chance.randrange(4)].name
        return self.chance.choice(
            [
                ("key", f"ABC-{self.chance.randint(1, 34)}"),
                ("key", f"ABC-{900 + self.chance.randint(1, 16)}"),
                ("key", self.chance.choice(["OPS-1", "OPS-2", "OPS-3", "OLD_1-2", "FORMER-3", "ABC-98"])),
                ("key", f"LIN-{n}"),
                ("key", self.chance.choice(FALSE_KEYS)),
                ("number", str(n)),
                ("gh", str(n)),
                ("qualified", f"{name.upper()}#{n}"),
                ("ab", str(n)),
                ("url", f"https://linear.app/acme/issue/LIN-{n}"),
                ("url", f"https://github.com/{name}/issues/{n}"),
                ("url", f"https://github.com/{name}/pull/{n}"),
                ("url", f"https://jira.example.org/browse/ABC-{n}"),
                ("url", f"https://app.asana.com/0/70/{700 + n}"),
                ("url", f"https://bugs.example.org/show_bug.cgi?id={n}"),
                ("url", f"https://gitlab.example.org/acme/web/-/issues/{n}#note_5"),
                ("url", f"https://dev.azure.com/acme/0f3c/_workitems/edit/{n}"),
                ("sha", "ABC-1"),
            ]
        )


def _deletion(connection: str, provider_id: str) -> Row:
    return {
        "organization_id": ORGANIZATION_ID, "connection_id": connection, "table_name": "items",
        "provider_id": provider_id, "connector_version": VERSION,
    }  # fmt: skip
