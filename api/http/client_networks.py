"""Networks of clients, to which limits apply that have no account."""

import ipaddress

from fastapi import Request


def client_network(request: Request) -> str:
    """The network of a client: an IPv4 address, or the IPv6 network that a provider gives to one customer."""
    host = request.client.host if request.client else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.IPv6Network((address, 64), strict=False).network_address)
    return str(address)
