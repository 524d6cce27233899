"""The one HTTP client, for every provider.

Add: behaviour that every provider needs. Keep out: paging (`pages`), proxies, certificates and addresses
(`transport`), stored answers (`cache`), the meaning of answers (`ingest.providers`). A request either returns an
`Answer` of JSON or raises an error of `ingest.errors`. Requests repeat safely: GET, and POST of queries.
"""

from __future__ import annotations

import logging
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, NoReturn, Self, TypeVar

import httpx

from ingest.errors import ProviderRefused, RateLimited, Refusal, Transient
from ingest.http import bodies, contents, graphql_errors, rate_limits, refusals
from ingest.http.answers import Answer, mark_of
from ingest.http.bodies import MIN_SECRET_LENGTH
from ingest.http.budgets import Budget
from ingest.http.cache import HttpCache
from ingest.http.graphql_errors import graphql_codes
from ingest.http.login import Login
from ingest.http.rate_limits import RateLimits
from ingest.http.transport import READ_SECONDS, Connected, connect
from ingest.reach import Reach
from ingest.texts import shown

__all__ = ["Answer", "Client", "Login", "RateLimits"]

# httpx names every request; runs count them instead.
logging.getLogger("httpx").setLevel(logging.WARNING)

MAX_TRIES = 5
MAX_WAIT_SECONDS = 60.0
"""A longer pause ends the run, which continues after it. Nothing sleeps longer."""
MIN_BACKOFF_SECONDS = 1.0
MAX_ANSWER_BYTES = 64 * 1024**2
MAX_ANSWER_SECONDS = 300.0
"""For one answer with its body, however slowly it comes."""
MAX_REDIRECTS = 5
USER_AGENT = "engineering-analytics-service"
RETRIED = frozenset({408, 425, 500, 502, 503, 504})
REDIRECTS = frozenset({301, 302, 307, 308})
JSON = re.compile(r"application/(?:[\w.+-]+\+)?json\b", re.IGNORECASE)
T = TypeVar("T")


class Client:
    """Requests of one connection, one after the other."""

    def __init__(
        self,
        login: Login,
        limits: RateLimits | None = None,
        *,
        reach: Reach | None = None,
        cache: HttpCache | None = None,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        answer_seconds: float | None = None,
    ) -> None:
        """An answer has `answer_seconds`, else MAX_ANSWER_SECONDS, which may begin late."""
        self.login, self._limits = login, limits or RateLimits()
        self.answer_seconds = answer_seconds
        self._sleep, self.now = sleep, now
        self.cache = cache or HttpCache()
        self._budgets: list[Budget] = []
        self._hide = bodies.hiding(login.secrets)
        self.requests = 0
        self.server_time: datetime | None = None
        """The time of the last answer that states one: by the provider's clock, or by ours if that is behind."""
        self.reach, self.transport = reach, transport
        self._base = httpx.URL(login.address)
        self._send_once = connect(
            self._base, reach, transport, read_seconds=max(READ_SECONDS, answer_seconds or 0)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._send_once.close()

    def get(
        self, address: str, params: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """GET an address, absolute or below the address of the login; the stored answer if it did not change.

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

    @contextmanager
    def within(self, budget: Budget) -> Iterator[None]:
        """Requests of the block have a budget, which they exceed with ProviderRefused."""
        self._budgets.append(budget)
        try:
            yield
        finally:
            self._budgets.remove(budget)

    def count_rows(self, count: int) -> None:
        """Note rows of a list. Raises ProviderRefused for more than a budget of theirs has."""
        for budget in self._budgets:
            budget.take_rows(count)

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
        if params:
            url = url.copy_merge_params(dict(params))
        return self.repeated(lambda: self._once(method, url, body, headers or {}), tries)

    def repeated(self, once: Callable[[], T], tries: int = MAX_TRIES) -> T:
        """What `once` returns, which is tried again after Transient errors."""
        for attempt in range(1, tries + 1):
            try:
                return once()
            except Transient as error:
                wait = _pause(error, attempt)
                if attempt == tries or wait > MAX_WAIT_SECONDS:
                    raise
                self._sleep(wait)
        raise AssertionError("unreachable")

    def refused_address(self, address: str) -> ProviderRefused | None:
        """The error of a request to this address, if it leads to another host."""
        try:
            self._absolute(address)
        except ProviderRefused as error:
            return error
        return None

    def _absolute(self, address: str) -> httpx.URL:
        """The address of a request. Raises ProviderRefused for another host, scheme or port than the login's."""
        if "://" not in address:
            return httpx.URL(f"{self.login.address}/{address.lstrip('/')}")
        try:
            url = httpx.URL(address)
        except httpx.InvalidURL as error:
            raise ProviderRefused(
                Refusal.BAD_ADDRESS, f"{self._base.host} leads to a malformed address."
            ) from error
        if _place(url) != _place(self._base):
            raise ProviderRefused(
                Refusal.BAD_ADDRESS,
                f"{self._base.host} leads to {url.host}, which would get the token, so the service does not follow."
                " Check the address of the connection.",
            )
        return url

    def _once(self, method: str, url: httpx.URL, body: Any, headers: Mapping[str, str]) -> Answer:
        """One request with its redirects; a changed address of a GET stays within the host."""
        sent = {
            "Accept": "application/json",
            "Accept-Encoding": contents.ACCEPTED,
            "User-Agent": USER_AGENT,
            **self.login.headers,
            **headers,
        }
        stored = self.cache.find(str(url), sent["Accept"]) if method == "GET" else None
        if stored is not None:
            sent |= stored.conditions()
        for _ in range(MAX_REDIRECTS):
            answer = self._answer(method, url, body, sent)
            if answer.status == 304 and stored is not None:
                headers = {**stored.headers, **answer.headers}
                return Answer(200, str(url), headers, stored.body(), mark_of(stored.content))
            if answer.status not in REDIRECTS or method != "GET":
                break
            url = self._absolute(str(url.join(answer.headers.get("location", ""))))
        self._refuse(answer)
        if method == "GET":
            self.cache.store(str(url), sent["Accept"], answer.headers, answer.body)
        return answer

    def _answer(self, method: str, url: httpx.URL, body: Any, headers: Mapping[str, str]) -> Answer:
        content = bytearray()
        response = self.receive(
            self._send_once, method, url, body, headers, content.extend, most=MAX_ANSWER_BYTES
        )
        if stated := rate_limits.date_of(response.headers.get("date", "")):
            self.server_time = min(stated, self.now())
        return Answer(
            response.status_code,
            str(url),
            {name.lower(): self._hide(value) for name, value in response.headers.items()},
            self._parsed(response, bytes(content).strip()),
            mark_of(content),
        )

    def receive(
        self,
        sender: Connected,
        method: str,
        url: httpx.URL,
        body: Any,
        headers: Mapping[str, str],
        take: Callable[[bytes], object],
        *,
        most: int,
    ) -> httpx.Response:
        """The head of one answer. `take` gets the parts of its content. Raises as `get`, and UnsupportedTarget."""
        for budget in self._budgets:
            budget.refuse_late()
        self.requests += 1
        size, began = 0, time.monotonic()
        try:
            with sender.stream(
                method, url, json=body, headers=headers, seconds=self.answer_seconds or MAX_ANSWER_SECONDS
            ) as response:
                for part in contents.steps(response, contents.ACCEPTED):
                    size += len(part)
                    for budget in self._budgets:
                        budget.take_bytes(len(part))
                    if size > most:
                        limit = f"{most // 1024**2} megabytes"
                        message = f"{url.host} answers more than {limit} to one request."
                        raise ProviderRefused(Refusal.INVALID, message)
                    take(part)
        except httpx.TimeoutException as error:
            kind = type(error).__name__
            raise Transient(f"{url.host} did not answer in time ({kind}): try again later.") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise sender.explain(error, self.harmless(str(error))) from error
        finally:
            for budget in self._budgets:
                budget.take_seconds(time.monotonic() - began)
        return response

    def _parsed(self, response: httpx.Response, content: bytes) -> Any:
        if JSON.match(response.headers.get("content-type", "")):
            try:
                return bodies.parsed(content, self.login.secrets)
            except (ValueError, RecursionError) as error:
                raise Transient(f"{self._base.host} answers broken JSON: try again later.") from error
        # Azure DevOps answers 203 with a login page to a bad token; proxies answer 200 with theirs.
        if response.is_success and content:
            raise ProviderRefused(
                Refusal.BAD_ADDRESS,
                f"{self._base.host} answers a page instead of data: the address is none of an API, or a login page"
                " stands before it.",
                response.status_code,
            )
        return content[:300].decode("utf-8", "replace") if response.status_code == 429 else None

    def _refuse(self, answer: Answer) -> None:
        """Raise the error that a status stands for."""
        host = self._base.host
        codes = graphql_codes(answer.body)
        if self._limits.is_reached(answer) or codes & graphql_errors.LIMITS:
            wait = rate_limits.wait_of(answer.headers, self._limits, self.now())
            raise RateLimited(f"{host} limits requests for now.", wait)
        if refused := self._limits.refusal(answer):
            message = self.harmless(refused.message)
            raise ProviderRefused(refused.refusal, message, answer.status, answer.headers, answer.body)
        if answer.status in RETRIED:
            wait = rate_limits.retry_after(answer.headers, self.now())
            message = f"{host} answers {answer.status}: try again later."
            raise RateLimited(message, wait) if wait is not None else Transient(message, answer.status)
        if answer.status >= 300:
            self._raise(
                answer, refusals.BY_STATUS.get(answer.status, Refusal.INVALID), f"answers {answer.status}"
            )
        if codes and answer.body.get("data") is None:
            if graphql_errors.GAVE_UP.search(refusals.said(answer.body)):
                raise Transient(f"{host} gives up on a query: try again later.", 504)
            self._raise(answer, graphql_errors.refusal_of(codes), "refuses a query")

    def _raise(self, answer: Answer, refusal: Refusal, what: str) -> NoReturn:
        said = self.harmless(refusals.said(answer.body))
        message = f"{self._base.host} {what}{f': {said}' if said else ''}"
        raise ProviderRefused(refusal, message, answer.status, answer.headers, answer.body)

    def harmless(self, text: str) -> str:
        """A text of the provider without secrets and hidden characters, at most 300 characters."""
        for secret in filter(None, (*self.login.secrets, *self.login.headers.values())):
            # A short one may be part of a word by chance.
            is_word = "" if len(secret) >= MIN_SECRET_LENGTH else r"\b"
            text = re.sub(f"{is_word}{re.escape(secret)}{is_word}", "***", text)
        return shown(re.sub(r"(?<=://)[^/@\s']{1,2000}@", "", text), 300)


def _place(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host.lower(), url.port


def _pause(error: Transient, attempt: int) -> float:
    """Seconds until the next try: what the provider says, else exponential with full jitter."""
    if isinstance(error, RateLimited) and error.retry_after is not None:
        return max(error.retry_after, MIN_BACKOFF_SECONDS)
    return MIN_BACKOFF_SECONDS + random.uniform(0, 2.0**attempt)
