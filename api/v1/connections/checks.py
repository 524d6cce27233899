"""The check of a connection at its provider, before anything is stored.

No transaction is open meanwhile, and the caller waits for a bounded time.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import anyio

from api.control.connections.connections import Account
from api.errors import InvalidArgument, ResourceExhausted, Unavailable
from api.threads import waited
from ingest.probe import (
    AddressRefused,
    ConnectionKind,
    IngestError,
    ProviderRefused,
    RateLimited,
    Reach,
    Refusal,
    Transient,
    check_connection,
    connection_address,
    connection_kind,
    limit_of,
)

ANSWER_SECONDS = 25.0
"""Longer than a check without an unusually slow answer; browsers and proxies wait for 60."""
EACH_ORGANIZATION, ALL_ORGANIZATIONS = 4, 32
"""Threads of checks at once: a host that answers slowly holds up its own organization alone."""
OF_THE_ADDRESS = frozenset({Refusal.BAD_ADDRESS, Refusal.TLS, Refusal.NOT_FOUND, Refusal.GONE})
OF_THE_TOKEN = frozenset({Refusal.UNAUTHORIZED, Refusal.EXPIRED, Refusal.MISSING_SCOPE, Refusal.SSO_REQUIRED})

Check = Callable[..., Account]


def known_kind(kind: str) -> ConnectionKind:
    """The kind of this name in any case, also as the command line writes it. Raises InvalidArgument."""
    try:
        return connection_kind(kind.strip().upper().replace("-", "_"))
    except IngestError as error:
        raise InvalidArgument("kind", _plain(error)) from None


def checked_address(kind: ConnectionKind, address: str | None, reach: Reach) -> str:
    """The address of a connection. Raises InvalidArgument."""
    try:
        return connection_address(kind.kind, address, reach)
    except IngestError as error:
        raise InvalidArgument("address", _plain(error)) from None


def check_options(kind: ConnectionKind, user: str, options: Mapping[str, Any]) -> None:
    """Raise InvalidArgument for an unknown option or a missing user."""
    if unknown := sorted(set(options) - set(kind.options)):
        listed = ", ".join(kind.options) or "none"
        raise InvalidArgument("options", f"{kind.title} has no option {unknown[0]!r}; its options: {listed}")
    if kind.needs_user and not user.strip():
        raise InvalidArgument("user", f"{kind.title} needs the email address or login of the token")


async def checked_account(
    kind: ConnectionKind,
    address: str,
    user: str,
    secret: str,
    options: Mapping[str, Any],
    reach: Reach,
    now: Callable[[], datetime],
    slots: Sequence[anyio.CapacityLimiter],
) -> Account:
    """The answer of the provider about a token.

    Raises InvalidArgument with its refusal, ResourceExhausted while it limits requests, Unavailable.
    """

    def check() -> Account:
        found = check_connection(kind.kind, address, user, secret, options, reach)
        return Account(found.account, found.expires_at, found.warnings)

    try:
        with anyio.fail_after(ANSWER_SECONDS):
            return await waited(check, slots)
    except TimeoutError:
        raise Unavailable(f"{kind.title} at {address} did not answer in time; try again later") from None
    except RateLimited as error:
        raise ResourceExhausted(*limit_of(kind.title, error, now())) from None
    except ProviderRefused as error:
        raise InvalidArgument(_field_of(error, options), _plain(error, secret)) from None
    except AddressRefused as error:
        raise InvalidArgument("address", _plain(error, secret)) from None
    except Transient as error:
        raise Unavailable(_plain(error, secret)) from None
    except IngestError as error:
        raise InvalidArgument("options", _plain(error, secret)) from None


def _field_of(error: ProviderRefused, options: Mapping[str, Any]) -> str:
    """The field to correct. Where the reason leaves it open, a message that names an option or its value is about that
    option.
    """
    if error.refusal in OF_THE_TOKEN:
        return "secret"
    values = [
        str(one) for value in options.values() for one in (value if isinstance(value, list) else [value])
    ]
    if any(word and word in error.message for word in (*options, *values)):
        return "options"
    return "address" if error.refusal in OF_THE_ADDRESS else "secret"


def _plain(error: Exception, secret: str = "") -> str:
    """The sentence of an error, in one line and without the secret."""
    text = " ".join(str(error).split())
    return (text.replace(secret, "***") if secret else text)[:1000].rstrip(".")
