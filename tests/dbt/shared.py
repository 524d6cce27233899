"""Builds that several modules read, made once in a run of the tests, whichever worker asks first.

Modules are dealt to workers, and a session fixture exists once in each of them: a build of all models would take its
six processor seconds in both. Readers open a shared warehouse read-only, or it would be closed to the other worker.
"""

from __future__ import annotations

import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from ingest.locks import locked

Made = TypeVar("Made")


def made(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], Made]) -> Made:
    """The answer of `make` for a folder of this name. Workers that ask meanwhile wait for the first one."""
    base = factory.getbasetemp()
    # pytest-xdist gives each worker a folder below that of the run.
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"shared-{name}"
    kept = folder / "made.pickle"
    with locked(folder.with_suffix(".lock")):
        if not kept.exists():
            # Another worker may have failed half-way.
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            found = make(folder)
            kept.write_bytes(pickle.dumps(found))
        answer: Made = pickle.loads(kept.read_bytes())
    return answer
