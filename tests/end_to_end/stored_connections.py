"""Connections as a sync leaves them.

One that is added over the API waits for its first sync, and nothing answers at its address.
"""

from collections.abc import Mapping

from api.control.ids import new_id
from api.control.models import Connection, ConnectionEvent
from api.control.store import ControlStore
from orchestration.deployment import LOCAL_ORGANIZATION


def store_connection(
    store: ControlStore,
    kind: str,
    category: str,
    address: str,
    name: str,
    levels: Mapping[str, str] | None = None,
    *,
    connection_id: str | None = None,
) -> str:
    """The id of a new healthy connection, which may be given."""
    connection_id = connection_id or new_id()
    sealed = store.keyring.encrypt("s3cret-of-nobody", LOCAL_ORGANIZATION, connection_id)
    with store.session() as session:
        session.add(
            Connection(
                id=connection_id, organization_id=LOCAL_ORGANIZATION, kind=kind, category=category, address=address,
                name=name, user="", secret=sealed.ciphertext, secret_key_id=sealed.key_id, options={},
                default_levels=dict(levels or {}), created_at=store.now(), created_by="a test", account="ada",
                health="HEALTHY", last_synced_at=store.now(), warnings=[], row_counts={}, item_counts={}, team_names={},
            )
        )  # fmt: skip
        session.flush()
        session.add(
            ConnectionEvent(id=new_id(), connection_id=connection_id, at=store.now(), health="HEALTHY")
        )
    return connection_id
