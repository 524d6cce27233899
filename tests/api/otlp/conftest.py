"""A server that receives telemetry, and a lake for each test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from api.control.store import ControlStore
from api.control.telemetry.ingest_tokens import create_ingest_token
from ingest.lake import Lake
from ingest.telemetry import loading
from tests.api.empty_organization import address, data_dir, store
from tests.api.published_facts import ORGANIZATION

__all__ = ["address", "data_dir", "store"]

Rows = Callable[[str], list[dict[str, Any]]]


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
