"""Hosts that the service may connect to for users of the API: public addresses, and hosts that the operator lists.

Keep out: spelling of addresses (`git.remote.url`), connecting (`git.remote.command`).
"""

import ipaddress
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass

from ingest.errors import Transient, UnsupportedTarget

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolve = Callable[[str], list[str]]

# IANA's registries of special-purpose addresses (RFC 6890), and multicast. Those that are reachable globally lead to
# the nearest node of a service, which may be inside. `ipaddress.is_global` differs between versions of Python.
_SPECIAL = tuple(
    ipaddress.ip_network(block)
    for block in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        # Within 2000::/3: protocol assignments with Teredo, documentation, 6to4, AS112.
        "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
    )
)  # fmt: skip
# All other IPv6 addresses are special: loopback, mapped IPv4, unique local, link-local, multicast, unassigned.
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
# Names that no public host has: RFC 6761, RFC 6762 with its appendix G, RFC 8375, and what ICANN keeps for inner use.
_INNER = tuple(
    f".{name}"
    for name in ("localhost", "local", "internal", "intranet", "private", "corp", "home", "lan", "home.arpa")
)
# Networks without IPv4 translate this one to the IPv4 address inside it (RFC 6052).
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")


# Resolvers and browsers take a name that ends so for an IPv4 address (URL Standard, 3.5): in octal and hexadecimal too.
_NUMBER = re.compile(r"(?:\d+|0x[0-9a-f]*)", re.IGNORECASE)


def checked_host(host: str) -> str:
    """A host as it is spelled. Raises UnsupportedTarget for an IP address in another spelling than the usual one, which
    one reader takes for another address than the next.
    """
    name = host.rstrip(".")
    try:
        if ":" in name:
            ipaddress.IPv6Address(name.strip("[]"))
        elif _NUMBER.fullmatch(name.rpartition(".")[2]):
            ipaddress.IPv4Address(name)
    except ValueError:
        raise UnsupportedTarget(
            f"{host} is an IP address in an unusual spelling: write it as four numbers, such as 192.0.2.1, or give the"
            " name of the host."
        ) from None
    return host


def system_resolve(host: str) -> list[str]:
    """IP addresses of a host, by this machine's resolver. Raises OSError."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in found))


def once(resolve: Resolve) -> Resolve:
    """The same resolver, called once per host."""
    known: dict[str, list[str] | OSError] = {}

    def remembered(host: str) -> list[str]:
        if host not in known:
            try:
                known[host] = resolve(host)
            except OSError as error:
                known[host] = error
        answer = known[host]
        if isinstance(answer, OSError):
            raise answer
        return answer

    return remembered


@dataclass(frozen=True)
class Reach:
    """Public addresses, and the listed hosts (in lower case) and networks even if they are not public."""

    hosts: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()
    resolve: Resolve = system_resolve

    def is_listed(self, host: str) -> bool:
        """Whether the operator lists a host by its name or, for a literal address, by its network."""
        name = host.lower().rstrip(".").strip("[]")
        try:
            ip = ipaddress.ip_address(name)
        except ValueError:
            return name in self.hosts
        return any(ip in network for network in self.networks if network.version == ip.version)

    def refuse_inner_name(self, host: str) -> None:
        """Raise UnsupportedTarget for a name that no public host has and that this machine cannot resolve.

        A proxy may resolve it, to an address that is not known here.
        """
        name = host.lower().rstrip(".").strip("[]")
        is_inner = f".{name}".endswith(_INNER) or not set(name) & {".", ":"}
        if is_inner and not self.is_listed(name):
            try:
                self.addresses(name)
            except Transient:
                raise _refused(host, "a name that no public host has") from None

    def addresses(self, host: str) -> list[str]:
        """The IP addresses of a host, if the service may connect to all of them.

        Raises UnsupportedTarget if it may not, and Transient if the host cannot be resolved at the moment.
        """
        name = host.lower().rstrip(".").strip("[]")
        is_listed = name in self.hosts
        checked_host(name)
        if not is_listed and (name == "localhost" or name.endswith(".localhost")):
            raise _refused(host)
        try:
            found = self.resolve(name)
        except UnicodeError:
            raise UnsupportedTarget(
                "The host of the address is not a valid name: correct the address."
            ) from None
        except OSError as error:
            raise Transient(
                f"The host name {host} cannot be resolved ({error.strerror}): "
                "try again later, or add it anew with the right address."
            ) from error
        # All must be allowed, because the connection may use any of them.
        if not is_listed and not all(self._may(ipaddress.ip_address(one)) for one in found):
            raise _refused(host)
        return found

    def _may(self, ip: Ip) -> bool:
        return any(ip in network for network in self.networks if network.version == ip.version) or _is_public(
            ip
        )


def _is_public(ip: Ip) -> bool:
    if ip in _TRANSLATED:
        return _is_public(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF))
    is_assigned = ip.version == 4 or ip in _GLOBAL_UNICAST
    return is_assigned and not any(ip in block for block in _SPECIAL)


def _refused(
    host: str, what: str = "a loopback, link-local, private or other special address"
) -> UnsupportedTarget:
    return UnsupportedTarget(
        f"{host} is {what}, which users of the API cannot reach: give a public address, or ask the operator to list"
        " the host in EAS_PRIVATE_HOSTS."
    )
