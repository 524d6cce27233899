"""The sources of the compiled modules: their constants come from Python, and each names its oracle."""

from __future__ import annotations

import re
from pathlib import Path
from pydoc import locate

import pytest

from ingest.git import native
from ingest.git.classify import classifier
from ingest.git.native import constants

SOURCES = sorted(p for p in native.FOLDER.rglob("*") if p.suffix in (".pyx", ".pxi"))
WRITTEN = [path for path in SOURCES if path != constants.path()]
NAMES = re.findall(r"(?:^    |uint64_t )([A-Z_]+) = ", constants.text(), re.MULTILINE)


def test_the_constants_are_those_of_the_python_modules() -> None:
    """`python -m ingest.git.native.build` writes the file anew."""
    assert constants.path().read_text() == constants.text()


def test_a_number_that_changes_in_python_makes_the_constants_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classifier, "MAX_RANK", classifier.MAX_RANK + 1)
    assert constants.path().read_text() != constants.text()
    assert f"MAX_RANK = {classifier.MAX_RANK}\n" in constants.text()


def test_a_build_writes_old_constants_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "FOLDER", tmp_path)
    for old in (None, "cdef enum:\n    MAX_RANK = 9\n"):
        if old is not None:
            constants.path().write_text(old)
        constants.refresh()
        assert constants.path().read_text() == constants.text()


def test_no_source_has_a_constant_of_its_own_that_python_has_too() -> None:
    assert len(NAMES) == len(set(NAMES)) > 30
    written = "".join(path.read_text() for path in WRITTEN)
    assert [name for name in NAMES if re.search(rf"^\s+{name}(?: = |,|$)", written, re.MULTILINE)] == []


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_a_source_names_the_python_that_says_the_same(path: Path) -> None:
    """A sentence after `Oracle:` or `Oracles:` names modules below `ingest.git`, or what Python itself has."""
    found = re.search(r"Oracles?: (.*?)\.\s", path.read_text(), re.DOTALL)
    assert found
    names = re.findall(r"`([\w.]+)`", found[1])
    assert names
    assert [name for name in names if locate(f"ingest.git.{name}") is None and locate(name) is None] == []
