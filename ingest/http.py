"""The one HTTP client, for every provider.

Add: behaviour that every provider needs. Keep out: paging (`pages`), the meaning of answers (`hosts`, `trackers`). A
request either returns an `Answer` of JSON or raises an error of `ingest.errors`. Requests repeat safely: GET, and POST
of queries.

Proxies are the standard variables (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`), certificate authorities
`SSL_CERT_FILE` and `SSL_CERT_DIR`.
"""

from __future__ import annotations

import email.utils
import json
import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NoReturn, Self

import httpx

from ingest.errors import ProviderRefused, RateLimited, Refusal, Transient
from ingest.reach import Reach

MAX_TRIES = 5
MAX_WAIT_SECONDS = 60.0
"""A longer pause ends the run, which continues after it. Nothing sleeps longer."""
CONNECT_SECONDS, READ_SECONDS = 10.0, 60.0
USER_AGENT = "engineering-analytics-service"
RETRIED = frozenset({429, 500, 502, 503, 504})
JSON = re.compile(r"application/(?:[\w.+-]+\+)?(?:json|x-ndjson)", re.IGNORECASE)


@dataclass(frozen=True)
class Login:
    """The base address of an API and the headers of every request. Headers of a login never leave its host."""

    address: str
    headers: Mapping[str, str] = field(repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class RateLimits:
    """How a provider states its limits: names of headers, and the format of the reset.

    `reset_format` is `epoch`, `epoch_ms` or `iso`. The reset counts only while `remaining` is 0 or absent; `pause` is
    the wait in seconds where an answer names none. `refuses` recognises a limit in an answer that has another status
    than 429, such as GitHub's 403.
    """

    remaining: str | None = None
    reset: str | None = None
    reset_format: str = "epoch"
    pause: float | None = None
    refuses: Callable[[Answer], bool] = field(default=lambda _: False)


@dataclass(frozen=True)
class Answer:
    """A complete answer. `headers` have names in lower case; `body` is parsed JSON, None for an empty body."""

    status: int
    url: str
    headers: Mapping[str, str]
    body: Any

    @property
    def next_link(self) -> str | None:
        """The address of `rel="next"` in the header `Link`."""
        for part in self.headers.get("link", "").split(","):
            if match := re.search(r"<([^>]*)>\s*;.*\brel=\"?next\"?", part):
                return match[1]
        return None


class Client:
    """Requests of one connection, one after the other."""

    def __init__(
        self,
        login: Login,
        rate_limits: RateLimits | None = None,
        *,
        reach: Reach | None = None,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.login, self._limits = login, rate_limits or RateLimits()
        self._reach, self._sleep, self._now = reach, sleep, now
        self.requests = 0
        self._http = httpx.Client(
            transport=transport,
            timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
            headers={"User-Agent": USER_AGENT, "Accept": "application/json"},
            follow_redirects=False,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(
        self, address: str, params: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """GET an address, absolute or below the address of the login.

        Raises ProviderRefused, RateLimited, Transient.
        """
        return self._send("GET", address, params, None, headers)

    def query(
        self, address: str, body: Any, params: Mapping[str, Any] | None = None, *, tries: int = MAX_TRIES
    ) -> Answer:
        """POST a query that changes nothing, so that it may be repeated. Raises as `get`.

        Errors of GraphQL without data are refusals; beside data they stay in the answer.
        """
        return self._send("POST", address, params, body, None, tries)

    def _send(
        self,
        method: str,
        address: str,
        params: Mapping[str, Any] | None,
        body: Any,
        headers: Mapping[str, str] | None,
        tries: int = MAX_TRIES,
    ) -> Answer:
        url = self._absolute(address)
        for attempt in range(1, tries + 1):
            try:
                answer = self._once(method, url, params, body, headers)
                self._refuse(answer)
                return answer
            except Transient as error:
                wait = self._pause(error, attempt)
                if attempt == tries or wait > MAX_WAIT_SECONDS:
                    raise
                self._sleep(wait)
        raise AssertionError("unreachable")

    def _absolute(self, address: str) -> str:
        base = httpx.URL(self.login.address)
        if "://" not in address:
            return f"{self.login.address}/{address.lstrip('/')}"
        url = httpx.URL(address)
        if (url.scheme, url.host, url.port) != (base.scheme, base.host, base.port):
            raise ProviderRefused(
                Refusal.BAD_ADDRESS,
                f"{base.host} leads to {url.host}, which would get the token: not followed.",
            )
        return address

    def _once(
        self,
        method: str,
        url: str,
        params: Mapping[str, Any] | None,
        body: Any,
        headers: Mapping[str, str] | None,
    ) -> Answer:
        host = httpx.URL(url).host
        if self._reach is not None:
            self._reach.addresses(host)
        self.requests += 1
        try:
            response = self._http.request(
                method,
                url,
                params=params or None,
                json=body,
                headers={**self.login.headers, **(headers or {})},
            )
        except httpx.TimeoutException as error:
            raise Transient(
                f"{host} did not answer in time ({type(error).__name__}): try again later."
            ) from error
        except httpx.HTTPError as error:
            raise Transient(
                f"{host} cannot be reached ({self._harmless(str(error))}): try again later."
            ) from error
        return self._answer(response)

    def _answer(self, response: httpx.Response) -> Answer:
        content = response.content.strip()
        is_json = bool(JSON.match(response.headers.get("content-type", "")))
        if response.is_success and content and not is_json:
            raise ProviderRefused(
                Refusal.BAD_ADDRESS,
                f"{response.url.host} answers a page instead of data: this is no address of an API, or a login page"
                " stands before it.",
                response.status_code,
            )
        body = None
        if content and is_json:
            try:
                body = json.loads(content)
            except ValueError as error:
                raise Transient(f"{response.url.host} answers broken JSON: try again later.") from error
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status_code, str(response.url), headers, body)

    def _refuse(self, answer: Answer) -> None:
        host = httpx.URL(answer.url).host
        codes = graphql_codes(answer.body)
        if answer.status == 429 or self._limits.refuses(answer) or codes & LIMIT_CODES:
            raise RateLimited(f"{host} limits requests for now.", self._wait_of(answer))
        if answer.status in RETRIED:
            raise Transient(f"{host} answers {answer.status}: try again later.", answer.status)
        if answer.status >= 300:
            self._raise(answer, REFUSALS.get(answer.status, Refusal.INVALID), f"answers {answer.status}")
        if codes and answer.body.get("data") is None:
            if GAVE_UP.search(self._said(answer)):
                # GitHub says so with 200 where it says 502 at other times.
                raise Transient(f"{host} gives up on a query{self._said(answer)}", 502)
            refusal = next(
                (found for code, found in GRAPHQL_REFUSALS.items() if code in codes), Refusal.INVALID
            )
            self._raise(answer, refusal, "refuses a query")

    def _raise(self, answer: Answer, refusal: Refusal, what: str) -> NoReturn:
        host = httpx.URL(answer.url).host
        message = f"{host} {what}{self._said(answer)}"
        raise ProviderRefused(refusal, message, answer.status, answer.headers, answer.body)

    def _said(self, answer: Answer) -> str:
        body = answer.body if isinstance(answer.body, dict) else {}
        said = next((body[key] for key in WORDS if body.get(key)), None)
        if isinstance(said, list):
            said = "; ".join(str(one.get("message", one) if isinstance(one, dict) else one) for one in said)
        return f": {self._harmless(str(said))[:300]}" if said else ""

    def _harmless(self, text: str) -> str:
        for secret in self.login.secrets:
            text = text.replace(secret, "***")
        return re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", text)

    def _wait_of(self, answer: Answer) -> float | None:
        """Seconds until the provider accepts requests again; None if it does not say."""
        if after := answer.headers.get("retry-after"):
            if after.strip().isdecimal():
                return float(after)
            at = email.utils.parsedate_to_datetime(after)
            return max(0.0, (at - self._now()).total_seconds())
        reset = answer.headers.get(self._limits.reset or "")
        if not reset or answer.headers.get(self._limits.remaining or "", "0") != "0":
            return self._limits.pause
        if self._limits.reset_format == "iso":
            at = datetime.fromisoformat(reset)
            return max(0.0, (at - self._now()).total_seconds())
        seconds = float(reset) / (1000 if self._limits.reset_format == "epoch_ms" else 1)
        # A clock that is ahead would retry at once, again and again.
        return max(1.0, seconds - self._now().timestamp())

    def _pause(self, error: Transient, attempt: int) -> float:
        if isinstance(error, RateLimited) and error.retry_after is not None:
            return error.retry_after
        return random.uniform(0, min(MAX_WAIT_SECONDS, 2.0**attempt))


def graphql_codes(body: Any) -> set[str]:
    """Codes of the errors of a GraphQL answer (`type`, or `code` among the extensions); `UNKNOWN` without a code."""
    errors = body.get("errors") if isinstance(body, dict) else None
    found: set[str] = set()
    for error in errors if isinstance(errors, list) else []:
        if isinstance(error, dict):
            extensions = error.get("extensions")
            inner = extensions.get("code") if isinstance(extensions, dict) else None
            codes = (error.get("type"), error.get("code"), inner)
            found |= {str(code) for code in codes if code} or {"UNKNOWN"}
    return found


WORDS = ("error_description", "message", "error", "errorMessages", "errors")
"""Where providers put their explanation of a refusal, the most telling first."""
LIMIT_CODES = frozenset({"RATE_LIMITED", "RATE_LIMIT", "graphql_rate_limit", "RATELIMITED"})
GRAPHQL_REFUSALS = {
    "AUTHENTICATION_ERROR": Refusal.UNAUTHORIZED,
    "INSUFFICIENT_SCOPES": Refusal.MISSING_SCOPE,
    "FORBIDDEN": Refusal.FORBIDDEN,
    "NOT_FOUND": Refusal.NOT_FOUND,
}
GAVE_UP = re.compile(r"something went wrong|timeout|timed out", re.IGNORECASE)
REFUSALS = {
    401: Refusal.UNAUTHORIZED,
    402: Refusal.PLAN_REQUIRED,
    403: Refusal.FORBIDDEN,
    404: Refusal.NOT_FOUND,
    410: Refusal.GONE,
}
