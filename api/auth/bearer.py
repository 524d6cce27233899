"""`Authorization: Bearer service_…` to the caller that it stands for.

Keep out: what a caller may see (read/scope.py), making and revoking tokens (control/tokens.py).
"""

import hmac
import sqlite3
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime

import anyio.to_thread

from api.control.store import ControlStore
from api.control.tokens import LAST_USED_GRAIN, PREFIX, TokenRecord, find_by_hash, key_hash, touch_token
from api.errors import Unauthenticated

LONGEST_HEADER = 512
# Where the database cannot tell cheaply that it changed, a revoked key may work this much longer, in seconds.
STALE_AFTER = 1.0
MOST_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class Caller:
    """A token that was checked for this request."""

    token_id: str
    organization_id: str
    organization_slug: str
    can_write: bool


@dataclass(slots=True)
class _Remembered:
    token: TokenRecord
    digest: bytes
    caller: Caller
    touched_at: datetime | None
    # State of the database before it was asked: a later change makes the answer stale.
    version: object


class Authenticator:
    """Checks keys against the control database, remembering good ones while the database does not change."""

    def __init__(self, store: ControlStore) -> None:
        self._store = store
        self._version = _ChangeCounter(store)
        self._known: dict[bytes, _Remembered] = {}
        self._mutex = threading.Lock()

    async def caller(self, header: str | None) -> Caller:
        """The caller of an Authorization header. Raises Unauthenticated; the message never repeats the key."""
        digest = key_hash(_key(header))
        now = datetime.now(UTC)
        version = self._version.read()
        found = self._known.get(digest)
        if found is None or found.version != version:
            found = await anyio.to_thread.run_sync(self._load, digest, version)
        # The lookup is by hash, so its timing says nothing of a key; the comparison guards the index itself.
        if (
            found is None
            or not hmac.compare_digest(found.digest, digest)
            or found.token.revoked_at is not None
        ):
            raise Unauthenticated("the API key is unknown or was revoked; create one with `eas token create`")
        if found.token.expires_at is not None and found.token.expires_at <= now:
            raise Unauthenticated(
                f"the API key expired at {found.token.expires_at.isoformat()}; create a new one"
            )
        if found.touched_at is None or now - found.touched_at >= LAST_USED_GRAIN:
            found.touched_at = now
            await anyio.to_thread.run_sync(touch_token, self._store, found.token.id, now)
        return found.caller

    def _load(self, digest: bytes, version: object) -> _Remembered | None:
        row = find_by_hash(self._store, digest)
        if row is None:
            with self._mutex:
                self._known.pop(digest, None)
            return None
        token, stored, slug = row
        remembered = _Remembered(
            token,
            stored,
            Caller(token.id, token.organization_id, slug, token.scope == "write"),
            token.last_used_at,
            version,
        )
        with self._mutex:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            self._known[digest] = remembered
        return remembered

    def close(self) -> None:
        """Release the connection that watches the database."""
        self._version.close()


class _ChangeCounter:
    """Tells whether somebody else committed to the control database: in microseconds for SQLite, else by the clock."""

    def __init__(self, store: ControlStore) -> None:
        self._connection: sqlite3.Connection | None = None
        if store.engine.dialect.name == "sqlite" and store.engine.url.database:
            self._connection = sqlite3.connect(store.engine.url.database, check_same_thread=False)

    def read(self) -> object:
        if self._connection is None:
            return int(time.monotonic() / STALE_AFTER)
        return self._connection.execute("PRAGMA data_version").fetchone()[0]

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()


def _key(header: str | None) -> str:
    if not header:
        raise Unauthenticated("send the header `Authorization: Bearer service_…`")
    scheme, _, key = header.partition(" ")
    key = key.strip()
    if scheme.lower() != "bearer" or len(header) > LONGEST_HEADER or not key.startswith(PREFIX):
        raise Unauthenticated(f"the Authorization header must be `Bearer {PREFIX}…`")
    return key
