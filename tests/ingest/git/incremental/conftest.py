"""Runs that do not wait for the disk and may lose most commits of a small history."""

from __future__ import annotations

import pytest

from ingest.git import run as run_module
from ingest.lake import files as lake_files


@pytest.fixture(autouse=True)
def _fast_and_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk; histories this small may lose most of their commits."""
    for name in ("_fsync", "_fsync_folder"):
        monkeypatch.setattr(lake_files, name, lambda _: None)
    monkeypatch.setattr(run_module, "KEEP_AT_LEAST", 0)
