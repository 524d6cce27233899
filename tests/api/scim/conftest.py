"""An organization with an owner, and a server that its directory provisions."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from api.control.store import ControlStore, open_store
from tests.api.conftest import serving
from tests.api.people import Clock
from tests.api.published_facts import ORGANIZATION
from tests.api.scim.directories import directory_client, token_for, with_owner


@pytest.fixture(scope="module")
def now() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scim")


@pytest.fixture(scope="module")
def kept(data_dir: Path, now: Clock) -> Iterator[ControlStore]:
    opened = open_store(data_dir, now=now)
    opened.ensure_organization("Acme", organization_id=ORGANIZATION, slug="acme")
    with_owner(opened, ORGANIZATION)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def served(kept: ControlStore, data_dir: Path, now: Clock) -> Iterator[str]:
    with serving(data_dir, now=now) as address:
        yield address


@pytest.fixture(scope="module")
def directory(served: str, kept: ControlStore) -> Iterator[httpx.Client]:
    with directory_client(served, token_for(kept, ORGANIZATION)) as client:
        yield client
