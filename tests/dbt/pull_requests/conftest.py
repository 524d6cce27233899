"""One warehouse for the tests of pull requests: every way of merging, false signs, and random histories."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from ingest.lake import Lake
from tests.dbt import shared, warehouse
from tests.dbt.invented import (
    invented_checks,
    invented_identities,
    invented_lake,
    invented_pull_requests,
    invented_teams,
)
from tests.dbt.invented.invented_history import ORGANIZATION_ID
from tests.dbt.invented.invented_pull_requests import Row, hours
from tests.dbt.invented.invented_trackers import LINEAR, SYNCED_AT, Trackers, connection, item
from tests.dbt.pull_requests.false_signs import misleading
from tests.dbt.pull_requests.landings import landed
from tests.dbt.pull_requests.random_items import TEAM_KEY, random_items
from tests.dbt.pull_requests.random_merges import random_history
from tests.dbt.pull_requests.random_reviews import random_reviews
from tests.dbt.pull_requests.reviewed_branches import ADA, KEN, START, Reviewed, feature, lines

HOSTS = (invented_pull_requests.CONNECTION, invented_pull_requests.OTHER_CONNECTION)
LOST = "01920000-0000-7000-8000-000000000009"
WAYS = ("merge", "squash", "rebase", "fast_forward")
NUMBER = 7
# Ada's teams, with their first and last days. An address that joins nobody identifies together with the name.
MEMBERSHIPS = (("Platform", date(2025, 1, 1), date(2025, 4, 15)), ("Payments", date(2025, 4, 16), None))


@pytest.fixture(scope="session")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Reviewed]:
    """Repositories by name: one for each way of merging, and further ones."""
    return shared.made(tmp_path_factory, "reviewed", write_repositories)


def write_repositories(folder: Path) -> dict[str, Reviewed]:
    found = {}
    for number, way in enumerate(WAYS):
        # Repositories with the same people, times and subjects are copies of each other.
        now = START + timedelta(days=number)
        one = found[way] = Reviewed(f"acme/{way.replace('_', '')}", folder / way, now)
        feature(one)
        one.git("checkout", "-q", "main")
        # A fast-forward needs a default branch that stood still.
        if way != "fast_forward":
            one.commit({"src/other.py": lines("other", one.name, 5)}, "Do something else", KEN)
        one.deliver(
            way, "feature/parser", NUMBER, "Parse and print", linked_issues=["web-1"], url=address(one, NUMBER),
            body="As UTF-8, not as WEB-2 has it",
        )  # fmt: skip
    # Neither the message nor the tree of this squash tells the clone which branch it was.
    plain = found["plain"] = Reviewed("acme/plain", folder / "plain", START + timedelta(days=len(WAYS) + 1))
    feature(plain)
    plain.git("checkout", "-q", "main")
    plain.commit({"src/other.py": lines("other", plain.name, 5)}, "Do something else", KEN)
    row = plain.deliver("squash", "feature/parser", NUMBER, "Parse and print", url=address(plain, NUMBER))
    plain.git("commit", "-q", "--amend", "-m", "Parse and print", author=ADA)
    row["merge_sha"] = plain.head("main")
    # Its review refs hold work that was never merged.
    lost = found["lost"] = Reviewed("acme/lost", folder / "lost", START + timedelta(days=len(WAYS)))
    feature(lost)
    lost.git("checkout", "-q", "main")
    lost.git("update-ref", "refs/eas/review/7", "feature/parser")
    lost.git("branch", "-q", "-D", "feature/parser")
    timed = found["timed"] = Reviewed("acme/timed", folder / "timed")
    timed.pull_requests = random_reviews(timed.id)
    found["misleading"] = misleading(folder / "misleading")
    found["landed"] = landed(folder / "landed")
    for seed in range(3):
        found[f"random {seed}"] = random_history(folder / f"random{seed}", seed)
    return found


def address(one: Reviewed, number: int) -> str:
    """The page of a pull request."""
    return f"https://git.example.org/{one.name}/pulls/{number}"


def unsynced() -> list[Row]:
    """The hosts, whose last syncs are the longer ago the later they stand."""
    return [
        connection(one, "GITHUB", "hosts", SYNCED_AT - timedelta(days=3 * number))
        for number, one in enumerate(HOSTS)
    ]


def tracker(squash: Reviewed) -> Trackers:
    """Three issues: one that the host links, one that a description mentions, and one that knows a pull request."""
    rows = [
        item(
            LINEAR, "1", "issue", key="WEB-1", status_category="doing", started_at=START - timedelta(days=30)
        ),
        item(LINEAR, "2", "issue", key="WEB-2"),
        item(LINEAR, "3", "issue", key="WEB-3", pull_requests=[address(squash, NUMBER) + "/"]),
    ]
    rows += random_items()
    control = {
        "connections": [connection(LINEAR, "LINEAR"), *unsynced()],
        "connection_levels": [
            {"organization_id": ORGANIZATION_ID, "connection_id": LINEAR, "item_kind": kind, "level": level}
            for kind, level in (("issue", "issue"), ("project", "objective"))
        ],
        "check_settings": invented_checks.all_on(),
        "tracker_teams": [
            {
                "organization_id": ORGANIZATION_ID, "connection_id": LINEAR, "team_key": TEAM_KEY,
                "team_id": invented_teams.team_id("Platform"),
            }
        ],
        "team_memberships": [
            {
                "organization_id": ORGANIZATION_ID, "team_id": invented_teams.team_id(team),
                "developer_id": invented_identities.developer_id(f"{ADA[1]} ada lovelace"),
                "start_on": first, "end_on": last,
            }
            for team, first, last in MEMBERSHIPS
        ],
    }  # fmt: skip
    return Trackers(items={LINEAR: rows}, deletions={LINEAR: []}, control=control)


@pytest.fixture(scope="session")
def merged(reviewed: dict[str, Reviewed], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The warehouse of these repositories and of their pull requests on the host."""
    return shared.made(tmp_path_factory, "merged", lambda folder: build(reviewed, folder))


def build(reviewed: dict[str, Reviewed], folder: Path) -> Path:
    lake = Lake(folder / "raw")
    invented_lake.write(
        folder / "raw", [one.repository for one in reviewed.values()], trackers=tracker(reviewed["squash"])
    )
    for one in reviewed.values():
        one.extract(lake)
    rows = [row for one in reviewed.values() for row in one.pull_requests]
    # A connection that the settings no longer have read other versions, which do not count.
    lost = [
        dict(row, connection_id=LOST, updated_at=row["updated_at"] + hours(900), state="closed")
        for row in rows
    ]
    # What an earlier batch read, when nothing was merged. The clock of the host went wrong since.
    former = [
        dict(
            row,
            batch=row["batch"] - 1,
            updated_at=row["updated_at"] + hours(900),
            state="open",
            merged_at=None,
        )
        for row in rows
    ]
    repositories = [
        invented_pull_requests.repository(one.name, f"https://git.example.org/{one.name}", host)
        for one in reviewed.values()
        for host in HOSTS
    ]
    invented_pull_requests.write(folder / "raw", [*rows, *lost, *former], repositories)
    return warehouse.build(folder / "raw", folder)
