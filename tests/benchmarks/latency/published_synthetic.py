"""A synthetic warehouse with the published tables, computed by arithmetic, for load tests of publishing and reading.

Add: properties that change the size or spread of the data. Keep out: plausible values; no test depends on them.
"""

from datetime import date
from pathlib import Path

import duckdb

from tests.published_tables import contract

ORGANIZATION = "0190d3b0-0000-7000-8000-000000000001"
AS_OF = date(2026, 11, 20)
MOVED_ON = date(2026, 9, 1)
VERSION = "0.1.0"

# Marts of connections.
CONNECTED = tuple(
    f"api_v1__{name}"
    for name in (
        "objectives", "issues", "commit_issues", "objective_days",
        "pull_requests", "pull_request_times", "pull_request_commits", "pull_request_issues", "reviews", "ai_usage",
        "ai_usage_reconciliation", "ai_days", "ai_costs",
    )
)  # fmt: skip
# Each file uses tables of those before it.
STATEMENTS = tuple(
    Path(__file__).with_name("synthetic_tables") / f"{name}.sql"
    for name in ("seeds", "connected", "ai_usage", "commits", "totals", "people", "periods")
)


def write_warehouse(
    path: Path,
    *,
    commits: int,
    repositories: int = 400,
    developers: int = 2000,
    teams: int = 0,
    days: int = 5 * 365,
    tenure: int | None = None,
    issues: int = 0,
    pull_requests: int = 0,
) -> None:
    """Write a DuckDB file with every published relation: `commits` commits, about five files each.

    Each developer works for `tenure` of the `days` (all of them unless given). Without connections there are no
    `issues`, each of a commit of its own, and no `pull_requests`. The same arguments give the same rows.
    """
    values = {
        "$repositories": repositories,
        "$developers": developers,
        "$teams": teams,
        "$tenure": tenure or days,
        "$days": days,
        "$moved_on": MOVED_ON.isoformat(),
        "$commits": commits,
        "$issues": issues,
        "$pull_requests": pull_requests,
        "$as_of": AS_OF.isoformat(),
        "$version": VERSION,
        "$organization": ORGANIZATION,
    }
    statements = "\n".join(file.read_text() for file in STATEMENTS)
    for name, value in values.items():
        statements = statements.replace(name, str(value))
    with duckdb.connect(str(path)) as connection:
        connection.execute("set TimeZone = 'UTC'")
        connection.execute("set preserve_insertion_order = false")
        for mart in CONNECTED:
            columns = ", ".join(f"{name} {kind}" for name, kind in contract(mart).items())
            connection.execute(f"create table {mart} ({columns})")
        connection.execute(statements)
