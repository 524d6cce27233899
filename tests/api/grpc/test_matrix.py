"""The authorization matrix over gRPC and through Envoy: each caller is let in or refused as over REST, in its words."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest

from api.callers.access import Public
from api.grpc.contract import Method
from tests.api.callers import test_access
from tests.api.callers.test_access import ROUTES, Tried, expected
from tests.api.conftest import client_for
from tests.api.grpc.conftest import NAMES, Client, path_of, speaking, status_of, variables
from tests.api.grpc.envoy import SHIPPED, envoy_running
from tests.suite.tiers import IS_WHOLE

data_dir, store, address, callers = (
    test_access.data_dir,
    test_access.store,
    test_access.address,
    test_access.callers,
)
_key = test_access._key
PLACES = re.compile(r"{\w+}")
BY_REQUEST = {(tried.method.lower(), PLACES.sub("{}", tried.path)): tried for tried in ROUTES}
# Of some thirty callers each method tries these many in `make test`, other ones from method to method.
EVERY = 1 if IS_WHOLE else 9


@pytest.fixture(scope="module")
def spoken(data_dir: Path, callers: dict[str, str]) -> Iterator[str]:
    with speaking(data_dir) as made:
        yield made


@pytest.fixture(scope="module")
def channel(spoken: str) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(spoken) as made:
        yield made


@pytest.fixture(scope="module")
def through(spoken: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of the Envoy in front of gRPC."""
    folder = tmp_path_factory.mktemp("envoy")
    port = spoken.rpartition(":")[2]
    with envoy_running(SHIPPED, folder, port) as front, client_for(f"http://{front}") as made:
        yield made


@pytest.fixture(scope="module")
def rest(address: str) -> Iterator[httpx.Client]:
    with client_for(address) as made:
        yield made


def tried_of(name: str) -> Tried:
    method = NAMES[name][1]
    return BY_REQUEST[method.verb, PLACES.sub("{}", method.path)]


def test_every_method_is_a_route_of_rest() -> None:
    assert len({tried_of(name).path + tried_of(name).method for name in NAMES}) == len(NAMES)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_each_caller_is_let_in_or_refused_as_over_rest(
    channel: grpc.Channel,
    rest: httpx.Client,
    through: httpx.Client,
    callers: dict[str, str],
    name: str,
) -> None:
    method, tried = NAMES[name][1], tried_of(name)
    everyone = [("", ""), *callers.items()]
    for caller, credential in everyone[sorted(NAMES).index(name) % EVERY :: EVERY]:
        # A caller with the right would change something.
        if method.verb != "get" and (tried.declared is None or not refused(tried, caller)):
            continue
        values = dict.fromkeys(method.variables, "nothing") | {"organization": "acme", "revision": "1"}
        told = refusal(rest, method, values, credential)
        assert outcome(Client(channel, credential), name, variables(method, values)) == told, caller
        assert refusal(through, method, values, credential) == told, caller


def refusal(
    client: httpx.Client, method: Method, values: dict[str, str], credential: str
) -> tuple[int, str] | None:
    """Code and message of a refusal over HTTP; none for an answer."""
    answer = client.request(
        method.verb.upper(),
        path_of(method, values),
        headers={"Authorization": f"Bearer {credential}"} if credential else {},
        json=None if method.verb == "get" else {},
    )
    return None if answer.is_success else (answer.json()["code"], answer.json()["message"])


def outcome(client: Client, name: str, fields: dict[str, Any]) -> tuple[int, str] | None:
    """Code and message of a refusal; none for an answer."""
    try:
        client.ask(name, **fields)
    except grpc.RpcError as error:
        status = status_of(error)
        return (status.code, status.message) if status else (-1, str(error))
    return None


def refused(tried: Tried, caller: str) -> bool:
    """Whether REST lets the caller nowhere, by the specification; a public route lets everybody in."""
    return (
        tried.declared is not None
        and not isinstance(tried.declared, Public)
        and expected(tried.declared, caller) != 200
    )
