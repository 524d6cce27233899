"""The spool: nothing acknowledged is lost, nothing is loaded twice, and what is damaged is set aside."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

import orjson
import pytest

from ingest.lake import Lake, Source
from ingest.telemetry import loading, spool
from ingest.telemetry.spool import Spool

ORGANIZATION = "0190d3b0-0000-7000-8000-000000000001"
NOW = int(datetime(2026, 11, 2, 10, tzinfo=UTC).timestamp() * 1e6)


def line(key: str, **more: Any) -> bytes:
    row = {"event_key": key, "happened_at": NOW, "tool": "claude_code", "requests": 1, "is_error": False}
    row |= dict.fromkeys(("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens"), 1)
    return orjson.dumps(
        {"token_id": "t", "token_email": None, "received_at": NOW, "rows": {"requests": [row | more]}}
    )


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return Lake(str(tmp_path / "raw")).source("telemetry", ORGANIZATION, "_")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return loading.spool_folder(tmp_path) / ORGANIZATION


def keys(source: Source) -> list[str]:
    return list(source.read("requests").column("event_key").to_pylist())


def append_for_ever(data_dir: Path, acknowledged: Path) -> None:
    """A process that notes what was acknowledged, until it is killed."""
    written = Spool(loading.spool_folder(data_dir))
    with acknowledged.open("a") as notes:
        for number in range(10**9):
            key = f"{os.getpid()}-{number}"
            written.append(ORGANIZATION, line(key)).result()
            notes.write(f"{key}\n")
            notes.flush()


def load_for_ever(data_dir: Path) -> None:
    """A process that loads, until it is killed."""
    source = Lake(str(data_dir / "raw")).source("telemetry", ORGANIZATION, "_")
    while True:
        loading.load(source, data_dir)


def started(work: Callable[..., None], *arguments: Any) -> SpawnProcess:
    process = multiprocessing.get_context("spawn").Process(target=work, args=arguments)
    process.start()
    return process


def kill(process: SpawnProcess) -> None:
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()


def wait_until(holds: Callable[[], bool]) -> None:
    ends = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_what_killed_processes_acknowledged_is_in_the_lake_once(
    tmp_path: Path, source: Source, folder: Path
) -> None:
    notes = tmp_path / "acknowledged"
    loader, writer = started(load_for_ever, tmp_path), started(append_for_ever, tmp_path, notes)
    wait_until(lambda: source.state().batch >= 3)
    kill(loader)
    lines = len(notes.read_text().split())
    wait_until(lambda: len(notes.read_text().split()) > lines + 20)
    kill(writer)
    loading.load(source, tmp_path)
    acknowledged = notes.read_text().split()
    found = keys(source)
    assert sorted(found) == sorted(set(found))
    assert set(acknowledged) <= set(found)
    # A line that was on the disk before its answer may be there too.
    assert len(set(found) - set(acknowledged)) <= 1
    assert list(folder.iterdir()) == []


def test_a_run_that_is_killed_after_its_commit_loads_nothing_again(
    tmp_path: Path, source: Source, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = Spool(loading.spool_folder(tmp_path))
    written.append(ORGANIZATION, line("a")).result()
    with monkeypatch.context() as patch:
        patch.setattr(loading, "_put_away", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            loading.load(source, tmp_path)
    written.append(ORGANIZATION, line("b")).result()
    assert loading.load(source, tmp_path).rows["requests"] == 1
    assert keys(source) == ["a", "b"]
    assert list(folder.iterdir()) == []
    written.close()


def test_requests_at_the_same_time_share_a_write_and_all_get_their_answer(
    tmp_path: Path, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    syncs: list[int] = []

    def slow(descriptor: int) -> None:
        time.sleep(0.01)
        syncs.append(descriptor)

    monkeypatch.setattr(os, "fdatasync", slow)
    written = Spool(loading.spool_folder(tmp_path))
    waiting: list[Future[None]] = []
    threads = [
        threading.Thread(target=lambda n=n: waiting.append(written.append(ORGANIZATION, line(str(n)))))
        for n in range(100)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in waiting:
        one.result(timeout=10)
    written.close()
    assert len(syncs) < 50
    loading.load(source, tmp_path)
    assert sorted(keys(source), key=int) == [str(n) for n in range(100)]


def test_a_damaged_line_is_set_aside_and_the_others_are_loaded(
    tmp_path: Path, source: Source, folder: Path
) -> None:
    written = Spool(loading.spool_folder(tmp_path))
    for key in ("a", "b", "c"):
        written.append(ORGANIZATION, line(key)).result()
    written.close()
    [segment] = spool.pending(folder)
    content = segment.read_bytes()
    # A flipped byte, and the end of a write that was never acknowledged.
    segment.write_bytes(content.replace(b'"event_key":"b"', b'"event_key":"x"') + content[:40])
    loaded = loading.load(source, tmp_path)
    assert (loaded.rows["requests"], loaded.damaged_segments) == (2, 1)
    assert keys(source) == ["a", "c"]
    assert spool.pending(folder) == []
    assert len(spool.damaged(folder)) == 1


def test_a_failed_write_is_told_and_leaves_no_half_line(
    tmp_path: Path, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = Spool(loading.spool_folder(tmp_path))
    written.append(ORGANIZATION, line("a")).result()
    original = os.write

    def full(descriptor: int, content: bytes) -> int:
        if b'"event_key":"b"' in content:
            original(descriptor, content[:10])
            raise OSError(28, "No space left on device")
        return original(descriptor, content)

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        written.append(ORGANIZATION, line("b")).result()
    written.append(ORGANIZATION, line("c")).result()
    written.close()
    loaded = loading.load(source, tmp_path)
    assert (sorted(keys(source)), loaded.damaged_segments) == (["a", "c"], 0)


def test_a_large_spool_is_loaded_in_several_commits_whose_rows_are_all_there(
    tmp_path: Path, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "MAX_SEGMENT", 2_000)
    monkeypatch.setattr(loading, "ROWS_PER_COMMIT", 20)
    written = Spool(loading.spool_folder(tmp_path))
    for number in range(100):
        written.append(ORGANIZATION, line(f"{number:03d}")).result()
    written.close()
    assert loading.load(source, tmp_path).rows["requests"] == 100
    assert source.state().batch > 3
    assert sorted(keys(source)) == [f"{number:03d}" for number in range(100)]


def test_what_another_release_wrote_is_loaded_without_the_columns_that_are_gone(
    tmp_path: Path, source: Source
) -> None:
    written = Spool(loading.spool_folder(tmp_path))
    written.append(ORGANIZATION, line("a", colour="red")).result()
    written.close()
    loading.load(source, tmp_path)
    assert keys(source) == ["a"]


@pytest.mark.parametrize("what", ["a file", "a file of the same size", "the state", "the mark of a build"])
def test_damage_in_the_lake_costs_only_what_is_damaged(tmp_path: Path, source: Source, what: str) -> None:
    written = Spool(loading.spool_folder(tmp_path))
    for key in ("a", "b"):
        written.append(ORGANIZATION, line(key)).result()
        loading.load(source, tmp_path)
    [first, _] = sorted((tmp_path / "raw").glob("telemetry/requests/*/*/0*.parquet"))
    content = first.read_bytes()
    if what == "a file":
        first.write_bytes(content[:-20])
    elif what == "a file of the same size":
        first.write_bytes(content[:40] + b"\xff" * 8 + content[48:])
    elif what == "the state":
        [state] = (tmp_path / "raw").glob("_state/telemetry/*/_.json")
        state.write_text("{}x")
    else:
        source.mark_damaged("a build found it")
    written.append(ORGANIZATION, line("c")).result()
    written.close()
    loaded = loading.load(source, tmp_path, thorough=True)
    kept = ["b", "c"] if what.startswith("a file") else ["a", "b", "c"]
    assert sorted(keys(source)) == kept
    assert loaded.damaged_files == (1 if what.startswith("a file") else 0)
    assert source.damage() == []
    aside = [path.read_bytes() for path in (tmp_path / "raw" / "set-aside").rglob("*.parquet")]
    assert len(aside) == loaded.damaged_files
