"""Copies and downloads that break off, and copies that must not hold up the rest. test_copies.py has the others."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import aiohttp
import fsspec
import pytest
from rich.console import Console

from api.snapshot import fetching as api_fetching
from api.snapshot.fetching import Fetching
from orchestration.commands import repairs
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.publishing import copies, snapshot
from orchestration.runtime.terminal import Watcher
from orchestration.state import snapshot_files
from tests.orchestration.publishing.test_copies import ORGANIZATION, look, objects, publish


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder in the place of an object store."""
    url = str(tmp_path / "store")
    Path(url).mkdir()
    monkeypatch.setenv(copies.TARGET, url)
    return url


def killed(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def files() -> fsspec.AbstractFileSystem:
    """The file system of the store in this process."""
    return fsspec.filesystem("file")


def test_a_publisher_that_was_killed_does_not_stop_the_other_one(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, there = tmp_path / "first", tmp_path / "second", tmp_path / "there"
    publish(first, "A")
    with monkeypatch.context() as patch:
        patch.setattr(copies, "_prune", killed)
        with pytest.raises(KeyboardInterrupt):
            publish(second, "B")
    assert look(target, there) == "B"
    for _ in range(2):
        copies.mirror(first, ORGANIZATION)
        assert copies.compare(first, ORGANIZATION).is_current
        assert look(target, there) == "A"
        assert objects(target) == ["000000000003-A.json", "A.duckdb"]


def test_what_a_killed_copy_left_goes_with_the_next_one(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have rows of a person who is erased meanwhile."""
    here = tmp_path / "here"
    publish(here, "b1")
    with monkeypatch.context() as patch:
        patch.setattr(type(files()), "pipe_file", killed)
        with pytest.raises(KeyboardInterrupt):
            publish(here, "b2")
    assert "b2.duckdb" in objects(target)
    publish(here, "b3", copied=False)
    snapshot.remove_replaced(here, ORGANIZATION)
    copies.mirror(here, ORGANIZATION)
    assert objects(target) == ["000000000002-b3.json", "b3.duckdb"]


@pytest.mark.parametrize("error", [aiohttp.ClientPayloadError("not enough data"), RuntimeError("unknown")])
def test_a_download_that_breaks_off_ends_no_look(
    target: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    publish(here, "b1")
    look(target, there)
    publish(here, "b2")

    def broken(_: object, __: str, place: str, **___: object) -> None:
        Path(place).write_bytes(b"half of it")
        raise error

    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING, "api.snapshot.fetching"):
        patch.setattr(type(files()), "get_file", broken)
        assert look(target, there) == "b1"
    assert str(error) in caplog.text
    # Only of an unknown error.
    assert ("Traceback" in caplog.text) is isinstance(error, RuntimeError)
    assert not list(there.rglob("*.fetched"))
    assert look(target, there) == "b2"


def test_an_api_can_end_while_it_downloads(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(tmp_path / "here", "b1")
    threads: list[threading.Thread] = []
    has_begun, may_end = threading.Event(), threading.Event()

    def slow(*_: object, **__: object) -> None:
        threads.append(threading.current_thread())
        has_begun.set()
        may_end.wait(60)

    monkeypatch.setattr(api_fetching, "LOOKS_EVERY", 0.01)
    monkeypatch.setattr(type(files()), "get_file", slow)
    fetching = Fetching(target, tmp_path / "there")
    fetching.start()
    assert has_begun.wait(60)
    fetching.stop()
    # The end of a process waits for other threads.
    assert [one.daemon for one in threads] == [True]
    may_end.set()
    threads[0].join()


@pytest.mark.usefixtures("target")
def test_a_repair_goes_on_where_a_pointer_stays_damaged(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = deployment.settings.published_dir / LOCAL_ORGANIZATION
    folder.mkdir(parents=True)
    (folder / snapshot_files.POINTER).write_text("{broken")
    monkeypatch.setattr(repairs, "read_and_build", lambda *_, **__: None)
    [problem] = repairs._repair(deployment, Watcher(Console()))
    assert "is damaged" in problem.reason
