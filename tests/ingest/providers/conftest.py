"""The lake of one connection to a Git host."""

from pathlib import Path

import pytest

from ingest.lake import Source
from ingest.providers.gitea.host import Gitea
from tests.ingest.connections.running import source_in


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """The place does not depend on the provider."""
    return source_in(tmp_path, Gitea())
