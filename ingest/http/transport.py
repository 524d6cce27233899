"""How requests reach a host: through a proxy or directly, with which certificate authorities, to which IP addresses.

Proxies are the standard variables (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`), in lower or upper case, with
names, suffixes and `host:port` in `NO_PROXY`. Certificate authorities come from `SSL_CERT_FILE` or `SSL_CERT_DIR`.
"""

from __future__ import annotations

import os
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpx

from ingest.deadline import Deadline
from ingest.errors import IngestError, ProviderRefused, Refusal, Transient
from ingest.reach import Reach

CONNECT_SECONDS, READ_SECONDS = 10.0, 60.0


class Connected:
    """Sends requests to one host.

    Without a proxy and with a `reach`, each connection leads to an IP address that was checked, so that a name cannot
    lead elsewhere between the check and the connection. A proxy resolves names itself.
    """

    def __init__(self, http: httpx.Client, reach: Reach | None, *, is_proxied: bool) -> None:
        self._http, self._reach, self._is_proxied = http, reach, is_proxied
        self._sockets: list[socket.socket] = []

    def close(self) -> None:
        self._http.close()

    @contextmanager
    def stream(
        self,
        method: str,
        url: httpx.URL,
        *,
        json: Any = None,
        content: bytes | None = None,
        headers: dict[str, str] | Any,
        seconds: float,
    ) -> Iterator[httpx.Response]:
        """The answer to one request, whose body the caller reads. All of it takes at most so many seconds.

        Raises httpx.HTTPError, UnsupportedTarget or Transient for a host out of reach, and Transient for a slow one.
        """
        host, slow = url.host, f"{url.host} answers too slowly: try again later."
        with Deadline(seconds, self._sockets) as deadline:
            extensions: dict[str, Any] = {"trace": deadline.watch}
            if self._reach is not None and self._is_proxied:
                # The proxy may be the only one who knows the name.
                with suppress(Transient):
                    self._reach.addresses(host)
            elif self._reach is not None:
                [address, *_] = self._reach.addresses(host)
                headers = {**headers, "Host": url.netloc.decode()}
                url = url.copy_with(host=address)
                extensions["sni_hostname"] = host
            try:
                with self._http.stream(
                    method, url, json=json, content=content, headers=headers, extensions=extensions
                ) as response:
                    yield response
            except httpx.HTTPError as error:
                if deadline.is_over:
                    raise Transient(slow) from error
                raise
            # An answer without a length ends with its connection.
            if deadline.is_over:
                raise Transient(slow)

    def explain(self, error: Exception, words: str) -> IngestError:
        """The error of `ingest.errors` for one of httpx; `words` are its text without secrets."""
        if isinstance(error, httpx.ProxyError):
            return Transient(f"The proxy refuses the connection ({words}): check HTTPS_PROXY and NO_PROXY.")
        if _is_certificate(error):
            return ProviderRefused(
                Refusal.TLS,
                f"The certificate of the host is not trusted ({words}): set SSL_CERT_FILE to the file with its"
                " authority.",
            )
        return Transient(f"The host cannot be reached ({words}): check the address, or try again later.")


def connect(
    base: httpx.URL,
    reach: Reach | None,
    transport: httpx.BaseTransport | None = None,
    *,
    connect_seconds: float = CONNECT_SECONDS,
    read_seconds: float = READ_SECONDS,
) -> Connected:
    """A connection to the host of a base address. `transport` replaces the network in tests."""
    proxy = _proxy_of(base) if transport is None else None
    http = httpx.Client(
        transport=transport,
        proxy=proxy,
        # The environment decides once for the host.
        trust_env=False,
        verify=_trusted(*_authorities()) if transport is None else True,
        timeout=httpx.Timeout(read_seconds, connect=connect_seconds),
        follow_redirects=False,
    )
    return Connected(http, reach, is_proxied=proxy is not None)


def _authorities() -> tuple[tuple[str, int], ...]:
    """The paths of the authorities by the environment, with the times of their last change in nanoseconds."""
    paths = (Path(os.environ.get(name, "")) for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"))
    return tuple((str(path), path.stat().st_mtime_ns if path.exists() else 0) for path in paths)


@lru_cache(maxsize=1)
def _trusted(*_: tuple[str, int]) -> ssl.SSLContext:
    """What connections trust. Reading the authorities takes 25 ms, so it happens once for each state of them."""
    return httpx.create_ssl_context()


def _proxy_of(url: httpx.URL) -> str | None:
    """The proxy for a host by the environment; None for a direct connection."""
    proxies = getproxies()
    place = f"{url.host}:{url.port}" if url.port else url.host
    if proxy_bypass(place) or proxy_bypass(url.host):
        return None
    found = proxies.get(url.scheme) or proxies.get("all")
    return found if not found or "://" in found else f"http://{found}"


def _is_certificate(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError) or "CERTIFICATE_VERIFY_FAILED" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False
