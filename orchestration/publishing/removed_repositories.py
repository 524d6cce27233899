"""Deletes the remaining data of removed repositories and connections after a build without them is published."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from pathlib import Path

import dagster as dg
import duckdb

from api.control.connections.removals import forget_connection
from api.control.repositories import removals
from ingest.git.repository_source import mirror_of
from orchestration.deployment import Deployment
from orchestration.operations.deletion import NOUN, connections_to_delete, removed_repositories
from orchestration.publishing.snapshot import remove_replaced
from orchestration.runtime import old_runs
from orchestration.runtime.partitions import (
    CONNECTION_TAG,
    CONNECTIONS,
    REPOSITORIES,
    REPOSITORY_TAG,
    unregister,
)


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
            _forget_runs(instance, {REPOSITORY_TAG: one.repository_id})
            remove_replaced(deployment.settings.published_dir, organization_id)
            for export in deployment.settings.exports_dir.glob("capex-*"):
                export.unlink(missing_ok=True)
            deployment.run_state.forget_repository(organization_id, one.repository_id)
            with deployment.control() as control:
                removals.forget(
                    control, organization_id, one.repository_id, partial(_repositories_of, published)
                )


def forget_connections(deployment: Deployment, organization_id: str, instance: dg.DagsterInstance) -> None:
    """Delete the remaining data of removed connections after a build without them is published."""
    for connection_id, category in connections_to_delete(deployment, organization_id):
        # A connection that was removed after the build started waits for the next build.
        if not deployment.lake.source(category, organization_id, connection_id).state().batch:
            unregister(instance, CONNECTIONS, connection_id)
            _forget_runs(instance, {CONNECTION_TAG: connection_id})
            remove_replaced(deployment.settings.published_dir, organization_id)
            deployment.run_state.forget_connection(organization_id, connection_id)
            with deployment.control() as control:
                forget_connection(control, organization_id, connection_id)


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


def _forget_runs(instance: dg.DagsterInstance, tags: dict[str, str]) -> None:
    """Delete the finished runs with these tags and their logs from Dagster; they hold names and commits."""
    for run in instance.get_runs(dg.RunsFilter(tags=tags)):
        if run.is_finished:
            old_runs.forget(instance, run)
