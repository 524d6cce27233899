"""Whether an organization's sources were read since a period ended. Until then the last hours may be missing.

Midnight in the zone of an organization completes a period, and a build follows within a minute, from what was read
before. Its summary would lack the last hours, and the next build would restate it.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from api.control.connections.usable import usable_connections
from api.control.repositories.sync_status import readable_repositories
from api.control.store import ControlStore
from ingest.schemas import SYNCED
from orchestration.deployment import Deployment
from orchestration.runtime.run_state import ConnectionEntry, RepositoryEntry

LONGEST_WAIT = timedelta(days=1)
"""From the second day on a summary is written from what there is: a source may be gone for good."""


def unread_since(
    deployment: Deployment, control: ControlStore, organization_id: str, instant: datetime
) -> list[str]:
    """The names of the sources that schedules read, and that no run has tried since an instant."""
    run_state = deployment.run_state
    tried: list[tuple[str, RepositoryEntry | ConnectionEntry | None]] = [
        (one.name, run_state.repository(organization_id, one.repository_id))
        for one in readable_repositories(control)
        if one.organization_id == organization_id and one.is_scheduled
    ]
    tried += [
        (one.name, run_state.connection(organization_id, one.id))
        for one in usable_connections(control)
        if one.organization_id == organization_id and one.category in SYNCED
    ]
    return [name for name, entry in tried if entry is None or not _is_since(entry, instant)]


def may_wait(end: date, today: date) -> bool:
    """Whether a summary of a period with this last day may still wait for readings on a day of the organization."""
    return today - end <= LONGEST_WAIT


def _is_since(entry: RepositoryEntry | ConnectionEntry, instant: datetime) -> bool:
    times = (entry.succeeded_at, entry.failed_at)
    return any(at is not None and datetime.fromisoformat(at) >= instant for at in times)
