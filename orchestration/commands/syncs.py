"""Reads connections for a command: those that are due for `eas analyze`, chosen ones for `eas sync`.

They are read before repositories, because they say which reviewed commits a clone needs. A connection that fails or
waits stops no other. Keep out: one run (reading/syncs.py), runs in the background (graph/).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from types import ModuleType
from typing import TYPE_CHECKING

from api.control.connections import sync_status
from api.control.errors import NotFound, NotPossible
from ingest.schemas import CATEGORY_OF, SYNCED
from orchestration.deployment import Deployment
from orchestration.reading.readings import Readings
from orchestration.runtime import collector, instance
from orchestration.runtime.terminal import Watcher
from orchestration.state import conditions, connections
from orchestration.state.connections import KnownConnection
from orchestration.state.fingerprints import now

if TYPE_CHECKING:
    from orchestration.runtime.in_process_runs import Outcome, Runs

DUE_AFTER = timedelta(hours=1)
"""Age of the last complete sync from which `eas analyze` reads a connection again. A command that is repeated must not
start Dagster each time, which takes seconds.
"""
MAX_WAITING = 1_000
MAX_NAMED = 20


def read_due(
    deployment: Deployment, organization_id: str, watcher: Watcher, *, only_damaged: bool = False
) -> dict[str, str]:
    """Read the connections that were never read, that people asked to sync, whose facts are damaged or a while old.

    Those that a provider has paused are named and left out. With `only_damaged` the rest waits for another run.
    Returns the reasons of failures by the connection's name.
    """
    known = of_organization(deployment, organization_id)
    if not known:
        return {}
    damaged = {one.connection_id: one for one in conditions.damaged_connections(deployment, organization_id)}
    with deployment.control() as control:
        waiting = {one.connection_id for one in sync_status.waiting_syncs(control, MAX_WAITING)}
    due = [
        one
        for one in known
        if one.id in damaged or (not only_damaged and (one.id in waiting or _is_old(one)))
    ]
    for one in due:
        if one.id in damaged:
            watcher.say(f"{damaged[one.id].subject}: {damaged[one.id].detail}; it is read from the start.")
    return read(deployment, due, watcher)


def read(
    deployment: Deployment,
    chosen: Sequence[KnownConnection],
    watcher: Watcher,
    *,
    is_full: bool = False,
) -> dict[str, str]:
    """Read connections side by side, except those that wait or that another process reads.

    Returns the reasons of failures by the connection's name.
    """
    free = [one for one in chosen if not _must_wait(deployment, one, watcher)]
    if not free:
        return {}
    kept = instance.set_aside_damaged(deployment.settings)
    if kept is not None:
        watcher.say(f"Dagster's records were damaged; they are in {kept} now, and new ones were started.")
    readings = Readings()
    with _dagster().open_syncs(deployment, readings, watcher) as jobs:
        return _run(deployment, jobs, readings, free, watcher, is_full=is_full)


def read_for_new_repositories(
    deployment: Deployment, organization_id: str, jobs: Runs, readings: Readings, watcher: Watcher
) -> dict[str, str]:
    """Read the connections again, because they were read before an analysis added repositories. They ask for little
    beside the pull requests and issues of those. `readings` are those that the jobs use. Returns the reasons of
    failures by the connection's name.
    """
    found = of_organization(deployment, organization_id)
    healthy = [one for one in found if one.last_synced_at is not None]
    free = [one for one in healthy if not _must_wait(deployment, one, watcher)]
    return _run(deployment, jobs, readings, free, watcher)


def _run(
    deployment: Deployment,
    jobs: Runs,
    readings: Readings,
    chosen: Sequence[KnownConnection],
    watcher: Watcher,
    *,
    is_full: bool = False,
) -> dict[str, str]:
    failures: dict[str, str] = {}
    reading = _dagster().SideBySide(deployment, chosen, readings, watcher, is_full=is_full)
    with reading.running() as connected:
        for one in connected.ended():
            outcome = jobs.sync(one.category, one.name, one.id, is_full=is_full)
            if outcome.succeeded:
                watcher.done(one.name, _told(deployment, one, outcome))
            else:
                watcher.done(one.name, "failed")
                failures[one.name] = "; ".join(filter(None, (failures.get(one.name), outcome.failures[0])))
    return failures


def of_organization(deployment: Deployment, organization_id: str) -> list[KnownConnection]:
    """The connections of an organization that are read."""
    return [one for one in connections.all_known(deployment) if one.organization_id == organization_id]


def named(deployment: Deployment, organization_id: str, given: str) -> KnownConnection:
    """The connection of an organization with an id or name. Raises NotFound, which lists the names."""
    known = connections.of_organization(deployment, organization_id)
    found = [one for one in known if one.id == given] or [one for one in known if one.name == given]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(f"{one.id} ({one.address})" for one in found)
        raise NotFound(f"{len(found)} connections have the name {given!r}; use an id instead: {ids}")
    listed = ", ".join(one.name for one in known[:MAX_NAMED]) + (", …" if len(known) > MAX_NAMED else "")
    raise NotFound(f"no connection {given!r}; known connections: {listed or 'none, `eas connect` adds one'}")


def named_synced(deployment: Deployment, organization_id: str, given: str) -> KnownConnection:
    """As `named`, of those that are read. Raises NotPossible for another one."""
    found = named(deployment, organization_id, given)
    if found.category not in SYNCED:
        raise NotPossible(
            f"{found.name} is {CATEGORY_OF[found.category].with_article}: nothing of it is read"
        )
    return found


def _dagster() -> ModuleType:
    """What runs jobs. A command without connections loads neither Dagster nor an HTTP client."""
    with collector.held():
        from orchestration.commands import runs
    return runs


def _is_old(one: KnownConnection) -> bool:
    return one.last_synced_at is None or abs(now() - one.last_synced_at) > DUE_AFTER


def _must_wait(deployment: Deployment, one: KnownConnection, watcher: Watcher) -> bool:
    if one.next_attempt_at is not None and one.next_attempt_at > now():
        entry = deployment.run_state.connection(one.organization_id, one.id)
        reason = (
            entry and entry.error
        ) or f"The next try comes with the first run after {one.next_attempt_at:%H:%M} UTC."
        watcher.say(f"{one.name}: waits. {reason}")
        return True
    if deployment.lake.source(one.category, one.organization_id, one.id).is_busy():
        watcher.say(f"{one.name}: another process reads it now.")
        return True
    return False


def _told(deployment: Deployment, one: KnownConnection, outcome: Outcome) -> str:
    """The result of a run that ended: new rows, or the reason why it stopped or left parts out."""
    entry = deployment.run_state.connection(one.organization_id, one.id)
    rows = sum(int(found.get("rows_new", 0)) for found in outcome.metadata.values())
    new = f"{rows:,} new {'row' if rows == 1 else 'rows'} in {outcome.seconds:.1f} s"
    if entry is None or entry.error is None:
        return new
    return f"{new}; {'waits' if entry.next_attempt_at is not None else 'incomplete'}. {entry.error}"
