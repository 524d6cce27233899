"""Comparison of an extraction with Git, and damage to loose objects."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.benchmarks.reading.oracles import (
    delivery_agreement,
    merge_agreement,
    numstat_agreement,
    reachability_agreement,
)
from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction


def assert_as_git(extraction: Extraction, *, has_merges: bool = False) -> None:
    checks = [numstat_agreement, reachability_agreement, delivery_agreement]
    for check in [*checks, *([merge_agreement] if has_merges else [])]:
        found = check(extraction.facts, extraction.git)
        assert found.equal == found.total, (found.name, found.differences)


def git(path: Path, *arguments: str) -> str:
    command = ["git", "-C", str(path), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def damage(repository: GitRepository, sha: str, content: bytes | None) -> bytes:
    """Replace the file of a loose object (None removes it). Returns its former content."""
    file = repository.git_dir / "objects" / sha[:2] / sha[2:]
    before = file.read_bytes()
    file.unlink()
    if content is not None:
        file.write_bytes(content)
    return before
