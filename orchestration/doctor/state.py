"""Checks of the control database, the lake, the warehouse and the published builds.

Add: a check whose message names the remedy. Keep out: the kinds of damage (state/conditions.py), and repairs
(commands/repairs.py).
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import duckdb

from api.control.store import OrganizationRecord
from ingest.schemas import SYNCED
from orchestration.deployment import Deployment
from orchestration.doctor.findings import Finding, ago
from orchestration.publishing import copies
from orchestration.report import snapshot, unearned
from orchestration.runtime.explanations import is_of_store
from orchestration.state import build_conditions, build_lock, conditions
from orchestration.state.condition import Condition, Kind
from orchestration.state.snapshot_files import read_pointer

SECONDS_TO_DELETE_COPIES = 300
"""A build that was deleted here less long ago waits for the copy that deletes it in the store."""


def deployment_conditions(deployment: Deployment) -> Iterator[Finding]:
    """Damage outside organizations."""
    for one in conditions.of_deployment(deployment):
        # Foreign files stop nothing, and the next process that takes a lock moves anything else out of its place.
        is_warning = one.kind in (Kind.FOREIGN, Kind.LOCK)
        yield Finding(one.subject, None if is_warning else False, str(one), is_warning)


def control_database(deployment: Deployment) -> Iterator[Finding]:
    """The control database can be read."""
    if any(one.kind == Kind.CONTROL_DATABASE for one in conditions.of_deployment(deployment)):
        return
    with deployment.control() as control:
        organizations = control.organizations()
    names = (
        ", ".join(organization.slug for organization in organizations)
        or "none yet; `eas analyze` creates one"
    )
    yield Finding("Control database", True, f"readable; organizations: {names}")


def published_builds(deployment: Deployment) -> Iterator[Finding]:
    """The published build of each organization."""
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
            yield Finding(subject, None, f"{pointer.build_id}, made {ago(pointer.published_at or None)}")
            if copies.is_wanted():
                yield _copy_of_build(deployment, organization)


def _copy_of_build(deployment: Deployment, organization: OrganizationRecord) -> Finding:
    subject = f"Copy for other machines of {organization.slug}"
    published = deployment.settings.published_dir
    try:
        compared = copies.compare(published, organization.id)
    except Exception as error:
        if not isinstance(error, OSError) and not is_of_store(error):
            raise
        return Finding(subject, False, f"{copies.TARGET} cannot be read ({error}); check the store")
    if not compared.is_current:
        return Finding(subject, False, "is of an older build; `eas doctor --fix` copies this one")
    if not compared.deleted:
        return Finding(subject, True, "is of this build")
    kept = (
        f"is of this build; the store still has builds that were deleted here: {', '.join(compared.deleted)}"
    )
    if time.time() - (published / organization.id).stat().st_mtime < SECONDS_TO_DELETE_COPIES:
        return Finding(subject, None, f"{kept}. The next copy deletes them")
    return Finding(
        subject,
        False,
        f"{kept}. `eas doctor --fix` deletes them; where it cannot, let the store's key delete objects",
    )


def organization_conditions(deployment: Deployment) -> Iterator[Finding]:
    """Damage of the state of each organization."""
    with deployment.control() as control:
        organizations = control.organizations()
    for organization in organizations:
        found, checked = _damaged_facts(deployment, organization.id), ["facts"]
        with build_lock.kept_free(deployment, organization.id) as is_free:
            if is_free:
                found += build_conditions.of_build(deployment, organization.id)
                checked += ["snapshot", "warehouse"]
            else:
                detail = "a build is running; snapshot and warehouse are checked once it ends"
                yield Finding(f"Build of {organization.slug}", None, detail)
        for one in found:
            yield Finding(f"{one.subject} ({organization.slug})", False, str(one))
        if not found:
            *others, last = checked
            named = f"{', '.join(others)} and {last}" if others else last
            yield Finding(f"State of {organization.slug}", True, f"{named} are as they were written")


def _damaged_facts(deployment: Deployment, organization_id: str) -> list[Condition]:
    """Damage of facts that are at rest. A running reading replaces files that the first look may have missed."""

    def look() -> list[Condition]:
        repositories = conditions.damaged_facts(deployment, organization_id)
        return [*repositories, *conditions.damaged_connections(deployment, organization_id)]

    first = look()
    if not first:
        return []
    busy = {
        source
        for noun in (conditions.EXTRACTED, *SYNCED)
        for source in deployment.lake.sources(noun, organization_id)
        if deployment.lake.source(noun, organization_id, source).is_busy()
    }
    return [one for one in look() if one in first and not busy & {one.repository_id, one.connection_id}]


def locks(deployment: Deployment) -> Iterator[Finding]:
    """Name the locks of running work. A lock ends with its process, so a killed process leaves none."""
    lake = deployment.lake
    with deployment.control() as control:
        organizations = control.organizations()
    busy = []
    for organization in organizations:
        names = [build_lock.name(organization.id)]
        names += [
            f"{noun}-{organization.id}-{source}"
            for noun in (conditions.EXTRACTED, *SYNCED)
            for source in lake.sources(noun, organization.id)
        ]
        for name in names:
            try:
                with lake.lock(name, exclusive=True, wait=False):
                    pass
            except BlockingIOError:
                busy.append(name)
    yield Finding("Locks", None, f"held by running work: {', '.join(busy)}" if busy else "nothing is running")


def unearned_work(deployment: Deployment) -> Iterator[Finding]:
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
            yield Finding(f"Repository {alert.repository}", None, alert.sentence, is_warning=True)
