"""Checks a complete build before it counts as one that may be published.

Each check is an identity between the manifest, the warehouse and the tables to publish, so no legitimate change fails
it: removals, exclusions, force pushes and corrected settings change both sides. Fewer commits than in the build before
are an error only where facts, settings and rules are the same.
Add: an identity that holds for every history. Keep out: data tests of models (dbt_project), the move itself (snapshot).
"""

from __future__ import annotations

from collections.abc import Mapping

import duckdb

from orchestration.deployment import Deployment
from orchestration.publishing.snapshot import CONFIG, PublishRefused
from orchestration.state import snapshot_files
from orchestration.state.warehouse_files import published_tables

NOUN = "git"
# Inputs of a build that decide which commits it holds. The local date does not.
SAME_COMMITS = ("facts", "settings", "code", "version")
# Raw tables that models read; their views are in the warehouse.
COUNTED = ("commits", "file_changes", "deliveries", "delivered_lines", "line_deaths", "reachability")
# Published tables, the facts that they are made of, and the sums that both must have.
TOTALS = (
    ("commits_by_time", "fct_commits", ("etv_micro", "effort_micro", "points_micro")),
    ("daily", "fct_daily", ("etv_micro", "effort_micro", "commits", "lines_added", "lines_deleted")),
)
# A commit that several repositories have counts once.
REACHABLE = """
    select count(distinct commit_sha) from stg_git__commits
    semi join (select * from stg_git__reachability where is_reachable) using (repository_id, commit_sha)
"""


def check(
    deployment: Deployment,
    organization_id: str,
    inputs: Mapping[str, str],
) -> None:
    """Raise PublishRefused if the tables to publish contradict the manifest, the facts or the build before.

    Call it before the lake may change: reading a repository adds rows to the manifest and replaces files.
    """
    warehouse = deployment.settings.warehouse_file(organization_id)
    tables = published_tables(warehouse)
    with duckdb.connect(str(warehouse), read_only=True, config=CONFIG) as connection:
        connection.execute("set TimeZone = 'UTC'")
        connection.execute("attach '" + str(tables).replace("'", "''") + "' as tables (read_only)")
        found = [
            *_lost_rows(connection, deployment, organization_id),
            *_differing_totals(connection),
            *_lost_commits(connection),
            *_shrinkage(connection, deployment, organization_id, inputs),
        ]
    if found:
        raise PublishRefused(
            f"the build is not published, because {'; '.join(found)}. The published figures stay; run `eas analyze`"
            " again, and report it if the message comes back"
        )


def _lost_rows(
    connection: duckdb.DuckDBPyConnection, deployment: Deployment, organization_id: str
) -> list[str]:
    """Raw tables that have other rows than the manifest. Reads only the ends of the files."""
    manifest = deployment.lake.rows(NOUN, organization_id).values()
    problems = []
    for table in COUNTED:
        expected = sum(rows.get(table, 0) for rows in manifest)
        found = _value(connection, f'select count(*) from {NOUN}."{table}"')
        if found != expected:
            problems.append(f"it read {found:,} rows of {NOUN}/{table} instead of {expected:,}")
    return problems


def _differing_totals(connection: duckdb.DuckDBPyConnection) -> list[str]:
    problems = []
    for table, facts, columns in TOTALS:
        sums = ", ".join(["count(*)", *(f"coalesce(sum({column}), 0)" for column in columns)])
        [published] = connection.execute(f"select {sums} from tables.{table}").fetchall()
        [expected] = connection.execute(f"select {sums} from {facts}").fetchall()
        if published != expected:
            problems.append(f"{table} has the totals {published} instead of {expected}")
    return problems


def _lost_commits(connection: duckdb.DuckDBPyConnection) -> list[str]:
    expected = _value(connection, REACHABLE)
    found = _value(connection, "select count(*) from tables.commits_by_time")
    return [] if found == expected else [f"it has {found:,} commits instead of {expected:,}"]


def _shrinkage(
    connection: duckdb.DuckDBPyConnection,
    deployment: Deployment,
    organization_id: str,
    inputs: Mapping[str, str],
) -> list[str]:
    before = deployment.run_state.build(organization_id)
    if before is None or any(before.inputs.get(name) != inputs.get(name) for name in SAME_COMMITS):
        return []
    file = snapshot_files.current_file(deployment.settings.published_dir / organization_id)
    if file is None or file.stem != before.build_id:
        return []
    try:
        connection.execute("attach '" + str(file).replace("'", "''") + "' as before (read_only)")
        earlier = _value(connection, "select count(*) from before.commits_by_time")
    except duckdb.Error:
        return []  # a damaged snapshot is what this build replaces
    found = _value(connection, "select count(*) from tables.commits_by_time")
    return [] if found >= earlier else [f"it has {found:,} commits of {earlier:,} from the same facts"]


def _value(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    return int(connection.execute(query).fetchall()[0][0])
