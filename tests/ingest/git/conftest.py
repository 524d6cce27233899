"""An extraction of the test's repository, and a lake that does not wait for the disk."""

from pathlib import Path

import pytest

from ingest.lake import files as lake_files
from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction


@pytest.fixture
def fast_lake(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_fsync", "_fsync_folder"):
        monkeypatch.setattr(lake_files, name, lambda _: None)


@pytest.fixture
def extraction(tmp_path: Path, repository: GitRepository) -> Extraction:
    return Extraction(repository.path, tmp_path / "raw")
