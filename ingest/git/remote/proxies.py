"""Let Git follow the proxy variables as the HTTP client does (`ingest.http.transport`).

Git reads `http_proxy` in lower case alone, and takes an entry with a port in `NO_PROXY` for a name.
"""

from collections.abc import Mapping
from urllib.request import getproxies, proxy_bypass

from ingest.git.remote.url import Address


def variables(address: Address, environment: Mapping[str, str]) -> dict[str, str]:
    """Variables that Git needs beside those of the environment."""
    if address.scheme not in ("http", "https"):
        return {}
    added = {}
    if "HTTP_PROXY" in environment and "http_proxy" not in environment:
        added["http_proxy"] = environment["HTTP_PROXY"]
    place = f"{address.host}:{address.port}" if address.port is not None else address.host
    if proxy_bypass(place) or proxy_bypass(address.host):
        added["no_proxy"] = ",".join(filter(None, (getproxies().get("no", ""), address.host)))
    return added
