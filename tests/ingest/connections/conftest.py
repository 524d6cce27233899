"""The lake of one connection to the invented tracker, and every kind of connection with its invented server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.lake import Lake, Source
from tests.ingest.connections.cases import CASES, NAMES, Case
from tests.ingest.connections.invented_tracker import CONNECTION, ORGANIZATION


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return Lake(tmp_path / "raw").source("trackers", ORGANIZATION, CONNECTION.id)


@pytest.fixture(scope="module", params=CASES, ids=NAMES)
def case(request: pytest.FixtureRequest) -> Iterator[Case]:
    """Each kind of connection, with pages as short as its case says."""
    found: Case = request.param
    with pytest.MonkeyPatch.context() as patch:
        for place, name, value in found.patches:
            patch.setattr(place, name, value)
        yield found
