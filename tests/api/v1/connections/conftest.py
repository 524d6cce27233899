"""A Git host that answers requests of the service inside of this process."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

import httpx
import pytest

from tests.api.conftest import Deployment, client_for

# Nobody's (RFC 5737): nothing is resolved, and a request that passes the fake by fails.
HOST = "203.0.113.9"
ADDRESS = f"https://{HOST}"
TOKEN = "t0ken-that-nobody-may-see"


@dataclass
class FakeHost:
    """The answers of a Gitea: one account whose token is `TOKEN`, unless `refusal` stands in front."""

    refusal: Callable[[], httpx.Response] | None = None
    requests: list[httpx.Request] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if self.refusal is not None:
            return self.refusal()
        if request.url.path.endswith("/version"):
            return httpx.Response(200, json={"version": "1.25.0"})
        if request.headers.get("authorization") != f"token {TOKEN}":
            return httpx.Response(401, json={"message": "invalid username, password or token"})
        return httpx.Response(200, json={"login": "ada"})


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> FakeHost:
    """The host behind `ADDRESS`; other requests go over the network."""
    fake, real = FakeHost(), httpx.HTTPTransport.handle_request

    def handle(self: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        if request.url.host != HOST:
            return real(self, request)
        return httpx.MockTransport(fake).handle_request(request)

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", handle)
    return fake


@pytest.fixture
def served(
    deployment: Deployment, host: FakeHost, serve: Callable[..., AbstractContextManager[str]]
) -> Iterator[str]:
    """The address of a service that may reach the fake host."""
    with serve(deployment.data_dir, EAS_PRIVATE_HOSTS=HOST) as address:
        yield address


@pytest.fixture
def admin(deployment: Deployment, served: str) -> Iterator[httpx.Client]:
    """A client that may change connections."""
    key = deployment.key("admin", scope="write")
    with client_for(served, key) as made:
        yield made
