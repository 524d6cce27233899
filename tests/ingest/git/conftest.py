"""An extraction of the test's repository, a lake that does not wait for the disk, and both engines."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.git import native
from ingest.lake import files as lake_files
from tests.git_repository import GitRepository
from tests.ingest.git.engines import run_with_both
from tests.ingest.git.extraction import Extraction

# Each run of an extraction reads with both engines and compares the lakes (engines.py). Left out: messages, refs,
# deliveries and addresses, which no engine reads, and tests that stop, damage or lock a run, which choose an engine
# for each run themselves.
BOTH_IN_A_RUN = frozenset(
    f"test_{name}"
    for name in (
        "checkouts", "classifier", "commits", "content_identity", "damaged_objects", "emptied_branch", "extract",
        "files", "fix_context", "growth", "limits", "replay",
    )
)  # fmt: skip
# Readers that are asked without a lake: every test runs once with each engine.
BOTH_IN_TURN = frozenset({"test_change_reader", "test_ownership", "test_trees"})


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.module.__name__.rpartition(".")[2] in BOTH_IN_TURN:
        metafunc.fixturenames.append("engine")
        metafunc.parametrize("engine", ["auto", "python"], indirect=True, scope="module")


@pytest.fixture(scope="module")
def engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """The engine of the extraction, for the tests of a module."""
    chosen: str = request.param
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(native.ENGINE, chosen)
        if chosen != "python" and native.engine().name == "python":
            pytest.skip(f"no compiled engine: {native.engine().reason}")
        yield chosen


@pytest.fixture(scope="module", autouse=True)
def _both_engines(request: pytest.FixtureRequest) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        if request.module.__name__.rpartition(".")[2] in BOTH_IN_A_RUN:
            patched.setattr(Extraction, "run", run_with_both)
        yield


@pytest.fixture
def fast_lake(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_fsync", "_fsync_folder"):
        monkeypatch.setattr(lake_files, name, lambda _: None)


@pytest.fixture
def extraction(tmp_path: Path, repository: GitRepository) -> Extraction:
    return Extraction(repository.path, tmp_path / "raw")
