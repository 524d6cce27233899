"""Readers end at their limits, with their workers, and other repositories are read."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import EmptyRepository, ForeignOwner, LimitExceeded, Permanent, RateLimited, Transient
from ingest.git import supervision
from ingest.git.extract import Progress
from ingest.git.limits import DEFAULT_LIMITS
from ingest.git.repository_source import RepositorySource
from ingest.git.supervision import Interrupted, Readers
from ingest.settings import Settings
from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction, current, differences, source_of
from tests.ingest.git.test_limits import point_main, write_bomb

UNLIMITED = replace(DEFAULT_LIMITS, commit_paths=10**9)
both_engines = pytest.mark.parametrize("engine", ["auto", "python"], indirect=True)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data")


@pytest.fixture
def endless(new_repository: Callable[..., GitRepository]) -> RepositorySource:
    """A repository that would take all memory and time without a limit of paths."""
    repository = new_repository("endless")
    point_main(repository, write_bomb(repository, 12))
    return source_of(repository.path, limits=UNLIMITED, repository_id="endless")


@pytest.fixture
def healthy(new_repository: Callable[..., GitRepository]) -> RepositorySource:
    repository = new_repository("healthy")
    for number in range(300):
        repository.commit({"a.py": f"a = {number}\nb = 1\n"})
    repository.repack()
    return source_of(repository.path)


@pytest.fixture(autouse=True)
def _nothing_stays() -> Iterator[None]:
    yield
    deadline = time.monotonic() + 10
    while (left := reading_groups()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not left


def reading_groups() -> set[int]:
    """Process groups of readers: those of our session that are not our own."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            process = int(folder.name)
            if os.getsid(process) == os.getsid(0) and b"forkserver" in (folder / "cmdline").read_bytes():
                found.add(os.getpgid(process))
        except OSError:
            continue
    return found - {os.getpgrp()}


@both_engines
def test_a_process_of_its_own_finds_the_same_facts_and_reports_progress(
    healthy: RepositorySource, settings: Settings, tmp_path: Path, engine: str
) -> None:
    seen: list[Progress] = []
    report = Readers(settings).read(healthy, workers=2, on_progress=seen.append)
    alone = Extraction(healthy.path, tmp_path / "alone")
    expected = alone.run()
    assert replace(report, seconds={}) == replace(expected, seconds={})
    assert [(step.done, step.total) for step in seen][-1] == (300, 300)
    apart = Extraction(healthy.path, Path(settings.raw_root))
    assert not differences(current(alone.all_rows()), current(apart.all_rows()))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_repository_that_takes_too_long_ends_and_others_are_read(
    endless: RepositorySource, healthy: RepositorySource, settings: Settings, workers: int
) -> None:
    readers = Readers(settings.model_copy(update={"read_timeout_seconds": 2}))
    started = time.monotonic()
    with pytest.raises(LimitExceeded, match="EAS_READ_TIMEOUT_SECONDS"):
        readers.read(endless, workers=workers)
    assert time.monotonic() - started < 20
    assert Readers(settings).read(healthy, workers=workers).commits_total == 300


@both_engines
def test_a_repository_that_needs_too_much_memory_ends_and_others_are_read(
    endless: RepositorySource, healthy: RepositorySource, settings: Settings, engine: str
) -> None:
    readers = Readers(settings.model_copy(update={"read_memory_mb": 300}))
    with pytest.raises(LimitExceeded, match=r"300 MB.*EAS_READ_MEMORY_MB"):
        readers.read(endless, workers=1)
    assert readers.read(healthy, workers=1).commits_total == 300


THREAD = """
import resource, threading
from ingest.git import supervision
resource.setrlimit(resource.RLIMIT_DATA, (1 << 29, 1 << 29))
threading.stack_size(1 << 30)
try:
    threading.Thread(target=print).start()
except Exception as error:
    print(supervision._lacks_memory(error), supervision._lacks_memory(RuntimeError("another")))
"""


def test_a_thread_that_finds_no_memory_for_its_stack_is_told_as_the_limit_of_memory() -> None:
    done = subprocess.run([sys.executable, "-c", THREAD], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]


def test_workers_have_the_limit_of_memory_too(
    new_repository: Callable[..., GitRepository], settings: Settings
) -> None:
    repository = new_repository("workers")
    for number in range(300):
        head = repository.commit({"a.py": f"a = {number}\n"})
    point_main(repository, write_bomb(repository, 12), head)
    source = source_of(repository.path, limits=UNLIMITED)
    readers = Readers(settings.model_copy(update={"read_memory_mb": 300}))
    with pytest.raises(LimitExceeded, match="EAS_READ_MEMORY_MB"):
        readers.read(source, workers=2)


def test_the_largest_reader_ends_when_the_memory_of_the_machine_is_scarce(
    endless: RepositorySource, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervision, "_machine_memory", lambda: (1, 1000))
    with pytest.raises(LimitExceeded, match=r"machine's memory.*EAS_READ_MEMORY_MB"):
        Readers(settings).read(endless, workers=1)


def test_an_interrupted_caller_ends_every_reader(endless: RepositorySource, settings: Settings) -> None:
    readers = Readers(settings)
    threading.Timer(1, readers.end).start()
    with pytest.raises(Interrupted):
        readers.read(endless, workers=1)


def test_a_reader_that_is_killed_is_an_error_that_may_be_tried_again(
    endless: RepositorySource, settings: Settings
) -> None:
    readers = Readers(settings)

    def kill() -> None:
        time.sleep(1)
        for process in readers._running:
            os.kill(process, signal.SIGKILL)

    threading.Thread(target=kill).start()
    with pytest.raises(Transient, match="died"):
        readers.read(endless, workers=1)


def test_errors_of_the_reader_reach_the_caller(
    repository: GitRepository, healthy: RepositorySource, settings: Settings
) -> None:
    with pytest.raises(EmptyRepository, match="no commit"):
        Readers(settings).read(replace(healthy, path=repository.git_dir), workers=1)


@pytest.mark.parametrize(
    "error",
    [
        RateLimited("slowly", 12.5),
        ForeignOwner("/some/path"),
        LimitExceeded("EAS_X", "too much"),
        Permanent("no"),
    ],
)
def test_errors_are_the_same_after_the_way_between_processes(error: Any) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


CALLER = """
import sys, threading, time
from dataclasses import replace
from pathlib import Path
from ingest.git.limits import DEFAULT_LIMITS
from ingest.git.supervision import Readers
from ingest.settings import Settings
from tests.ingest.git.extraction import source_of
readers = Readers(Settings(data_dir=Path(sys.argv[2])))
source = source_of(Path(sys.argv[1]), limits=replace(DEFAULT_LIMITS, commit_paths=10**9), repository_id="endless")
threading.Thread(target=lambda: readers.read(source, workers=1), daemon=True).start()
while not readers._running:
    time.sleep(0.01)
print(*readers._running, flush=True)
time.sleep(60)
"""


def test_a_reader_ends_when_its_caller_is_killed(endless: RepositorySource, tmp_path: Path) -> None:
    command = [sys.executable, "-c", CALLER, str(endless.path), str(tmp_path / "data")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as caller:
        assert caller.stdout is not None
        reader = int(caller.stdout.readline())
        while os.getpgid(reader) != reader:  # it has begun
            time.sleep(0.01)
        time.sleep(0.5)
        caller.kill()
    try:
        deadline = time.monotonic() + 5
        while is_running(reader) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not is_running(reader)
    finally:
        if is_running(reader):
            os.killpg(reader, signal.SIGKILL)


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
