"""Files of JSON lines that an answer links to, on a host of the provider's storage.

The address signs itself, so that the login never goes there. A provider could name any address, so files come over
https, from hosts within reach, without redirects, and lie in a temporary file: none is too large for the memory.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from typing import IO, Any

import httpx

from ingest.errors import ProviderRefused, RateLimited, Refusal, Transient, UnsupportedTarget
from ingest.http import bodies, contents, rate_limits, refusals
from ingest.http.client import RETRIED, USER_AGENT, Client
from ingest.http.transport import connect
from ingest.reach import Reach

MAX_FILE_BYTES = 1024**3
MAX_LINE_BYTES = 4 * 1024**2
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
HEADERS = {"Accept": "*/*", "Accept-Encoding": contents.ACCEPTED, "User-Agent": USER_AGENT}


def lines(client: Client, address: Any) -> Iterator[Any]:
    """The values of the lines of a file; UNREADABLE for a line that is no JSON. Empty lines are left out.

    Raises ProviderRefused for an address that is not followed and for a file that the host refuses, RateLimited and
    Transient.
    """
    url = _url(address)
    with tempfile.TemporaryFile() as file:
        client.repeated(partial(_fetch, client, url, file))
        file.seek(0)
        for line in _split(file):
            if line.strip():
                yield _parsed(line, client.login.secrets)


def _fetch(client: Client, url: httpx.URL, file: IO[bytes]) -> None:
    file.seek(0)
    file.truncate()
    # A transport of a test has no network to protect.
    reach = client.reach or (Reach() if client.transport is None else None)
    sender = connect(url, reach, client.transport)
    try:
        if reach is not None:
            reach.refuse_inner_name(url.host)
        answer = client.receive(sender, "GET", url, None, HEADERS, file.write, most=MAX_FILE_BYTES)
    except UnsupportedTarget as error:
        raise ProviderRefused(Refusal.INVALID, f"The provider links to a refused host: {error}") from error
    finally:
        sender.close()
    status = answer.status_code
    if status == 429 or status in RETRIED:
        wait = rate_limits.retry_after(answer.headers, client.now())
        message = f"{url.host} answers {status} to a file: try again later."
        raise RateLimited(message, wait) if wait is not None else Transient(message, status)
    if status != 200:
        # Not the login is refused, which the host never got.
        known = refusals.BY_STATUS.get(status, Refusal.INVALID)
        refusal = Refusal.FORBIDDEN if known is Refusal.UNAUTHORIZED else known
        raise ProviderRefused(
            refusal, f"{url.host} answers {status} to a file: its link may have ended.", status
        )
    if "html" in answer.headers.get("content-type", "").lower():
        raise ProviderRefused(Refusal.INVALID, f"{url.host} answers a page instead of a file.")


def _url(address: Any) -> httpx.URL:
    """The address of a file. Raises ProviderRefused for one that is not https. Loopback may go without."""
    try:
        url = httpx.URL(address)
    except (httpx.InvalidURL, TypeError):
        url = httpx.URL("")
    is_safe = url.scheme == "https" or (url.scheme == "http" and url.host in LOOPBACK)
    if not is_safe or not url.host or url.userinfo:
        raise ProviderRefused(
            Refusal.INVALID, "The provider links to a file at an address that is not https."
        )
    return url


def _split(file: IO[bytes]) -> Iterator[bytes]:
    """The lines of a file. One that is too long is cut, so that it is no JSON any more."""
    is_rest = False
    while part := file.readline(MAX_LINE_BYTES):
        if not is_rest:
            yield part
        is_rest = not part.endswith(b"\n")


def _parsed(line: bytes, secrets: tuple[str, ...]) -> Any:
    try:
        return bodies.parsed(line.strip(), secrets)
    except (ValueError, RecursionError):
        return bodies.UNREADABLE
