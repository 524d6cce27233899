"""Removing a repository: everything that was derived from it goes, then totals are published without it.

    marked in the control database ─► facts and mirror deleted ─► built and published ─► the rest deleted

The first build after the mark does all the rest, whoever asked for it and whatever was killed before. Add: places
that something of a repository is kept in. Keep out: the mark (`api.control.repositories.removals`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from api.control.errors import NotFound
from api.control.repositories import removals
from api.control.repositories.removals import RepositoryRecord
from ingest.errors import UnsupportedTarget
from ingest.git import origin, replica
from ingest.git.mirror import local_path, mirror_of
from orchestration.dbt_build import discard
from orchestration.deployment import Deployment
from orchestration.progress import Progress

if TYPE_CHECKING:
    import dagster as dg

MOST_NAMED = 20
NOUN = "git"


@dataclass(frozen=True)
class Named:
    """The repository that a user means."""

    organization_id: str
    organization_slug: str
    repository: RepositoryRecord


def named(deployment: Deployment, organization: str, given: str) -> Named:
    """The repository of an organization (id or slug) by its name, address, path or id.

    Raises NotFound, with the names that there are, where none or more than one is meant.
    """
    with deployment.control() as control:
        owner = control.organization(organization)
        known = removals.repositories(control, owner.id)
    found = [one for one in known if given in (one.repository_id, one.origin)]
    found = found or [one for one in known if _place(deployment, owner.id, one) & _spellings(given)]
    found = found or [one for one in known if one.name == given]
    if len(found) == 1:
        return Named(owner.id, owner.slug, found[0])
    if found:
        places = ", ".join(one.origin for one in found)
        raise NotFound(f"{len(found)} repositories are called {given!r}: give the address of one ({places})")
    names = ", ".join(one.name for one in known[:MOST_NAMED]) + (", …" if len(known) > MOST_NAMED else "")
    raise NotFound(f"no repository {given!r} in {owner.slug}; there are: {names or 'none'}")


def run(deployment: Deployment, target: Named, progress: Progress) -> list[str]:
    """Remove a repository and publish without it; the reasons why that failed, which a later run can mend."""
    with deployment.control() as control:
        removals.remove(control, target.organization_id, target.repository.repository_id)
    from orchestration import runs

    with runs.opened(deployment, {}, progress) as jobs:
        return jobs.build(target.organization_id, target.organization_slug).failures


def delete_facts(deployment: Deployment, organization_id: str) -> None:
    """Delete facts and mirrors of the repositories marked as removed, and the warehouse that was built from them.

    Raises SourceBusy while another process reads one of them.
    """
    removed = _removed(deployment, organization_id)
    for one in removed:
        deployment.lake.source(NOUN, organization_id, one.repository_id).remove()
        replica.discard(mirror_of(deployment.settings, one.repository_id), one.name)
    if removed:
        # A database keeps what was deleted from it until the space is used again; the build makes a new one.
        with deployment.lake.lock(f"build-{organization_id}", exclusive=True):
            discard(deployment.settings.warehouse_file(organization_id))


def is_waiting(deployment: Deployment, organization_id: str) -> bool:
    """Whether something is left of a removed repository, which the next build has to delete."""
    return bool(_removed(deployment, organization_id))


def forget(
    deployment: Deployment,
    organization_id: str,
    instance: dg.DagsterInstance,
    published: Path | None,
) -> None:
    """Delete the last traces of removed repositories, once a build without them is published.

    What was decided about commits that this build has in other repositories stays.
    """
    from orchestration.partitions import REPOSITORIES, unregister
    from orchestration.publish import remove_replaced

    for one in _removed(deployment, organization_id):
        # What a run has written since, or was marked since, waits for the next build.
        has_facts = deployment.lake.source(NOUN, organization_id, one.repository_id).state().batch
        if not has_facts and not mirror_of(deployment.settings, one.repository_id).exists():
            unregister(instance, REPOSITORIES, one.repository_id)
            _forget_runs(instance, one.repository_id)
            remove_replaced(deployment.settings.published_dir, organization_id)
            for export in deployment.settings.exports_dir.glob("capex-*"):
                export.unlink(missing_ok=True)
            deployment.journal.forget(organization_id, one.repository_id)
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
    from dagster import RunsFilter

    from orchestration.jobs import REPOSITORY_TAG

    for run in instance.get_runs(RunsFilter(tags={REPOSITORY_TAG: repository_id})):
        if run.is_finished:
            instance.compute_log_manager.delete_logs(prefix=[run.run_id])
            instance.delete_run(run.run_id)


def _removed(deployment: Deployment, organization_id: str) -> list[RepositoryRecord]:
    with deployment.control() as control:
        return [one for one in removals.repositories(control, organization_id) if one.is_removed]


def _place(deployment: Deployment, organization_id: str, one: RepositoryRecord) -> set[str]:
    """Where a repository is and was read."""
    entry = deployment.journal.repository(organization_id, one.repository_id)
    return {one.origin} | (_spellings(entry.target) if entry else set())


def _spellings(given: str) -> set[str]:
    """What a path or address may stand for."""
    try:
        path: Path | None = local_path(given)
        return {str(path), str(path.resolve())} if path is not None else {origin.normalize(given)}
    except UnsupportedTarget:
        return set()
