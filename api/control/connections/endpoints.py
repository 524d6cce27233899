"""The model endpoint that an organization uses, and what its answers told.

Keep out: requests to it (`ingest.providers.openai_compatible`), what is asked of it (orchestration).
"""

from collections.abc import Mapping
from typing import Any

from api.control.connections.health import ConnectionHealth, change_health
from api.control.connections.usable import UsableConnection, usable_connections
from api.control.models import Connection
from api.control.models.connections import MODEL_ENDPOINTS
from api.control.store import ControlStore


def used_endpoint(store: ControlStore, organization_id: str) -> UsableConnection | None:
    """The newest model endpoint of an organization, with its secret; None without one."""
    found = [
        one
        for one in usable_connections(store)
        if (one.organization_id, one.category) == (organization_id, MODEL_ENDPOINTS)
    ]
    # Ids are UUIDv7, so the highest one is the newest.
    return max(found, key=lambda one: one.id, default=None)


def note_answers(
    store: ControlStore,
    organization_id: str,
    connection_id: str,
    *,
    capabilities: Mapping[str, Any] | None = None,
    failure: str | None = None,
    reason: str | None = None,
) -> None:
    """Record that an endpoint answered, or why it did not, and what it is known to refuse (None: as before)."""
    with store.session() as session:
        row = session.get(Connection, connection_id)
        if row is None or row.organization_id != organization_id:
            return
        row.last_attempt_at = store.now()
        if capabilities is not None:
            row.capabilities = dict(capabilities)
        health = ConnectionHealth.HEALTHY if failure is None else ConnectionHealth.FAILING
        change_health(session, row, store.now(), health, failure, reason)
