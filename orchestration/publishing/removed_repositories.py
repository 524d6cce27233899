"""The last traces of removed repositories, which go once a build without them is published."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from pathlib import Path

import dagster as dg
import duckdb

from api.control.repositories import removals
from ingest.git.repository_source import mirror_of
from orchestration.deployment import Deployment
from orchestration.operations.removal import NOUN, removed
from orchestration.publishing.snapshot import remove_replaced
from orchestration.runtime.partitions import REPOSITORIES, REPOSITORY_TAG, unregister


def forget(
    deployment: Deployment,
    organization_id: str,
    instance: dg.DagsterInstance,
    published: Path | None,
) -> None:
    """Delete the last traces of removed repositories, once a build without them is published.

    What was decided about commits that this build has in other repositories stays.
    """
    for one in removed(deployment, organization_id):
        # What a run has written since, or was marked since, waits for the next build.
        has_facts = deployment.lake.source(NOUN, organization_id, one.repository_id).state().batch
        if not has_facts and not mirror_of(deployment.settings, one.repository_id).exists():
            unregister(instance, REPOSITORIES, one.repository_id)
            _forget_runs(instance, one.repository_id)
            remove_replaced(deployment.settings.published_dir, organization_id)
            for export in deployment.settings.exports_dir.glob("capex-*"):
                export.unlink(missing_ok=True)
            deployment.run_state.forget(organization_id, one.repository_id)
            with deployment.control() as control:
                removals.forget(control, organization_id, one.repository_id, partial(_homes, published))


def _homes(published: Path | None, commit_ids: Collection[str]) -> dict[str, str]:
    """The repositories in which a build has these commits."""
    if published is None or not commit_ids:
        return {}
    with duckdb.connect(str(published), read_only=True) as connection:
        found = connection.execute(
            "select commit_id, repository_id from commits_by_time semi join (select unnest(?) as commit_id) "
            "using (commit_id)",
            [sorted(commit_ids)],
        )
        return dict(found.fetchall())


def _forget_runs(instance: dg.DagsterInstance, repository_id: str) -> None:
    """Delete what Dagster remembers of reading a repository: its name, its commits."""
    for run in instance.get_runs(dg.RunsFilter(tags={REPOSITORY_TAG: repository_id})):
        if run.is_finished:
            instance.compute_log_manager.delete_logs(prefix=[run.run_id])
            instance.delete_run(run.run_id)
