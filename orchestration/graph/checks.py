"""Freshness checks of the whole deployment.

Keep out: checks of the output of one run (assets/git.py, assets/control.py), and checks of values (dbt tests).
"""

from datetime import datetime, timedelta

import dagster as dg

from ingest.schemas import SYNCED
from ingest.schemas.category import Category
from ingest.telemetry import loading, spool
from orchestration.deployment import Deployment
from orchestration.graph.assets import raw
from orchestration.graph.assets.published import KEY as PUBLISHED
from orchestration.reading import telemetry
from orchestration.reading.repositories import all_known
from orchestration.state import connections, fingerprints

# The morning check reports a missed night, but not a late one.
STALE_AFTER = timedelta(hours=36)


@dg.asset_check(
    asset=raw.key("git", "repository_runs"),
    name="is_fresh",
    description=f"Every enabled repository was read within the last {STALE_AFTER.total_seconds() / 3600:.0f} hours.",
)
def facts_are_fresh(deployment: dg.ResourceParam[Deployment]) -> dg.AssetCheckResult:
    with deployment.control() as control:
        enabled = [one for one in all_known(control) if one.is_scheduled]
    stale = {}
    for repository in enabled:
        entry = deployment.run_state.repository(repository.organization_id, repository.repository_id)
        if is_stale(entry.succeeded_at if entry else None):
            stale[repository.name] = (entry and (entry.error or entry.succeeded_at)) or "never read"
    return dg.AssetCheckResult(
        passed=not stale,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"repositories": len(enabled), "stale": stale},
    )


def _connections_are_fresh(category: Category) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=raw.key(category.noun, category.main_table),
        name="is_fresh",
        description=(
            f"Every connection was read completely within the last {STALE_AFTER.total_seconds() / 3600:.0f} hours."
        ),
    )
    def are_fresh(deployment: dg.ResourceParam[Deployment]) -> dg.AssetCheckResult:
        known = [one for one in connections.all_known(deployment) if one.category == category.noun]
        stale = {}
        for one in known:
            if is_stale(one.last_synced_at.isoformat() if one.last_synced_at else None):
                entry = deployment.run_state.connection(one.organization_id, one.id)
                stale[f"{one.name} {one.id}"] = (entry and entry.error) or "never read"
        return dg.AssetCheckResult(
            passed=not stale,
            severity=dg.AssetCheckSeverity.WARN,
            metadata={"connections": len(known), "stale": stale},
        )

    return are_fresh


CONNECTIONS_ARE_FRESH = {one.noun: _connections_are_fresh(one) for one in SYNCED.values()}


@dg.asset_check(
    asset=raw.key("telemetry", "requests"),
    name="is_fresh",
    description=(
        f"No telemetry waits in the spool for more than {telemetry.STALE_AFTER.total_seconds() / 3600:.0f} hours."
    ),
)
def telemetry_is_fresh(deployment: dg.ResourceParam[Deployment]) -> dg.AssetCheckResult:
    with deployment.control() as control:
        organizations = control.organizations()
    stale = {}
    for organization in organizations:
        waiting = spool.waiting_since(loading.spool_folder(deployment.settings.data_dir) / organization.id)
        if waiting is not None and fingerprints.now() - waiting > telemetry.STALE_AFTER:
            stale[organization.slug] = waiting.isoformat()
    return dg.AssetCheckResult(
        passed=not stale,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"organizations": len(organizations), "stale": stale},
    )


@dg.asset_check(
    asset=PUBLISHED,
    name="is_fresh",
    description=f"Every organization was published within the last {STALE_AFTER.total_seconds() / 3600:.0f} hours.",
)
def builds_are_fresh(deployment: dg.ResourceParam[Deployment]) -> dg.AssetCheckResult:
    with deployment.control() as control:
        organizations = control.organizations()
    stale = {}
    for organization in organizations:
        entry = deployment.run_state.build(organization.id)
        if is_stale(entry.published_at if entry else None):
            stale[organization.slug] = entry.published_at if entry else "never published"
    return dg.AssetCheckResult(
        passed=not stale,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"organizations": len(organizations), "stale": stale},
    )


def is_stale(at: str | None) -> bool:
    """Whether an instant (RFC 3339, UTC) is missing, older than STALE_AFTER or from a clock that was set back."""
    return at is None or abs(fingerprints.now() - datetime.fromisoformat(at)) > STALE_AFTER


READING_CHECKS = [facts_are_fresh, *CONNECTIONS_ARE_FRESH.values(), telemetry_is_fresh]
"""Checks of what the jobs that read make."""
CHECKS = [*READING_CHECKS, builds_are_fresh]
