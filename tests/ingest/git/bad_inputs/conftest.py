"""No test of bad inputs waits for the disk."""

import pytest


@pytest.fixture(autouse=True)
def _fast(fast_lake: None) -> None:
    pass
