"""Extraction continues from a default branch without any file."""

from pathlib import Path

import pytest

from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction


@pytest.mark.parametrize("first", [{}, {"a.py": "one = area(1)\n"}], ids=["begins empty", "is emptied"])
def test_extraction_goes_on_after_a_delivery_that_leaves_no_file(
    tmp_path: Path, repository: GitRepository, first: dict[str, str]
) -> None:
    repository.commit(first)
    repository.commit(dict.fromkeys(first))
    extraction = Extraction(repository.path, tmp_path / "raw")
    extraction.run()
    repository.commit({"b.py": "two = area(2)\n"})
    assert extraction.run().commits_new == 1
