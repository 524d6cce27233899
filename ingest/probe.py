"""Checks of an address or a connection before it exists: the only module of extraction that the API may import.

Add: checks that the API makes when a user adds something. Keep out: fetching anything. Providers and the HTTP
client are imported by the functions that need them, because every process of the API imports this module.
"""

# ruff: noqa: PLC0415 - see above

import math
import re
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ingest.errors import IngestError, ProviderRefused, RateLimited, Refusal, Transient
from ingest.errors import UnsupportedTarget as AddressRefused
from ingest.git.identifiers import repository_id
from ingest.git.remote import url
from ingest.reach import Reach, checked_host, once
from ingest.schemas import CATEGORIES, CATEGORY_OF
from ingest.texts import shown

if TYPE_CHECKING:
    from ingest.connections.model import Provider
    from ingest.http.identity_requests import IdentityRequests

__all__ = [
    "CATEGORIES",
    "CATEGORY_OF",
    "AddressRefused",
    "CheckedConnection",
    "ConnectionKind",
    "IngestError",
    "ProbedAddress",
    "ProviderRefused",
    "RateLimited",
    "Reach",
    "Refusal",
    "Transient",
    "check_connection",
    "checked_host",
    "connection_address",
    "connection_kind",
    "connection_kinds",
    "identity_requests",
    "limit_of",
    "probe_address",
    "remembering",
]

MAX_ADDRESS_LENGTH = 2048
CHECK_SECONDS = 15.0
"""A check starts no request after so many seconds: somebody waits for it."""
ANSWER_SECONDS = 10.0
"""For one answer to a check, whose thread others may wait for."""
MAX_PAUSE_SECONDS = 3.0
"""Enough for the first repetition after a short fault. A limit of the provider is never waited for."""
MAX_ACCOUNT_LENGTH = 200
MAX_WARNING_LENGTH = 500
SECONDS_OF_A_LIMIT = 60.0
"""Of a provider that does not say how long its limit lasts."""
_AUTHORITY = re.compile(
    r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?::(?P<port>\d{1,5}))?"
)
_PATH = re.compile(r"(?:/[A-Za-z0-9._~%!$&'()*+,;=:@-]+)*")


@dataclass(frozen=True)
class ProbedAddress:
    """An address as passed to Git, and the identity of its repository."""

    url: str
    origin: str
    name: str
    repository_id: str


def probe_address(address: str, organization_id: str, reach: Reach) -> ProbedAddress:
    """Check an address that a user gave over the API: https or ssh, without credentials, on a host within reach.

    A host that cannot be resolved now is accepted; it is checked again before each connection. Raises
    AddressRefused; its message never repeats a secret.
    """
    if len(address) > MAX_ADDRESS_LENGTH:
        raise AddressRefused(f"The address is longer than {MAX_ADDRESS_LENGTH} characters: shorten it.")
    if not address.isprintable():
        raise AddressRefused("The address contains an invalid character: remove it.")
    parts = url.parse_encrypted(address)
    if parts.secret is not None or (parts.user is not None and parts.scheme == "https"):
        raise AddressRefused(
            f"The address on {parts.host} contains a user or secret before the @: remove it. The operator sets"
            " credentials (EAS_GIT_TOKEN)."
        )
    with suppress(Transient):
        reach.addresses(parts.host)
    spelled = url.normalize(address)
    return ProbedAddress(
        url=parts.url,
        origin=spelled,
        name=url.display_name(spelled),
        repository_id=repository_id(organization_id, spelled),
    )


def remembering(reach: Reach) -> Reach:
    """The same reach for a short time, such as one request: it resolves each host once."""
    return replace(reach, resolve=once(reach.resolve))


@dataclass(frozen=True)
class ConnectionKind:
    """A kind of connection. `options` are descriptions by name; `levels` of trackers are by kind of item.

    A single service has no other address than the default one. Where no secret is needed, a host that the operator
    lists may be reached without encryption.
    """

    kind: str
    title: str
    category: str
    default_address: str | None
    needs_user: bool
    options: Mapping[str, str]
    levels: Mapping[str, str]
    levels_are_editable: bool
    is_single_service: bool
    needs_secret: bool
    is_synced: bool


@dataclass(frozen=True)
class CheckedConnection:
    """The answer of a provider about a token that it accepts."""

    account: str
    expires_at: datetime | None
    warnings: tuple[str, ...]


class _NoPatience(Exception):
    """Raised instead of a pause; its context is the error that the pause would have followed."""


def connection_kinds() -> list[ConnectionKind]:
    """The kinds of connections, in the order of the registry."""
    from ingest.providers.registry import PROVIDERS

    return [_kind(one) for one in PROVIDERS]


def connection_kind(kind: str) -> ConnectionKind:
    """A kind by its name. Raises Permanent, which lists the kinds."""
    from ingest.providers.registry import provider

    return _kind(provider(kind))


def connection_address(kind: str, address: str | None, reach: Reach) -> str:
    """The address of a connection without trailing slash: https, without credentials, on a host within reach.

    Servers on listed hosts that need no secret may have http. None means the address of the cloud service, where the
    kind has one. Raises Permanent for an unknown kind, AddressRefused otherwise.
    """
    known = connection_kind(kind)
    text = (address or "").strip() or known.default_address
    if text is None:
        raise AddressRefused(
            f"{known.title} has no common address: give yours, such as https://host.example."
        )
    if len(text) > MAX_ADDRESS_LENGTH or not text.isascii() or not text.isprintable():
        raise AddressRefused("The address is too long or contains an invalid character: correct it.")
    try:
        parts = urlsplit(text)
    except ValueError:
        raise AddressRefused("The address is not a URL: write https://host.") from None
    scheme = parts.scheme.lower()
    if scheme != "https" and (known.needs_secret or scheme != "http"):
        raise AddressRefused("The address does not start with https://: a token is only sent encrypted.")
    if "@" in parts.netloc:
        raise AddressRefused("The address contains a user or secret before the @: remove it.")
    place = _AUTHORITY.fullmatch(parts.netloc)
    usual_port = 443 if scheme == "https" else 80
    port = int(place["port"] or usual_port) if place else 0
    path = re.sub(r"/+", "/", parts.path).rstrip("/")
    if (
        place is None
        or not 0 < port < 65536
        or not _PATH.fullmatch(path)
        or {".", ".."} & set(path.split("/"))
    ):
        raise AddressRefused("The address has no valid host, port or path: write https://host.")
    if parts.query or parts.fragment:
        raise AddressRefused("The address has a query or fragment: remove everything from ? or # on.")
    host = checked_host(place["host"].lower())
    if scheme != "https" and not reach.is_listed(host):
        raise AddressRefused(
            "The address does not start with https://: figures and titles are only sent encrypted. For a server in your"
            " own network, ask the operator to list its host in EAS_PRIVATE_HOSTS."
        )
    service = urlsplit(known.default_address or "").hostname
    if known.is_single_service and host != service and not reach.is_listed(host):
        raise AddressRefused(
            f"{known.title} is one service for everybody, at {known.default_address}: leave the address out. For a"
            " gateway before it, ask the operator to list its host in EAS_PRIVATE_HOSTS."
        )
    with suppress(Transient):
        # A host that cannot be resolved is named by the check of the token.
        reach.addresses(host)
    return f"{scheme}://{host}{f':{port}' if port != usual_port else ''}{path}"


def check_connection(
    kind: str, address: str, user: str, secret: str, options: Mapping[str, Any], reach: Reach
) -> CheckedConnection:
    """Try a token at a provider, with short pauses at most. `address` is one of `connection_address`.

    Raises ProviderRefused, RateLimited, Transient, other Permanent errors. Messages never have the secret.
    """
    from ingest.connections.model import Connection
    from ingest.http.client import Client
    from ingest.providers.registry import checked, provider

    chosen = provider(kind)
    wanted = Connection("", "", kind, address, secret, user, options)
    until = time.monotonic() + CHECK_SECONDS

    def hurry(seconds: float) -> None:
        is_limit = isinstance(sys.exception(), RateLimited)
        if is_limit or seconds > MAX_PAUSE_SECONDS or time.monotonic() + seconds > until:
            raise _NoPatience
        time.sleep(seconds)

    try:
        with Client(
            chosen.login(wanted), chosen.rate_limits, reach=reach, sleep=hurry, answer_seconds=ANSWER_SECONDS
        ) as client:
            found = checked(client, wanted)
    except _NoPatience as stop:
        raise _awaited(stop) from None
    warnings = tuple(shown(one, MAX_WARNING_LENGTH) for one in found.warnings)
    return CheckedConnection(shown(found.account, MAX_ACCOUNT_LENGTH) or "?", found.expires_at, warnings)


def identity_requests(reach: Reach | None) -> "IdentityRequests":
    """Requests to identity providers; None: of the deployment, wherever the operator has them."""
    from ingest.http.identity_requests import IdentityRequests

    return IdentityRequests(reach)


def _awaited(stop: _NoPatience) -> Exception:
    cause = stop.__context__
    return (
        cause if isinstance(cause, Transient) else Transient("The provider does not answer: try again later.")
    )


def _kind(one: "Provider") -> ConnectionKind:
    return ConnectionKind(
        one.kind,
        one.title,
        one.category.noun,
        one.default_address,
        one.needs_user,
        dict(one.options),
        dict(one.levels),
        one.levels_are_editable,
        one.is_single_service,
        one.needs_secret,
        one.category.is_synced,
    )


def limit_of(title: str, error: RateLimited, now: datetime) -> tuple[str, float]:
    """The sentence about a provider's limit during a check, with the time of the next try, and its seconds from now."""
    seconds = error.retry_after if error.retry_after is not None else SECONDS_OF_A_LIMIT
    today, end = now.astimezone(UTC), now.astimezone(UTC) + timedelta(seconds=seconds)
    # The whole minute after the end: the time that a person reads must not be early.
    minute = datetime.fromtimestamp(math.ceil(end.timestamp() / 60) * 60, UTC)
    day = f" on {minute:%Y-%m-%d}" if minute.date() != today.date() else ""
    return f"connecting to {title} is temporarily rate limited; try again at {minute:%H:%M} UTC{day}", seconds
