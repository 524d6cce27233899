"""The holder of an `Authorization: Bearer …` header, by the prefix of the credential.

├── caller      an API key (`service_…`), the token of a session (`session_…`) or of a root login (`root_…`)
├── assistant   an API key and nothing else
├── sender      an ingest token (`ingest_…`), which sends telemetry and is no caller
└── directory   a SCIM token (`scim_…`), which provisions members and is no caller

Keep out: permissions (callers/access.py), creating and revoking credentials (api/control).
"""

import hmac
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import anyio.to_thread

from api.control.accounts import root_logins, sessions, tokens
from api.control.accounts.root_logins import RootLoginRecord
from api.control.accounts.tokens import TokenRecord
from api.control.database import ChangeCounter
from api.control.issued_tokens import (
    LAST_USED_GRAIN,
    SCIM_TOKENS,
    Credential,
    IssuedRecord,
    TokenKind,
    find_token,
    key_hash,
    touch,
)
from api.control.models import RootLogin, SignInSession
from api.control.principals import Principal
from api.control.scim.scim_tokens import find_directory
from api.control.store import ControlStore
from api.control.telemetry.ingest_tokens import INGEST_TOKENS, IngestTokenRecord
from api.errors import Unauthenticated

MAX_HEADER_LENGTH = 512
MAX_CACHED_CREDENTIALS = 10_000
CALLERS = (tokens.PREFIX, sessions.PREFIX, root_logins.PREFIX)
ASSISTANTS = (tokens.PREFIX,)
SENDERS = (INGEST_TOKENS.prefix,)
DIRECTORIES = (SCIM_TOKENS.prefix,)
# What a credential of another kind is told: what to send here, and what it is for itself if that is one thing.
INSTEAD = {
    CALLERS: "use an API key or a session here",
    ASSISTANTS: f"assistants read with an API key (`{tokens.PREFIX}…`) alone; create one with the scope READ",
    SENDERS: f"telemetry is sent with an ingest token (`{INGEST_TOKENS.prefix}…`); an owner or admin creates one",
    DIRECTORIES: f"a directory sends a SCIM token (`{SCIM_TOKENS.prefix}…`); an owner or admin creates one",
}
ONLY = {
    INGEST_TOKENS.prefix: "an ingest token only sends telemetry to /otlp/v1",
    SCIM_TOKENS.prefix: "a SCIM token only provisions members at /scim/v2",
}
Holder = Principal | IngestTokenRecord


@dataclass(slots=True)
class _Remembered:
    digest: bytes
    holder: Holder
    # Why the credential is invalid, apart from expiry; None for a valid one.
    refused: str | None
    expires_at: datetime | None
    expired: str
    touched_at: datetime | None
    touch: Callable[[datetime], None]
    # State of the database before it was asked: a later change makes the answer stale.
    version: object


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of credential. `refusal` says why a found one is invalid, apart from expiry; None for a valid one."""

    noun: str
    unknown: str
    instead: str
    table: type[Credential]
    find: Callable[[ControlStore, bytes], tuple[Any, bytes, Holder] | None]
    refusal: Callable[[Any, Any, datetime], str | None]


def _refused_key(token: TokenRecord, principal: Principal, _: datetime) -> str | None:
    if not principal.memberships and token.revoked_at is None:
        return "the creator of this API key is no longer a member of its organization; create another"
    return _refused_token(tokens.API_KEYS.prefix, token)


def _refused_login(found: RootLoginRecord, _: Principal, now: datetime) -> str | None:
    return KINDS[root_logins.PREFIX].unknown if not found.is_live and found.expires_at > now else None


def _find_sender(store: ControlStore, digest: bytes) -> tuple[IngestTokenRecord, bytes, Holder] | None:
    found = find_token(store, INGEST_TOKENS, digest)
    return (*found, found[0]) if found is not None else None


def _refused_token(prefix: str, token: IssuedRecord) -> str | None:
    return KINDS[prefix].unknown if token.revoked_at is not None else None


def _issued(
    kind: TokenKind[Any, Any],
    noun: str,
    find: Callable[[ControlStore, bytes], tuple[Any, bytes, Holder] | None],
    refusal: Callable[[Any, Any, datetime], str | None] | None = None,
) -> _Kind:
    return _Kind(
        noun,
        f"the {noun} is unknown or was revoked; create another",
        "create another",
        kind.table,
        find,
        refusal or (lambda token, *_: _refused_token(kind.prefix, token)),
    )


KINDS = {
    tokens.PREFIX: _issued(tokens.API_KEYS, "API key", tokens.find_by_hash, _refused_key),
    sessions.PREFIX: _Kind(
        "session",
        "the session is unknown or was ended; sign in again",
        "sign in again",
        SignInSession,
        sessions.find_by_hash,
        lambda *_: None,
    ),
    root_logins.PREFIX: _Kind(
        "root login",
        "the root login is unknown or has ended; sign in with a new credential",
        "sign in with a new credential",
        RootLogin,
        root_logins.find_by_hash,
        _refused_login,
    ),
    INGEST_TOKENS.prefix: _issued(INGEST_TOKENS, "ingest token", _find_sender),
    SCIM_TOKENS.prefix: _issued(SCIM_TOKENS, "SCIM token", find_directory),
}


class Authenticator:
    """Checks credentials against the control database, remembering good ones while the database does not change."""

    def __init__(self, store: ControlStore) -> None:
        self._store = store
        self._version = ChangeCounter(store.engine)
        self._known: dict[bytes, _Remembered] = {}
        self._mutex = threading.Lock()

    async def caller(self, header: str | None) -> Principal:
        """The caller of an Authorization header. Raises Unauthenticated; the message never repeats the credential."""
        return await self._principal(header, CALLERS)

    async def assistant(self, header: str | None) -> Principal:
        """The API key of an Authorization header. Raises Unauthenticated, also for every other credential."""
        return await self._principal(header, ASSISTANTS)

    async def directory(self, header: str | None) -> Principal:
        """The directory of the SCIM token of an Authorization header. Raises Unauthenticated, as above."""
        return await self._principal(header, DIRECTORIES)

    async def sender(self, header: str | None) -> IngestTokenRecord:
        """The ingest token of an Authorization header. Raises Unauthenticated, as above."""
        holder = await self._holder(_credential(header, SENDERS))
        assert isinstance(holder, IngestTokenRecord)
        return holder

    async def _principal(self, header: str | None, accepted: tuple[str, ...]) -> Principal:
        holder = await self._holder(_credential(header, accepted))
        assert isinstance(holder, Principal)
        return holder

    async def _holder(self, credential: str) -> Holder:
        digest = key_hash(credential)
        kind = KINDS[_prefix(credential)]
        now = self._store.now()
        version = self._version.version()
        found = self._known.get(digest)
        if found is None or found.version != version:
            found = await anyio.to_thread.run_sync(self._remember, kind, digest, version)
        # The lookup is by hash, so its timing reveals nothing about a key; the comparison guards against a bad index.
        if found is None or not hmac.compare_digest(found.digest, digest):
            raise Unauthenticated(kind.unknown)
        if found.refused is not None:
            raise Unauthenticated(found.refused)
        if found.expires_at is not None and found.expires_at <= now:
            raise Unauthenticated(found.expired)
        if found.touched_at is None or now - found.touched_at >= LAST_USED_GRAIN:
            found.touched_at = now
            await anyio.to_thread.run_sync(found.touch, now)
        return found.holder

    def _remember(self, kind: _Kind, digest: bytes, version: object) -> _Remembered | None:
        found = self._load(kind, digest, version)
        with self._mutex:
            if found is None:
                self._known.pop(digest, None)
                return None
            if len(self._known) >= MAX_CACHED_CREDENTIALS:
                self._known.clear()
            self._known[digest] = found
        return found

    def _load(self, kind: _Kind, digest: bytes, version: object) -> _Remembered | None:
        known = kind.find(self._store, digest)
        if known is None:
            return None
        found, stored, holder = known
        refused = kind.refusal(found, holder, self._store.now())
        expired = (
            f"the {kind.noun} expired at {found.expires_at and found.expires_at.isoformat()}; {kind.instead}"
        )

        def note_use(now: datetime) -> None:
            touch(self._store, kind.table, found.id, now)

        return _Remembered(
            stored, holder, refused, found.expires_at, expired, found.last_used_at, note_use, version
        )

    def close(self) -> None:
        """Release the connection that watches the database."""
        self._version.close()


def _credential(header: str | None, accepted: tuple[str, ...]) -> str:
    if not header:
        raise Unauthenticated(f"send the header `Authorization: Bearer {_shown(accepted)}")
    scheme, _, credential = header.partition(" ")
    credential = credential.strip()
    if (
        scheme.lower() != "bearer"
        or len(header) > MAX_HEADER_LENGTH
        or not credential.startswith(tuple(KINDS))
    ):
        raise Unauthenticated(f"the Authorization header must be `Bearer {_shown(accepted)}")
    if not credential.startswith(accepted):
        told = (ONLY.get(_prefix(credential)), INSTEAD[accepted])
        raise Unauthenticated("; ".join(part for part in told if part))
    return credential


def _shown(prefixes: tuple[str, ...]) -> str:
    """Prefixes in a sentence whose first one follows an opened quotation: `service_…`, `Bearer session_…` or so."""
    shown = [f"{prefixes[0]}…`", *(f"`Bearer {prefix}…`" for prefix in prefixes[1:])]
    return " or ".join(part for part in (", ".join(shown[:-1]), shown[-1]) if part)


def _prefix(credential: str) -> str:
    return next(prefix for prefix in KINDS if credential.startswith(prefix))
