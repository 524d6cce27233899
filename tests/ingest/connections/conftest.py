"""The lake of one connection to the invented tracker."""

from pathlib import Path

import pytest

from ingest.lake import Lake, Source
from tests.ingest.connections.invented_tracker import CONNECTION, ORGANIZATION


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return Lake(tmp_path / "raw").source("trackers", ORGANIZATION, CONNECTION.id)
