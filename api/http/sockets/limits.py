"""Limits of the connections of one server process, and the clients that hold them.

Add: a limit that holds before the application sees a request. Keep out: parsing (protocol.py), rate limits of
attempts to sign in (auth/allowances.py).
"""

import ipaddress
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

# A provider gives one customer a network of this size.
IPV6_CUSTOMER_PREFIX = 64


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one process. The memory of an attack is at most the product of connections and bytes."""

    # Bytes of request line and headers, and their number: proxies send at most 8 to 32 KB.
    head_bytes: int = 65_536
    headers: int = 100
    # Requests that wait for the answer of an earlier one of their connection.
    pipelined: int = 16
    # From the first byte to the last one of the head, and from there to the end of the body.
    head_seconds: float = 10
    body_seconds: float = 60
    # Time without a byte of the answer taken.
    send_seconds: float = 60
    # A common limit of open files is 1,024, and builds and the control database need some.
    connections: int = 500
    connections_per_client: int = 128
    # Bodies that are received and not answered.
    body_bytes: int = 24_000_000
    body_bytes_per_client: int = 8_000_000
    # Connections that wait in the system for being accepted.
    backlog: int = 256


class Clients:
    """The connections and bodies that each client holds. A trusted proxy holds those of many people."""

    def __init__(self, limits: Limits, is_proxy: Callable[[str], bool]) -> None:
        self._limits = limits
        self._is_proxy = is_proxy
        self._connections: Counter[str] = Counter()
        self._bodies: Counter[str] = Counter()

    def admit(self, host: str) -> bool:
        """Count a connection of this address unless there are too many."""
        client = network(host)
        if self._connections.total() >= self._limits.connections or (
            self._connections[client] >= self._limits.connections_per_client and not self._is_proxy(host)
        ):
            return False
        self._connections[client] += 1
        return True

    def leave(self, host: str) -> None:
        """Forget an admitted connection."""
        _subtract(self._connections, network(host), 1)

    def hold(self, host: str, size: int) -> bool:
        """Count bytes of a body. Tells whether they are within the limits; they are counted in any case."""
        client = network(host)
        self._bodies[client] += size
        return self._bodies.total() <= self._limits.body_bytes and (
            self._bodies[client] <= self._limits.body_bytes_per_client or self._is_proxy(host)
        )

    def give_back(self, host: str, size: int) -> None:
        """Forget held bytes of bodies."""
        _subtract(self._bodies, network(host), size)


def network(host: str) -> str:
    """The address of a client; for IPv6 the network of one customer."""
    if ":" not in host:
        return host
    try:
        return str(ipaddress.ip_network((host.partition("%")[0], IPV6_CUSTOMER_PREFIX), strict=False))
    except ValueError:
        return host


def _subtract(counts: Counter[str], key: str, amount: int) -> None:
    counts[key] -= amount
    if counts[key] <= 0:
        del counts[key]
