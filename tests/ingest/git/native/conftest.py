"""The compiled reader; tests of it are skipped where it could not be built."""

import pytest

from ingest.git import native
from ingest.git.changes.native_reading import NativeReader


@pytest.fixture(scope="session")
def reader() -> NativeReader:
    module = native.load("_changes")
    if module is None:
        pytest.skip(f"no compiled engine: {native.engine().reason}")
    return NativeReader(module)
