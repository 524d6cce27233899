"""The checks of `eas doctor`: this machine, and the state that earlier runs left.

Add: a check whose message names the remedy. Keep out: what counts as damage (state/conditions.py), and repairs
(repairs.py). The checks create the data directory and write nothing else that stays.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb
from rich.console import Console

from api.control.connections.connections import list_connections
from api.control.connections.health import ConnectionHealth
from api.control.connections.records import ConnectionRecord
from api.control.connections.removals import connection_ids
from api.control.connections.usable import usable_connections
from api.control.list_pages import ListQuery
from api.control.operator.settings import ADMINISTRATOR, NO_SUPPORT, RootSigner, operator_settings
from api.control.store import ControlStore
from ingest.errors import LakeCorrupt, NoEngine
from ingest.git import native
from orchestration import dues
from orchestration.deployment import Deployment
from orchestration.report import snapshot, unearned
from orchestration.runtime.explanations import explain
from orchestration.runtime.run_state import RepositoryEntry
from orchestration.runtime.terminal import plain
from orchestration.state import conditions
from orchestration.state.conditions import Kind
from orchestration.state.snapshot_files import read_pointer

MIN_GIT_VERSION = (2, 25)
# GB for the clone, facts, warehouse and two published builds of a large repository.
MIN_FREE_GB = 5
MAX_CONNECTIONS = 1_000


@dataclass(frozen=True)
class Finding:
    """A result of a check. `passed` is None for information and for warnings; `is_warning` marks the warnings."""

    subject: str
    passed: bool | None
    detail: str
    is_warning: bool = False


def examine(deployment: Deployment, console: Console) -> bool:
    """Print every finding. Returns whether no check failed."""
    all_passed = True
    defects: set[str] = set()
    for check in CHECKS:
        try:
            findings = list(check(deployment))
        except Exception as error:  # noqa: BLE001 - an error in a check is itself a finding
            reason = explain(error)
            # One cause, such as a folder that cannot be written, stops several checks.
            findings = [] if reason in defects else [Finding(check.__name__.strip("_"), False, reason)]
            defects.add(reason)
        for finding in findings:
            mark = {True: "ok  ", False: "FAIL", None: "    "}[finding.passed]
            style = "bold red" if finding.passed is False else None
            if finding.is_warning:
                mark, style = "warn", "yellow"
            line = f"{mark} {plain(finding.subject)}: {plain(finding.detail)}"
            console.print(line, style=style, markup=False, highlight=False, soft_wrap=True)
            all_passed = all_passed and finding.passed is not False
    return all_passed


def _python(_: Deployment) -> Iterator[Finding]:
    yield Finding("Python", sys.version_info >= (3, 11), f"{sys.version.split()[0]} at {sys.executable}")


def _extraction(_: Deployment) -> Iterator[Finding]:
    try:
        engine = native.engine()
    except NoEngine as error:
        yield Finding("Extraction", False, str(error))
        return
    detail = "compiled" if engine.name == "native" else f"in Python, because {engine.reason}"
    yield Finding("Extraction", None, detail)


def _git(_: Deployment) -> Iterator[Finding]:
    program = shutil.which("git")
    if program is None:
        yield Finding("Git", False, "not found on the PATH; install Git")
        return
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()
    version = tuple(int(part) for part in answer[2].split(".")[:2])
    hint = (
        ""
        if version >= MIN_GIT_VERSION
        else f"; {'.'.join(map(str, MIN_GIT_VERSION))} or newer is required for remotes"
    )
    yield Finding("Git", version >= MIN_GIT_VERSION, f"{answer[2]} at {program}{hint}")


def _data(deployment: Deployment) -> Iterator[Finding]:
    folder = deployment.settings.data_dir
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".doctor"
        probe.write_text("writable")
        probe.unlink()
    except OSError as error:
        yield Finding("Data directory", False, explain(error))
        return
    free = shutil.disk_usage(folder).free / 1e9
    hint = "" if free >= MIN_FREE_GB else f"; a large repository needs at least {MIN_FREE_GB} GB"
    yield Finding("Data directory", True, f"{folder} is writable")
    yield Finding("Disk", free >= MIN_FREE_GB, f"{free:.1f} GB free{hint}")
    yield Finding("Raw lake", None, deployment.settings.raw_root)


def _kind(_: Deployment) -> Iterator[Finding]:
    settings = operator_settings()
    yield Finding("Deployment", None, f"of the kind {settings.deployment}")
    named = {
        RootSigner.ADMINISTRATOR: f"your key {settings.administrator_key} ({ADMINISTRATOR})",
        RootSigner.SERVICE: f"the key of the service's support ({NO_SUPPORT}=true closes that)",
    }
    signers = [named[one] for one in RootSigner if one in settings.root_keys.values()]
    nobody = "no key; `eas root-login new-key` makes one where it is needed"
    yield Finding("Root logins", None, f"signed by {' and by '.join(signers) or nobody}")


def _dues(deployment: Deployment) -> Iterator[Finding]:
    for one in dues.of(deployment):
        yield Finding(
            one.subject, None if one.is_warning else not one.is_failure, one.message, one.is_warning
        )


def _deployment_conditions(deployment: Deployment) -> Iterator[Finding]:
    for one in conditions.of_deployment(deployment):
        # Foreign files stop nothing, and anything else in the place of a lock is moved by whoever takes the lock.
        is_warning = one.kind in (Kind.FOREIGN, Kind.LOCK)
        yield Finding(one.subject, None if is_warning else False, str(one), is_warning)


def _control(deployment: Deployment) -> Iterator[Finding]:
    if any(one.kind == Kind.CONTROL_DATABASE for one in conditions.of_deployment(deployment)):
        return
    with deployment.control() as control:
        organizations = control.organizations()
    names = (
        ", ".join(organization.slug for organization in organizations)
        or "none yet; `eas analyze` creates one"
    )
    yield Finding("Control database", True, f"readable; organizations: {names}")


def _published(deployment: Deployment) -> Iterator[Finding]:
    with deployment.control() as control:
        organizations = control.organizations()
    for organization in organizations:
        subject = f"Published build of {organization.slug}"
        try:
            pointer = read_pointer(deployment.settings.published_dir / organization.id)
        except FileNotFoundError:
            yield Finding(subject, None, "none yet")
        except ValueError:
            continue  # the check of conditions names the remedy
        else:
            yield Finding(subject, None, f"{pointer.build_id}, made {_ago(pointer.published_at or None)}")


def _conditions(deployment: Deployment) -> Iterator[Finding]:
    with deployment.control() as control:
        organizations = control.organizations()
    for organization in organizations:
        found = conditions.of_organization(deployment, organization.id)
        for one in found:
            yield Finding(f"{one.subject} ({organization.slug})", False, str(one))
        if not found:
            detail = "facts, snapshot and warehouse are as they were written"
            yield Finding(f"State of {organization.slug}", True, detail)


def _locks(deployment: Deployment) -> Iterator[Finding]:
    """Name the locks of running work. A lock ends with its process, so a killed process leaves none."""
    lake = deployment.lake
    with deployment.control() as control:
        organizations = control.organizations()
    busy = []
    for organization in organizations:
        names = [f"build-{organization.id}"]
        names += [
            f"{noun}-{organization.id}-{source}"
            for noun in (conditions.EXTRACTED, *conditions.SYNCED)
            for source in lake.sources(noun, organization.id)
        ]
        for name in names:
            try:
                with lake.lock(name, exclusive=True, wait=False):
                    pass
            except BlockingIOError:
                busy.append(name)
    yield Finding("Locks", None, f"held by running work: {', '.join(busy)}" if busy else "nothing is running")


def _repositories(deployment: Deployment) -> Iterator[Finding]:
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


def _connections(deployment: Deployment) -> Iterator[Finding]:
    """Name what each connection did last. One that a provider paused goes on by itself."""
    with deployment.control() as control:
        organizations = control.organizations()
        unreadable = {one.id: one.problem for one in usable_connections(control) if one.problem is not None}
        for organization in organizations:
            query = ListQuery(MAX_CONNECTIONS)
            for one in list_connections(control, organization.id, query).items:
                problem = unreadable.get(one.id)
                is_failing = problem is not None or one.health is ConnectionHealth.FAILING
                is_odd = one.health in (ConnectionHealth.DEGRADED, ConnectionHealth.LIMITED) or one.warnings
                yield Finding(
                    f"Connection {one.name} ({organization.slug})",
                    False if is_failing else None if is_odd else True,
                    "; ".join(_told(one, problem)),
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
    found = {one for noun in conditions.SYNCED for one in deployment.lake.sources(noun, organization_id)}
    return sorted(found - known)


def _told(one: ConnectionRecord, problem: str | None) -> Iterator[str]:
    synced = one.last_synced_at
    yield f"last complete sync {_ago(synced.isoformat() if synced is not None else None)}"
    if problem is not None:
        yield problem
    elif one.failure is not None:
        yield one.failure
    if one.expires_at is not None:
        yield f"its token ends at {one.expires_at:%Y-%m-%d}"
    yield from one.warnings


def _unearned(deployment: Deployment) -> Iterator[Finding]:
    """Warn of repositories with many commits or lines that earn nothing. A warning is not a failure."""
    with deployment.control() as control:
        organizations = control.organizations()
    for organization in organizations:
        try:
            with snapshot.opened(deployment.settings.published_dir, organization.id) as build:
                found = unearned.alerts(build)
        except (snapshot.NothingPublished, duckdb.Error):
            # The check of published builds names the remedy, or an earlier release made the build.
            continue
        for alert in found:
            yield Finding(f"Repository {alert.repository}", None, unearned.sentence(alert), is_warning=True)


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
    success, total = _ago(entry.succeeded_at), sum(rows.values())
    parts = [f"last success {success}, {entry.commits:,} commits, {total:,} rows, {entry.seconds:.1f} s"]
    if rows.get("problems"):
        parts.append(
            f"{rows['problems']:,} times an object could not be read; see the raw table git/problems"
        )
    if entry.error:
        parts.append(f"last error {_ago(entry.failed_at)}: {entry.error}")
    if entry.target.startswith("/") and not Path(entry.target).exists():
        parts.append(f"{entry.target} does not exist; run `eas analyze` with the new path")
    return "; ".join(parts)


def _ago(instant: str | None) -> str:
    if instant is None:
        return "never"
    seconds = (datetime.now(UTC) - datetime.fromisoformat(instant)).total_seconds()
    if seconds < -1:
        return f"at {instant}, which is in the future: the clock was set back"
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit} ago"
    return f"{seconds:.0f} seconds ago"


CHECKS: list[Callable[[Deployment], Iterator[Finding]]] = [
    _python,
    _extraction,
    _git,
    _data,
    _kind,
    _dues,
    _deployment_conditions,
    _control,
    _published,
    _conditions,
    _locks,
    _repositories,
    _connections,
    _unearned,
]
