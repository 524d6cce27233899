"""Requests to identity providers: metadata, keys, tokens and users.

Somebody waits for the answer, so it is short and nothing is repeated: a code works once. Keep out: the protocol
(`api.identity_providers`), proxies, certificates and addresses (`transport`).
"""

from __future__ import annotations

import json
import logging
import socket
import ssl
from collections.abc import Mapping
from typing import Any

import httpx

from ingest.errors import ProviderRefused, Refusal, Transient
from ingest.http import contents
from ingest.http.transport import connect
from ingest.reach import Reach

# httpx names the address of every request.
logging.getLogger("httpx").setLevel(logging.WARNING)

CONNECT_SECONDS, READ_SECONDS, ANSWER_SECONDS = 5.0, 5.0, 10.0
MAX_ANSWER_BYTES = 1024**2
USER_AGENT = "engineering-analytics-service"


class IdentityRequests:
    """Requests over https, to hosts within reach. No redirect is followed."""

    def __init__(self, reach: Reach | None) -> None:
        self._reach = reach

    def get(self, address: str, headers: Mapping[str, str] | None = None) -> Any:
        """The JSON at an address. Raises ProviderRefused, Transient, UnsupportedTarget; messages name only the host."""
        status, body = self._send("GET", address, None, headers or {})
        if status != 200:
            raise _refused(_url(address).host, status)
        return body

    def post(self, address: str, content: bytes, headers: Mapping[str, str]) -> tuple[int, Any]:
        """POST a form, once. Status and JSON of the answer, also of a refusal. Raises Transient, UnsupportedTarget,
        ProviderRefused for an answer that is no JSON.
        """
        return self._send("POST", address, content, headers)

    def _send(
        self, method: str, address: str, content: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, Any]:
        url = _url(address)
        sent = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": USER_AGENT,
            **headers,
        }
        if self._reach is not None:
            self._reach.refuse_inner_name(url.host)
        sender = connect(url, self._reach, connect_seconds=CONNECT_SECONDS, read_seconds=READ_SECONDS)
        received = bytearray()
        try:
            with sender.stream(
                method, url, content=content, headers=sent, seconds=ANSWER_SECONDS
            ) as response:
                for part in contents.steps(response):
                    received += part
                    if len(received) > MAX_ANSWER_BYTES:
                        raise ProviderRefused(Refusal.INVALID, f"{url.host} answers more than a megabyte.")
        except httpx.TimeoutException as error:
            raise Transient(f"{url.host} did not answer in time: try again later.") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            # Words of a host may repeat what was sent to it.
            raise sender.explain(error, _words(error)) from error
        finally:
            sender.close()
        if response.status_code == 429 or response.status_code >= 500:
            raise Transient(
                f"{url.host} answers {response.status_code}: try again later.", response.status_code
            )
        try:
            return response.status_code, json.loads(bytes(received)) if received.strip() else None
        except (ValueError, RecursionError):
            raise _refused(url.host, response.status_code) from None


def _words(error: Exception) -> str:
    """The failure of a connection, in words."""
    cause: BaseException | None = error
    while cause is not None:
        match cause:
            case ssl.SSLCertVerificationError():
                return cause.verify_message
            case ssl.SSLError():
                return "it speaks no TLS, or another version"
            case socket.gaierror():
                return "its name cannot be resolved"
            case ConnectionRefusedError():
                return "nothing answers at this port"
        cause = cause.__cause__ or cause.__context__
    return "no connection" if isinstance(error, httpx.ConnectError) else "the connection broke off"


def _url(address: str) -> httpx.URL:
    try:
        url = httpx.URL(address)
    except httpx.InvalidURL:
        url = httpx.URL("")
    if url.scheme != "https" or not url.host or url.userinfo:
        raise ProviderRefused(
            Refusal.BAD_ADDRESS, "The identity provider names an address that is not https."
        )
    return url


def _refused(host: str, status: int) -> ProviderRefused:
    refusal = {404: Refusal.NOT_FOUND, 401: Refusal.UNAUTHORIZED, 403: Refusal.FORBIDDEN}.get(
        status, Refusal.INVALID
    )
    what = "a page instead of data" if status == 200 else str(status)
    return ProviderRefused(refusal, f"{host} answers {what}.", status)
