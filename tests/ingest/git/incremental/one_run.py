"""Compares an extraction in several runs with one run over everything, by each engine."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ingest.git import run as run_module
from tests.ingest.git.engines import run_with_both
from tests.ingest.git.extraction import Extraction, current, differences


def batches_of(monkeypatch: pytest.MonkeyPatch, commits: int) -> None:
    monkeypatch.setattr(run_module, "BATCH_COMMITS", commits)


def assert_as_one_run(extraction: Extraction, folder: Path, log: object = None) -> None:
    """Compares with a run over everything into an empty lake, which both engines write alike."""
    whole = Extraction(extraction.repository, folder / "whole" / "raw")
    run_with_both(whole)
    found = differences(current(whole.all_rows()), current(extraction.all_rows()))
    assert not found, (found, log)
    shutil.rmtree(folder / "whole")
