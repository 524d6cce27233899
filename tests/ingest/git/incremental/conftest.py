"""Runs that do not wait for the disk and may lose most commits of a small history."""

import pytest

from ingest.git import run as run_module


@pytest.fixture(autouse=True)
def _fast_and_small(fast_lake: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "KEEP_AT_LEAST", 0)
