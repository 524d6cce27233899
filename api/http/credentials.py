"""The caller of an `Authorization: Bearer …` header: an API key (`service_…`), the token of a session (`session_…`) or
of a root login (`root_…`).

Keep out: permissions (callers/access.py), creating and revoking credentials (api/control).
"""

import hmac
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import anyio.to_thread

from api.control.accounts import root_logins, sessions, tokens
from api.control.accounts.tokens import LAST_USED_GRAIN, key_hash
from api.control.database import ChangeCounter
from api.control.principals import Principal
from api.control.store import ControlStore
from api.errors import Unauthenticated

MAX_HEADER_LENGTH = 512
MAX_CACHED_CREDENTIALS = 10_000
UNKNOWN = {
    tokens.PREFIX: "the API key is unknown or was revoked; create another",
    sessions.PREFIX: "the session is unknown or was ended; sign in again",
    root_logins.PREFIX: "the root login is unknown or has ended; sign in with a new credential",
}


@dataclass(slots=True)
class _Remembered:
    digest: bytes
    principal: Principal
    # Why the credential is invalid, apart from expiry; None for a valid one.
    refused: str | None
    expires_at: datetime | None
    expired: str
    touched_at: datetime | None
    touch: Callable[[datetime], None]
    # State of the database before it was asked: a later change makes the answer stale.
    version: object


class Authenticator:
    """Checks credentials against the control database, remembering good ones while the database does not change."""

    def __init__(self, store: ControlStore) -> None:
        self._store = store
        self._version = ChangeCounter(store.engine)
        self._known: dict[bytes, _Remembered] = {}
        self._mutex = threading.Lock()
        self._loaders = {
            tokens.PREFIX: self._load_key,
            sessions.PREFIX: self._load_session,
            root_logins.PREFIX: self._load_root_login,
        }

    async def caller(self, header: str | None) -> Principal:
        """The caller of an Authorization header. Raises Unauthenticated; the message never repeats the credential."""
        credential = _credential(header)
        digest = key_hash(credential)
        now = self._store.now()
        version = self._version.version()
        found = self._known.get(digest)
        if found is None or found.version != version:
            load = self._loaders[_prefix(credential)]
            found = await anyio.to_thread.run_sync(self._remember, load, digest, version)
        # The lookup is by hash, so its timing reveals nothing about a key; the comparison guards against a bad index.
        if found is None or not hmac.compare_digest(found.digest, digest):
            raise Unauthenticated(UNKNOWN[_prefix(credential)])
        if found.refused is not None:
            raise Unauthenticated(found.refused)
        if found.expires_at is not None and found.expires_at <= now:
            raise Unauthenticated(found.expired)
        if found.touched_at is None or now - found.touched_at >= LAST_USED_GRAIN:
            found.touched_at = now
            await anyio.to_thread.run_sync(found.touch, now)
        return found.principal

    def _remember(
        self, load: Callable[[bytes, object], _Remembered | None], digest: bytes, version: object
    ) -> _Remembered | None:
        found = load(digest, version)
        with self._mutex:
            if found is None:
                self._known.pop(digest, None)
                return None
            if len(self._known) >= MAX_CACHED_CREDENTIALS:
                self._known.clear()
            self._known[digest] = found
        return found

    def _load_key(self, digest: bytes, version: object) -> _Remembered | None:
        row = tokens.find_by_hash(self._store, digest)
        if row is None:
            return None
        token, stored, principal = row
        refused = None
        if token.revoked_at is not None:
            refused = UNKNOWN[tokens.PREFIX]
        elif not principal.memberships:
            refused = "the creator of this API key is no longer a member of its organization; create another"
        return _Remembered(
            stored,
            principal,
            refused,
            token.expires_at,
            f"the API key expired at {token.expires_at and token.expires_at.isoformat()}; create another",
            token.last_used_at,
            lambda now: tokens.touch_token(self._store, token.id, now),
            version,
        )

    def _load_session(self, digest: bytes, version: object) -> _Remembered | None:
        row = sessions.find_by_hash(self._store, digest)
        if row is None:
            return None
        found, stored, principal = row
        return _Remembered(
            stored,
            principal,
            None,
            found.expires_at,
            f"the session expired at {found.expires_at.isoformat()}; sign in again",
            found.last_used_at,
            lambda now: sessions.touch_session(self._store, found.id, now),
            version,
        )

    def _load_root_login(self, digest: bytes, version: object) -> _Remembered | None:
        row = root_logins.find_by_hash(self._store, digest)
        if row is None:
            return None
        found, stored, principal = row
        is_over = not found.is_live and found.expires_at > self._store.now()
        return _Remembered(
            stored,
            principal,
            UNKNOWN[root_logins.PREFIX] if is_over else None,
            found.expires_at,
            f"the root login expired at {found.expires_at.isoformat()}; sign in with a new credential",
            found.last_used_at,
            lambda now: root_logins.touch(self._store, found.id, now),
            version,
        )

    def close(self) -> None:
        """Release the connection that watches the database."""
        self._version.close()


def _credential(header: str | None) -> str:
    if not header:
        raise Unauthenticated(
            f"send the header `Authorization: Bearer {tokens.PREFIX}…`, `Bearer {sessions.PREFIX}…` or"
            f" `Bearer {root_logins.PREFIX}…`"
        )
    scheme, _, credential = header.partition(" ")
    credential = credential.strip()
    known = credential.startswith(tuple(UNKNOWN))
    if scheme.lower() != "bearer" or len(header) > MAX_HEADER_LENGTH or not known:
        raise Unauthenticated(
            f"the Authorization header must be `Bearer {tokens.PREFIX}…`, `Bearer {sessions.PREFIX}…` or"
            f" `Bearer {root_logins.PREFIX}…`"
        )
    return credential


def _prefix(credential: str) -> str:
    return next(prefix for prefix in UNKNOWN if credential.startswith(prefix))
