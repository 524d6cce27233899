"""A browser of the tests: cookies, redirects, and an application behind a name with https."""

import ssl
from functools import cache
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

import httpx

APP = "https://eas.example"


@cache
def _trusting(authority: str | None) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=authority)


class _Named(httpx.BaseTransport):
    """Sends requests to `APP` to the server of the test, as a proxy with TLS would, and others where they lead."""

    def __init__(self, address: str, authority: str | None) -> None:
        self._inside = httpx.HTTPTransport(verify=_trusting(None))
        self._outside = httpx.HTTPTransport(verify=_trusting(authority))
        self._address = httpx.URL(address)

    def close(self) -> None:
        self._inside.close()
        self._outside.close()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.host != urlsplit(APP).hostname:
            return self._outside.handle_request(request)
        url = request.url.copy_with(scheme="http", host=self._address.host, port=self._address.port)
        sent = httpx.Request(request.method, url, headers=request.headers, content=request.read())
        return self._inside.handle_request(sent)


class Browser:
    """One browser. `seen` are all addresses that it opened, as its history and logs on the way have them."""

    # Those that the present test opened; its end closes them (conftest.py).
    opened: ClassVar[list["Browser"]] = []

    def __init__(self, address: str, authority: str | None = None) -> None:
        self.opened.append(self)
        self.address, self.authority = address, authority
        self.http = httpx.Client(transport=_Named(address, authority), timeout=30, trust_env=False)
        self.seen: list[str] = []

    def post(self, path: str, body: Any, session: str | None = None) -> httpx.Response:
        """A request of a page of the application."""
        headers = {"Authorization": f"Bearer {session}"} if session else {}
        return self.http.post(f"{APP}{path}", json=body, headers=headers)

    def open(self, address: str) -> httpx.Response:
        """Open an address, without following it."""
        self.seen.append(address)
        return self.http.get(address)

    def follow(self, address: str, *, until: str) -> str:
        """Open an address and what it redirects to, until one starts so, which is not opened."""
        for _ in range(20):
            if address.startswith(until):
                return address
            answer = self.open(address)
            assert answer.is_redirect, (address, answer.status_code, answer.text)
            address = str(httpx.URL(address).join(answer.headers["location"]))
        raise AssertionError(f"too many redirects: {self.seen}")

    def begin(self, provider: str, **more: Any) -> str:
        """The address of the provider for a new sign-in."""
        answer = self.post("/auth/startSignIn", {"provider": provider, **more})
        assert answer.status_code == 200, answer.text
        return str(answer.json()["authorizationUrl"])

    def way(self, provider: str, **more: Any) -> str:
        """The address of the callback with which a provider sends the browser back."""
        return self.follow(self.begin(provider, **more), until=f"{APP}/auth/callback/")

    def complete(self, callback: str) -> httpx.Response:
        """The answer with the session, after a callback that succeeds."""
        answer = self.open(callback)
        assert answer.status_code == 303, answer.text
        address = answer.headers["location"]
        self.seen.append(address)
        assert address.startswith(f"{APP}/signedIn#")
        return self.post("/auth/completeSignIn", {"code": urlsplit(address).fragment})

    def sign_in(self, provider: str, **more: Any) -> dict[str, Any]:
        """A session by a provider."""
        answer = self.complete(self.way(provider, **more))
        assert answer.status_code == 200, answer.text
        body: dict[str, Any] = answer.json()
        return body

    def get(self, path: str, session: str) -> httpx.Response:
        """Read with a session."""
        return self.http.get(f"{APP}{path}", headers={"Authorization": f"Bearer {session}"})


def other_browser(browser: Browser) -> Browser:
    """A browser of somebody else at the same server."""
    return Browser(browser.address, browser.authority)


def parameter(address: str, name: str) -> str:
    """A parameter of an address."""
    [value] = parse_qs(urlsplit(address).query)[name]
    return value


def with_parameter(address: str, **changes: str) -> str:
    """The address with other parameters."""
    return str(httpx.URL(address).copy_merge_params(changes))
