"""An organization without a published build, for a module of its own, and a server over it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from api.control.store import ControlStore, open_store
from tests.api.conftest import serving
from tests.api.published_facts import ORGANIZATION


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("empty")


@pytest.fixture(scope="module")
def store(data_dir: Path) -> ControlStore:
    """The organization `acme`, of which nothing can be read yet."""
    store = open_store(data_dir)
    store.ensure_organization("Acme", organization_id=ORGANIZATION, slug="acme")
    return store


@pytest.fixture(scope="module")
def address(store: ControlStore, data_dir: Path) -> Iterator[str]:
    with serving(data_dir) as served:
        yield served
