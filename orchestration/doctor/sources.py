"""Checks of the repositories and connections: what each did last.

Add: a check whose message names the remedy. Keep out: damage of what they wrote (`state`).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from api.control.connections.connections import list_connections
from api.control.connections.endpoints import used_endpoint
from api.control.connections.health import ConnectionHealth
from api.control.connections.records import ConnectionRecord
from api.control.connections.removals import connection_ids
from api.control.connections.usable import usable_connections
from api.control.list_pages import ListQuery
from api.control.store import ControlStore
from ingest.errors import LakeCorrupt
from ingest.schemas import SYNCED
from orchestration.deployment import Deployment
from orchestration.doctor.findings import Finding, ago
from orchestration.runtime.run_state import RepositoryEntry

MAX_CONNECTIONS = 1_000


def repositories(deployment: Deployment) -> Iterator[Finding]:
    """The last success or failure of each repository."""
    with deployment.control() as control:
        organizations = control.organizations()
    for organization in organizations:
        for entry in deployment.run_state.repositories(organization.id):
            try:
                rows = deployment.lake.source("git", organization.id, entry.repository_id).state().rows
            except LakeCorrupt:
                rows = {}  # the check of conditions names the remedy
            is_first = entry.succeeded_at is None and entry.error is None
            if is_first and deployment.lake.source("git", organization.id, entry.repository_id).is_busy():
                yield Finding(f"Repository {entry.name}", None, "its first reading is under way")
                continue
            yield Finding(f"Repository {entry.name}", _is_healthy(entry), _history(entry, rows))


def _is_healthy(entry: RepositoryEntry) -> bool:
    """Whether the last run succeeded and a local repository still exists at its path."""
    is_gone = entry.target.startswith("/") and not Path(entry.target).exists()
    return entry.error is None and not is_gone and entry.succeeded_at is not None


def _history(entry: RepositoryEntry, rows: Mapping[str, int]) -> str:
    if entry.succeeded_at is None and entry.error is None:
        return (
            "its first reading was interrupted before its end: run"
            f" `eas analyze {shlex.quote(entry.target)}` again, which goes on after what was committed"
        )
    success, total = ago(entry.succeeded_at), sum(rows.values())
    parts = [f"last success {success}, {entry.commits:,} commits, {total:,} rows, {entry.seconds:.1f} s"]
    if rows.get("problems"):
        parts.append(
            f"{rows['problems']:,} times an object could not be read; see the raw table git/problems"
        )
    if entry.error:
        parts.append(f"last error {ago(entry.failed_at)}: {entry.error}")
    if entry.target.startswith("/") and not Path(entry.target).exists():
        parts.append(f"{entry.target} does not exist; run `eas analyze` with the new path")
    return "; ".join(parts)


def connections(deployment: Deployment) -> Iterator[Finding]:
    """Name what each connection did last. One that a provider paused goes on by itself."""
    with deployment.control() as control:
        organizations = control.organizations()
        unreadable = {one.id: one.problem for one in usable_connections(control) if one.problem is not None}
        endpoints = {one.id: used_endpoint(control, one.id) for one in organizations}
        used = {key: one.id for key, one in endpoints.items() if one is not None}
        for organization in organizations:
            query = ListQuery(MAX_CONNECTIONS)
            for one in list_connections(control, organization.id, query).items:
                problem = unreadable.get(one.id)
                is_failing = problem is not None or one.health is ConnectionHealth.FAILING
                is_odd = one.health in (ConnectionHealth.DEGRADED, ConnectionHealth.LIMITED) or one.warnings
                yield Finding(
                    f"Connection {one.name} ({organization.slug})",
                    False if is_failing else None if is_odd else True,
                    "; ".join(_told(one, problem, used.get(organization.id))),
                    is_warning=bool(is_odd) and not is_failing,
                )
            if lost := _connections_without_settings(deployment, control, organization.id):
                detail = (
                    "facts of connections that are not in the settings do not count"
                    f" ({', '.join(lost)}); a backup of the control database that has them brings them back"
                )
                yield Finding(f"Lost connections ({organization.slug})", None, detail, is_warning=True)


def _connections_without_settings(
    deployment: Deployment, control: ControlStore, organization_id: str
) -> list[str]:
    """Connections of which the lake has facts and the control database no trace, not even of their removal."""
    known = connection_ids(control, organization_id)
    found = {one for noun in SYNCED for one in deployment.lake.sources(noun, organization_id)}
    return sorted(found - known)


def _told(one: ConnectionRecord, problem: str | None, used_endpoint: str | None) -> Iterator[str]:
    if one.category in SYNCED:
        synced = one.last_synced_at
        yield f"last complete sync {ago(synced.isoformat() if synced is not None else None)}"
    else:
        asked = one.last_attempt_at
        use = (
            "writes summaries"
            if one.id == used_endpoint
            else "not used, because a newer one writes summaries"
        )
        yield f"model {one.options.get('model')}, {use}"
        yield f"last asked {ago(asked.isoformat())}" if asked is not None else "not asked yet"
    if problem is not None:
        yield problem
    elif one.failure is not None:
        yield one.failure
    if one.expires_at is not None:
        yield f"its token ends at {one.expires_at:%Y-%m-%d}"
    yield from one.warnings
