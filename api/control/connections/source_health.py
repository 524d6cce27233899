"""Whether connections that bring facts fail, without which ones: everybody who reads figures may know what they lack.

Keep out: the health of one connection (health.py).
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from api.control.connections.health import ConnectionHealth
from api.control.models import Connection
from api.control.models.connections import MODEL_ENDPOINTS
from api.control.store import ControlStore

LIMIT = "RATE_LIMITED"
"""The reason of a provider that only asks to wait. Any other one keeps a connection from being read."""


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """How many connections fail, and since when facts are missing: the oldest last sync among them, and the time of
    adding where none was complete. `missing_since` is None while none fails.
    """

    failing_connection_count: int
    missing_since: datetime | None


def is_failing(health: str, reason: str | None) -> bool:
    """Whether a connection cannot be read at present, for another reason than the limit of its provider."""
    is_limited = health == ConnectionHealth.LIMITED
    return health == ConnectionHealth.FAILING or (is_limited and reason != LIMIT)


def source_health(store: ControlStore, organization_id: str) -> SourceHealth:
    """The health of the connections of an organization that bring facts; model endpoints bring none."""
    synced = func.coalesce(Connection.last_synced_at, Connection.created_at)
    statement = select(Connection.health, Connection.failure_reason, synced).where(
        Connection.organization_id == organization_id,
        Connection.removed_at.is_(None),
        Connection.category != MODEL_ENDPOINTS,
    )
    with store.session() as session:
        rows = session.execute(statement).all()
    since = [at for health, reason, at in rows if is_failing(health, reason)]
    return SourceHealth(len(since), min(since, default=None))
