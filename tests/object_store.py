"""A real S3 server on this machine, as an object store of a lake."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count

import boto3
import pytest
import s3fs
from moto.server import ThreadedMotoServer

_NUMBERS = count(1)


@dataclass(frozen=True)
class ObjectStore:
    """A bucket of the server, with the environment in which s3fs finds it."""

    bucket: str
    environment: dict[str, str]

    @property
    def url(self) -> str:
        """The address of a lake in the bucket."""
        return f"s3://{self.bucket}/raw"


@contextmanager
def served_store() -> Iterator[str]:
    """A server to the end of the block. Yields its address."""
    # A line for each request would be kept with each test.
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    try:
        yield f"http://{host}:{port}"
    finally:
        server.stop()


@pytest.fixture(scope="module")
def store_address() -> Iterator[str]:
    """The server of the tests of a module, by its address."""
    with served_store() as address:
        yield address


@pytest.fixture
def store(store_address: str, monkeypatch: pytest.MonkeyPatch) -> ObjectStore:
    """A bucket of its own for a test."""
    return new_bucket(store_address, monkeypatch)


def new_bucket(address: str, monkeypatch: pytest.MonkeyPatch) -> ObjectStore:
    """A new bucket, and variables of this process that lead to its server."""
    environment = {
        "AWS_ENDPOINT_URL": address,
        "AWS_ACCESS_KEY_ID": "key-of-tests",
        "AWS_SECRET_ACCESS_KEY": "secret-of-tests",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    # It keeps clients by their arguments, which do not name the server.
    s3fs.S3FileSystem.clear_instance_cache()
    store = ObjectStore(f"bucket-{next(_NUMBERS)}", environment)
    boto3.client("s3").create_bucket(Bucket=store.bucket)
    return store
