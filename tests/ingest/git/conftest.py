"""An extraction of the test's repository, a lake that does not wait for the disk, and both engines."""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest.git import native
from ingest.git.extract import ExtractionReport
from ingest.lake import files as lake_files
from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction

# What reads histories runs once with the engine that users have and once with Python. Left out: messages, refs and
# addresses, which no engine reads, and tests of processes, which choose an engine themselves where it matters.
BOTH_ENGINES = frozenset(
    f"test_{name}"
    for name in (
        "change_reader", "checkouts", "classifier", "commits", "content_identity", "damaged_objects", "deliveries",
        "emptied_branch", "extract", "files", "fix_context", "growth", "limits", "ownership", "replay", "runs", "trees",
    )
)  # fmt: skip
IN_TURNS = "in turns"
"""Python reads first, then the compiled engine, and so on, each from where the other stopped."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    module = metafunc.module.__name__.rpartition(".")[2]
    if module in BOTH_ENGINES:
        metafunc.fixturenames.append("engine")
        engines = ["auto", "python", *([IN_TURNS] if module == "test_growth" else [])]
        metafunc.parametrize("engine", engines, indirect=True, scope="module")


@pytest.fixture(scope="module")
def engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """The engine of the extraction, for the tests of a module."""
    chosen: str = request.param
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(native.ENGINE, "auto" if chosen == IN_TURNS else chosen)
        if chosen == IN_TURNS:
            patched.setattr(Extraction, "run", _alternate(Extraction.run))
        if chosen != "python" and native.engine().name == "python":
            pytest.skip(f"no compiled engine: {native.engine().reason}")
        yield chosen


def _alternate(run: Callable[..., ExtractionReport]) -> Callable[..., ExtractionReport]:
    """`Extraction.run` that reads with another engine each time, counted by lake."""
    runs = Counter[Path]()

    def run_in_turn(extraction: Extraction, *arguments: Any, **options: Any) -> ExtractionReport:
        os.environ[native.ENGINE] = ("python", "native")[runs[extraction.raw] % 2]
        runs[extraction.raw] += 1
        return run(extraction, *arguments, **options)

    return run_in_turn


@pytest.fixture
def fast_lake(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_fsync", "_fsync_folder"):
        monkeypatch.setattr(lake_files, name, lambda _: None)


@pytest.fixture
def extraction(tmp_path: Path, repository: GitRepository) -> Extraction:
    return Extraction(repository.path, tmp_path / "raw")
