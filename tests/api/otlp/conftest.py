"""A server that receives telemetry, and a lake for each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from api.control.store import ControlStore, open_store
from api.control.telemetry.ingest_tokens import create_ingest_token
from ingest.lake import Lake
from ingest.telemetry import loading
from tests.api.conftest import serving
from tests.api.published_facts import ORGANIZATION

Rows = Callable[[str], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("telemetry")


@pytest.fixture(scope="module")
def store(data_dir: Path) -> ControlStore:
    store = open_store(data_dir)
    store.ensure_organization("Acme", organization_id=ORGANIZATION, slug="acme")
    return store


@pytest.fixture(scope="module")
def address(store: ControlStore, data_dir: Path) -> Iterator[str]:
    with serving(data_dir) as served:
        yield served


@pytest.fixture(scope="module")
def key(store: ControlStore) -> str:
    return create_ingest_token(store, "acme", "laptops", developer_email="Ada@Houses.dev").key


@pytest.fixture
def lake(data_dir: Path, tmp_path: Path) -> Rows:
    """What the spool holds, as rows of a lake of this test alone; what was sent before the test is not in it."""
    source = Lake(str(tmp_path / "raw")).source("telemetry", ORGANIZATION, "_")
    loading.load(Lake(str(tmp_path / "before")).source("telemetry", ORGANIZATION, "_"), data_dir)

    def rows(table: str) -> list[dict[str, Any]]:
        loading.load(source, data_dir)
        return list(source.read(table).to_pylist())

    return rows
