"""The command line as a user runs it: a process of its own, a data directory of its own."""

from pathlib import Path

import pytest

from tests.end_to_end.eas import Eas


@pytest.fixture(scope="module")
def eas(tmp_path_factory: pytest.TempPathFactory) -> Eas:
    """A deployment shared by the tests of a module."""
    return Eas(tmp_path_factory.mktemp("deployment") / "data")


@pytest.fixture
def fresh_eas(tmp_path: Path) -> Eas:
    """A deployment for one test."""
    return Eas(tmp_path / "data")
