"""An issue tracker of the served histories, as a sync would leave it: a connection, and rows in the lake.

Keep out: requests to a tracker (tests/ingest/providers).
"""

import re
import subprocess
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from api.control.store import ControlStore
from ingest.lake import Lake
from ingest.providers.linear.tracker import Linear
from ingest.schemas import TABLES
from orchestration.deployment import LOCAL_ORGANIZATION
from tests.dbt.invented.invented_trackers import item
from tests.end_to_end.git_figures import GitHistory
from tests.end_to_end.stored_connections import store_connection

# Issue → objective or sub-objective above it.
PARENTS = {"WALL-1": "project", "WALL-2": "initiative", "WALL-3": None, "WALL-5": "initiative"}
ABOVE = {"project": "initiative", "initiative": None}
BRANCH, ON_BRANCH = "roof", "WALL-5"
TITLES = {"initiative": "Sound houses", "project": "Strong beams"}


def add_tracker(store: ControlStore, raw: Path) -> None:
    """Add the connection and its items."""
    levels = {kind: str(level) for kind, level in Linear.levels.items()}
    # Its name is the first: a Git host has no levels for the routes below a connection.
    connection = store_connection(store, "LINEAR", "trackers", "https://api.linear.app", "Boards", levels)
    rows = [
        _item(connection, "initiative", "initiative", target_on=date(2024, 6, 30), assignee="ada"),
        _item(connection, "project", "project", parent_ids=["initiative"]),
        *(
            _item(
                connection, key, "issue", key=key, parent_ids=[above] if above else [],
                branch_name=BRANCH if key == ON_BRANCH else None,
                status_category="done" if key == "WALL-1" else "todo",
            )
            for key, above in PARENTS.items()
        ),
    ]  # fmt: skip
    table = pa.Table.from_pylist(rows, schema=TABLES["trackers", "items"])
    Lake(raw).source("trackers", LOCAL_ORGANIZATION, connection).commit({}, {"items": table}, {})


def _item(connection: str, provider_id: str, kind: str, **given: Any) -> dict[str, Any]:
    history = [
        {"field": "status", "at": datetime(2025, 2, 3, 4, tzinfo=UTC), "before": "Todo", "after": "Doing",
         "after_category": "doing", "actor": "ada"}
    ]  # fmt: skip
    given |= {"organization_id": LOCAL_ORGANIZATION, "history": history}
    return item(connection, provider_id, kind, title=TITLES.get(provider_id, f"Issue {provider_id}"), **given)


def links_of(history: GitHistory) -> dict[str, list[str]]:
    """The known issues of every commit, from its whole message, else from the branch that was merged with it."""
    found: dict[str, list[str]] = {}
    merges = {
        one.sha
        for one in history.commits.values()
        if one.subject == f"Merge branch '{BRANCH}'" and one.delivery
    }
    for commit in history.commits.values():
        message = subprocess.run(
            ["git", "-C", str(history.path), "log", "-1", "--format=%B", commit.sha],
            check=True, capture_output=True,
        ).stdout.decode(errors="replace")  # fmt: skip
        named = {key for key in re.findall(r"\bWALL-\d+\b", message) if key in PARENTS}
        if not named and commit.delivery in merges:
            named = {ON_BRANCH}
        found[commit.sha] = sorted(named)
    return found


def reached(key: str) -> list[str]:
    """The objective and sub-objective above an issue."""
    above, line = PARENTS[key], []
    while above is not None:
        line.append(above)
        above = ABOVE[above]
    return line


def naive_etv(links: Mapping[str, list[str]], etv: Mapping[str, float], goal: str) -> float:
    """The ETV that reaches an objective or sub-objective: each issue of a commit has an equal share."""
    return sum(
        etv[sha] * sum(goal in reached(key) for key in keys) / len(keys)
        for sha, keys in links.items()
        if keys and sha in etv
    )
