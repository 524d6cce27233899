"""Modules of the product, and the sources of its compiled half, stay short enough to be read in one go."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ingest.settings import CHECKOUT

MAX_LINES = 320
SUFFIXES = {".py", ".pyx", ".pxi"}


def test_no_source_has_more_lines_than_one_reads_in_one_go() -> None:
    folders = ["api", "dbt_project", "ingest", "orchestration"]
    listed = subprocess.run(
        ["git", "ls-files", *folders], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    sources = [Path(name) for name in listed.stdout.splitlines() if Path(name).suffix in SUFFIXES]
    assert {path.suffix for path in sources} == SUFFIXES
    lengths = {
        str(path): len((CHECKOUT / path).read_text().splitlines())
        for path in sources
        if (CHECKOUT / path).exists()
    }
    assert {path: lines for path, lines in lengths.items() if lines > MAX_LINES} == {}
