"""The invented organization of the warehouse tests, and a writer of its lake."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from ingest.git.identifiers import commit_id
from ingest.lake import Lake
from ingest.schemas import TABLES
from tests.dbt.invented import invented_teams
from tests.dbt.invented.invented_history import ORGANIZATION_ID, PEOPLE, History, Repository
from tests.dbt.invented.invented_identities import NOTHING_DECIDED, Decided
from tests.dbt.invented.invented_trackers import Trackers

Tables = dict[str, list[dict[str, Any]]]
TIME_ZONE = "Europe/Vienna"
# Repositories that could not be read lately, the last of them for less than a day before the build.
UNREAD_SINCE = {
    "acme/site": datetime(2027, 2, 3, 4, tzinfo=UTC),
    "acme/churn": datetime(2027, 2, 28, 13, tzinfo=UTC),
    "acme/playground": datetime(2027, 1, 1, tzinfo=UTC),
}


def organization(deliveries: int = 45) -> list[Repository]:
    """Repositories with branches, renames, returns, imports, a fork, a sandbox and an excluded one."""
    core = History("acme/core", seed=1)
    for _ in range(deliveries):
        core.deliver()
    fork = core.forked("acme/fork")
    core.add_files(60, PEOPLE[3])
    for _ in range(deliveries // 3):
        core.deliver()
        fork.deliver()
    site = History("acme/site", seed=2)
    for _ in range(deliveries // 2):
        site.deliver()
    site.add_files(120, PEOPLE[0], lines=9)
    site.add_files(90, PEOPLE[2], lines=9)
    site.deliver()
    copied = History("acme/copied", seed=5)
    copied.add_files(60, PEOPLE[3], lines=80)
    for _ in range(3):
        copied.deliver()
    # One person reverts her work, restores it and reverts it again.
    churn = History("acme/churn", seed=6, people=PEOPLE[:2], hours=(1, 5, 30))
    for _ in range(deliveries):
        churn.deliver()
    # Another person removes old files with more lines than count in full.
    legacy = History("acme/legacy", seed=7, people=[PEOPLE[5]], hours=(1, 2))
    legacy.add_files(40, PEOPLE[3], lines=25)
    legacy.remove_all()
    sandbox = History("acme/playground", seed=3)
    excluded = History("acme/secret", seed=4)
    for _ in range(8):
        sandbox.deliver()
        excluded.deliver()
    return [
        core.finish(),
        fork.finish(),
        site.finish(),
        copied.finish(),
        churn.finish(),
        legacy.finish(),
        sandbox.finish(is_sandbox=True),
        excluded.finish(is_excluded=True),
    ]


def settings_of(repository: Repository) -> dict[str, Any]:
    """The repository's row of the control table."""
    given = repository.settings
    return {
        "organization_id": ORGANIZATION_ID,
        "repository_id": repository.id,
        "name": repository.name,
        "origin": f"https://git.example.org/{repository.name}",
        "is_sandbox": given.get("is_sandbox", False),
        "is_excluded": given.get("is_excluded", False),
        "is_disabled": False,
        "analysis_start_at": given.get("analysis_start_at"),
        "tags": [],
        "unread_since": UNREAD_SINCE.get(repository.name),
    }


def write(
    root: Path,
    repositories: Iterable[Repository],
    time_zone: str = TIME_ZONE,
    shuffle: int | None = None,
    decisions: Mapping[str, bool] | None = None,
    identities: Decided = NOTHING_DECIDED,
    trackers: Trackers | None = None,
    capex: Tables | None = None,
) -> None:
    """Write the lake. `shuffle` is the seed of another order of rows and files; `decisions` as in `gathered`.

    `capex` has the rows of the control tables about CapEx.
    """
    repositories = list(repositories)
    lake = Lake(root)
    own = {
        "organization_id": ORGANIZATION_ID,
        "name": "Acme",
        "slug": "acme",
        "time_zone": time_zone,
        "work_category_grouping": "five",
        "working_weekdays": "12345",
        "hours_per_day_hundredths": 800,
        "is_commit_limited": False,
        "analysis_paused_by": None,
        "analysis_paused_since": None,
        "renews_on": None,
    }
    control: Tables = {"organizations": [own], "repositories": [settings_of(r) for r in repositories]}
    control |= invented_teams.rows() if repositories else {}
    control |= identities.rows() | (capex or {})
    control["commit_exclusions"] = [_decided(sha, is_out) for sha, is_out in (decisions or {}).items()]
    trackers = trackers or Trackers()
    control |= trackers.control
    _commit(lake, "control", "_", control, shuffle)
    for connection, rows in trackers.items.items():
        deletions = trackers.deletions[connection]
        _commit(lake, "trackers", connection, {"items": rows, "deletions": deletions}, shuffle)
    for repository in repositories:
        _commit(lake, "git", repository.id, repository.rows, shuffle)
    # Every build does this, because an empty table has no file.
    lake.prepare(ORGANIZATION_ID)


def _decided(sha: str, is_excluded: bool) -> dict[str, Any]:
    """A decision about a commit as a row of the control table."""
    return {
        "organization_id": ORGANIZATION_ID,
        "commit_id": commit_id(ORGANIZATION_ID, sha),
        "is_excluded": is_excluded,
        "reason": "other" if is_excluded else None,
        "note": f"about {sha[:7]}" if is_excluded else None,
    }


def gathered(repositories: Iterable[Repository], decisions: Mapping[str, bool] | None = None) -> Tables:
    """The raw rows of all repositories by table, the input of the naive calculation.

    `decisions` maps a SHA to true if a person excluded the commit, to false if a person counted it against the rules.
    """
    tables: Tables = defaultdict(list)
    tables["decisions"] = [{"sha": sha, "is_out": is_out} for sha, is_out in (decisions or {}).items()]
    for repository in repositories:
        for name, rows in repository.rows.items():
            tables[name].extend(rows)
        tables["settings"].append(settings_of(repository))
    return tables


def _commit(lake: Lake, noun: str, source_id: str, tables: Tables, shuffle: int | None) -> None:
    replaced = {}
    for name, rows in tables.items():
        schema = TABLES[noun, name]
        for row in rows:
            assert set(row) == set(schema.names), (name, set(row) ^ set(schema.names))
        ordered = list(rows)
        if shuffle is not None:
            random.Random(shuffle).shuffle(ordered)
        replaced[name] = pa.Table.from_pylist(ordered, schema=schema)
    lake.source(noun, ORGANIZATION_ID, source_id).commit(appended={}, replaced=replaced, extra={})
