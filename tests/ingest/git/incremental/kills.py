"""Stops an extraction at any touch of the lake's files or of a worker's result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fsspec.implementations.local import LocalFileSystem

from ingest.git import run as run_module
from ingest.git.changes.workers import read_commits


class Stop(BaseException):
    """Not an Exception, because no code can catch a kill."""


def kill_at(touch: int, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Stop the process at its n-th touch of the lake's files or of a worker's result. The result counts the touches."""
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        if done > touch:
            raise Stop

    def counted(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            count()
            return original(*arguments, **options)

        return call

    for name in ("makedirs", "_open", "mv", "rm"):
        monkeypatch.setattr(LocalFileSystem, name, counted(getattr(LocalFileSystem, name)))

    def counted_commits(*arguments: Any, **options: Any) -> Iterator[Any]:
        for result in read_commits(*arguments, **options):
            count()
            yield result

    monkeypatch.setattr(run_module, "read_commits", counted_commits)
    return lambda: done
