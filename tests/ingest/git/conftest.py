"""An extraction of the test's repository, a lake that does not wait for the disk, and both engines."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.git import native
from ingest.lake import files as lake_files
from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction

# What reads changed files runs once with the engine that users have and once with Python. Left out: objects, messages
# and addresses, which no engine reads, and processes that are killed or limited.
BOTH_ENGINES = frozenset(
    f"test_{name}"
    for name in (
        "change_reader", "classifier", "content_identity", "deliveries", "emptied_branch", "extract", "files",
        "fix_context", "growth", "ownership", "replay", "runs",
    )
)  # fmt: skip


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.module.__name__.rpartition(".")[2] in BOTH_ENGINES:
        metafunc.fixturenames.append("engine")
        metafunc.parametrize("engine", ["auto", "python"], indirect=True, scope="module")


@pytest.fixture(scope="module")
def engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """The engine of the extraction, for the tests of a module."""
    chosen: str = request.param
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(native.ENGINE, chosen)
        if chosen == "auto" and native.engine().name == "python":
            pytest.skip(f"no compiled engine: {native.engine().reason}")
        yield chosen


@pytest.fixture
def fast_lake(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_fsync", "_fsync_folder"):
        monkeypatch.setattr(lake_files, name, lambda _: None)


@pytest.fixture
def extraction(tmp_path: Path, repository: GitRepository) -> Extraction:
    return Extraction(repository.path, tmp_path / "raw")
