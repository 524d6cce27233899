"""A deployment that answers over gRPC and REST."""

import asyncio
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import grpc
import httpx
import pytest
from google.protobuf.json_format import MessageToDict
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

from api.app import services_of
from api.grpc.contract import Method, methods
from api.grpc.server import grpc_server
from api.settings import ApiSettings
from tests.api.conftest import Deployment, application, client_for

NAMES = {method.name: (path, method) for path, method in methods().items()}
"""The methods by their names, with the paths that clients call them by."""


class Client:
    """A client of gRPC with a credential, which knows the service by its published descriptors alone."""

    def __init__(self, channel: grpc.Channel, credential: str = "") -> None:
        self._channel = channel
        self._credential = credential

    def send(self, name: str, content: bytes) -> bytes:
        """The answer to these bytes. Raises grpc.RpcError."""
        call: Callable[..., bytes] = self._channel.unary_unary(NAMES[name][0])
        metadata = [("authorization", f"Bearer {self._credential}")] if self._credential else []
        return call(content, metadata=metadata, timeout=60)

    def ask(self, name: str, **fields: Any) -> Any:
        """The answer of a method. Raises grpc.RpcError."""
        method = NAMES[name][1]
        return method.answer.FromString(self.send(name, method.request(**fields).SerializeToString()))

    def refusal(self, name: str, **fields: Any) -> Status:
        """The google.rpc.Status with which a method refuses."""
        with pytest.raises(grpc.RpcError) as refused:
            self.ask(name, **fields)
        status = status_of(refused.value)
        assert status is not None
        return status


def status_of(error: grpc.RpcError) -> Status | None:
    """The status in the trailing metadata of an error, which is a call too."""
    return rpc_status.from_call(cast(grpc.Call, error))


@contextmanager
def speaking(data_dir: Path) -> Iterator[str]:
    """Address of a gRPC server over this directory, which runs in a thread to the end of the block."""
    settings = ApiSettings(EAS_DATA_DIR=data_dir, EAS_PASSWORD_MEMORY_KIB=8)
    started, told, ports = threading.Event(), asyncio.Event(), []
    loop = asyncio.new_event_loop()

    async def run() -> None:
        app = application()
        async with services_of(settings)(app) as state, grpc_server(app, state, "127.0.0.1:0") as port:
            ports.append(port)
            started.set()
            await told.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    try:
        assert started.wait(60)
        yield f"127.0.0.1:{ports[0]}"
    finally:
        loop.call_soon_threadsafe(told.set)
        thread.join()
        loop.close()


@pytest.fixture(scope="module")
def channel(published: Deployment) -> Iterator[grpc.Channel]:
    with speaking(published.data_dir) as address, grpc.insecure_channel(address) as made:
        yield made


@pytest.fixture(scope="module")
def key(published: Deployment) -> str:
    return published.key("grpc", scope="write")


@pytest.fixture(scope="module")
def caller(channel: grpc.Channel, key: str) -> Client:
    """A client with a key that may write."""
    return Client(channel, key)


@pytest.fixture(scope="module")
def client(address: str, key: str) -> Iterator[httpx.Client]:
    """A client of REST with the same key."""
    with client_for(address, key) as made:
        yield made


@pytest.fixture(scope="module")
def values(client: httpx.Client) -> dict[str, str]:
    """A value for each variable of a path: the id of the first item in the list above it."""
    found = {"organization": "acme"}
    for _, method in sorted(NAMES.values(), key=lambda one: one[1].path.count("/")):
        if method.verb != "get" or (above := re.fullmatch(r"(.*/(\w+))/{(\w+)}", method.path)) is None:
            continue
        path, items, variable = above.groups()
        if all(name in found for name in re.findall(r"{(\w+)}", path)):
            answer = client.get(path.format(**found))
            for item in answer.json().get(items, [])[:1] if answer.is_success else []:
                found[variable] = str(item.get("id") or item.get("sha") or item.get("number"))
    return found


def known_of(method: Method, values: dict[str, str]) -> dict[str, str]:
    """A value for each variable of the path of a method; one that names nothing where none is known."""
    return {one: values.get(one, "nothing" if "revision" not in one else "1") for one in method.variables}


def variables(method: Method, values: dict[str, str]) -> dict[str, Any]:
    """The variables of the path of a method, as far as `values` knows them."""
    fields = method.request.DESCRIPTOR.fields_by_name
    return {
        name: int(values[name]) if fields[name].type == fields[name].TYPE_INT32 else values[name]
        for name in method.variables
        if name in values
    }


def path_of(method: Method, values: dict[str, str]) -> str:
    """The address of REST with these values."""
    return method.path.format(**values)


def is_read(method: Method) -> bool:
    """Whether the method changes nothing."""
    return method.verb == "get"


def reads() -> list[str]:
    """The names of all methods that change nothing."""
    return sorted(name for name, (_, method) in NAMES.items() if is_read(method))


def without_nulls(value: Any) -> Any:
    """The same JSON without its nulls, which are unset fields in a message."""
    if isinstance(value, dict):
        return {key: without_nulls(one) for key, one in value.items() if one is not None}
    return [without_nulls(one) for one in value] if isinstance(value, list) else value


def shown(message: Any) -> Any:
    """A message as the JSON of REST without nulls."""
    return without_nulls(MessageToDict(message, always_print_fields_with_no_presence=True))
