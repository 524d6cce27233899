"""Deletes the remaining data of removed repositories after a build without them is published."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from pathlib import Path

import dagster as dg
import duckdb

from api.control.repositories import removals
from ingest.git.repository_source import mirror_of
from orchestration.deployment import Deployment
from orchestration.operations.removal import NOUN, removed_repositories
from orchestration.publishing.snapshot import remove_replaced
from orchestration.runtime.partitions import REPOSITORIES, REPOSITORY_TAG, unregister


def forget(
    deployment: Deployment,
    organization_id: str,
    instance: dg.DagsterInstance,
    published: Path | None,
) -> None:
    """Delete the remaining data of removed repositories after a build without them is published.

    Keeps decisions about commits that this build has in another repository.
    """
    for one in removed_repositories(deployment, organization_id):
        # A repository that was extracted or marked after the build started waits for the next build.
        has_facts = deployment.lake.source(NOUN, organization_id, one.repository_id).state().batch
        if not has_facts and not mirror_of(deployment.settings, one.repository_id).exists():
            unregister(instance, REPOSITORIES, one.repository_id)
            _forget_runs(instance, one.repository_id)
            remove_replaced(deployment.settings.published_dir, organization_id)
            for export in deployment.settings.exports_dir.glob("capex-*"):
                export.unlink(missing_ok=True)
            deployment.run_state.forget(organization_id, one.repository_id)
            with deployment.control() as control:
                removals.forget(
                    control, organization_id, one.repository_id, partial(_repositories_of, published)
                )


def _repositories_of(published: Path | None, commit_ids: Collection[str]) -> dict[str, str]:
    """By commit id, the repository in which a build has the commit."""
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
    """Delete the finished runs of a repository and their logs from Dagster; they hold its name and commits."""
    for run in instance.get_runs(dg.RunsFilter(tags={REPOSITORY_TAG: repository_id})):
        if run.is_finished:
            instance.compute_log_manager.delete_logs(prefix=[run.run_id])
            instance.delete_run(run.run_id)
