from __future__ import annotations

import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from ingest.errors import Transient
from ingest.git.changes import workers
from ingest.git.changes.commit_changes import CommitTask
from ingest.git.changes.workers import read_commits
from ingest.settings import CHECKOUT
from tests.git_repository import GitRepository
from tests.ingest.git.processes import descendants, is_alive


@pytest.fixture
def tasks(repository: GitRepository) -> list[CommitTask]:
    found = []
    before: tuple[str, ...] = ()
    for number in range(40):
        sha = repository.commit({"a.py": f"a = {number}\n", f"b{number}.py": "b = 1\n"})
        tree = repository.git("rev-parse", f"{sha}^{{tree}}").strip()
        found.append(CommitTask(sha, tree, before, with_lines=True))
        before = (tree,)
    return found


@pytest.fixture
def git_dir(repository: GitRepository) -> str:
    return str(repository.git_dir)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "CHUNK", 3)


@pytest.fixture(autouse=True)
def _collector() -> Iterator[None]:
    was_enabled = gc.isenabled()
    yield
    assert gc.isenabled() == was_enabled


def test_results_come_in_the_order_of_the_tasks_and_are_the_same(
    git_dir: str, tasks: list[CommitTask], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = list(read_commits(git_dir, tasks, 2, verify_hashes=True))
    monkeypatch.setattr(workers, "ALONE_BELOW", 1)
    together = list(read_commits(git_dir, tasks, 2, verify_hashes=True))
    assert [result.sha for result in together] == [task.sha for task in tasks]
    assert plain(alone) == plain(together)


def plain(value: object) -> object:
    """The value with the contents of its objects, because the objects compare by identity."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    slots = getattr(value, "__slots__", ())
    return {name: plain(getattr(value, name)) for name in slots} if slots else value


def test_small_histories_start_no_process(git_dir: str, tasks: list[CommitTask]) -> None:
    before = set(descendants(os.getpid()))
    reading = read_commits(git_dir, tasks, 4, verify_hashes=True)
    next(reading)
    assert set(descendants(os.getpid())) == before
    assert isinstance(reading, Generator)
    reading.close()


def test_workers_end_when_the_caller_stops_reading(
    git_dir: str, tasks: list[CommitTask], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "ALONE_BELOW", 1)
    reading = read_commits(git_dir, tasks, 2, verify_hashes=True)
    next(reading)
    started = [pid for pid in descendants(os.getpid()) if is_worker(pid)]
    assert started
    assert isinstance(reading, Generator)
    reading.close()
    deadline = time.monotonic() + 10
    while any(is_alive(pid) for pid in started):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_dead_worker_is_an_error_that_names_the_remedy(
    git_dir: str, tasks: list[CommitTask], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "ALONE_BELOW", 1)
    reading = read_commits(git_dir, tasks * 20, 2, verify_hashes=True)
    next(reading)
    victim = next(pid for pid in descendants(os.getpid()) if is_worker(pid))
    os.kill(victim, signal.SIGKILL)
    with pytest.raises(Transient, match=f"{git_dir}.*EAS_WORKERS"):
        list(reading)


@pytest.mark.parametrize("victim", [0, 1])
def test_a_worker_that_dies_while_all_wait_for_work_does_not_hold_up_the_end(
    git_dir: str, tasks: list[CommitTask], victim: int, tmp_path: Path
) -> None:
    """One of two waiting workers holds the lock; the other must end although SIGTERM is ignored."""
    work = tmp_path / "work"
    work.write_bytes(pickle.dumps((git_dir, tasks * 20)))
    command = [sys.executable, "-c", LOSES_A_WORKER, str(work), str(victim)]
    ended = subprocess.run(command, timeout=60, capture_output=True, text=True, cwd=ROOT)
    assert (ended.returncode, ended.stdout) == (0, "told what to do\n"), ended.stderr


def test_copies_of_a_process_read_the_same_and_hold_nothing_open(
    git_dir: str, tasks: list[CommitTask], tmp_path: Path
) -> None:
    work = tmp_path / "work"
    work.write_bytes(pickle.dumps((git_dir, tasks)))
    command = [sys.executable, "-c", READS_WITH_COPIES, str(work)]
    ended = subprocess.run(command, timeout=60, capture_output=True, text=True, cwd=ROOT)
    assert (ended.returncode, ended.stdout) == (0, "the same\n"), ended.stderr


ROOT = Path(__file__).parents[3]
# The caller of a process sees its end at once only if no worker holds the connection to the caller.
READS_WITH_COPIES = """
import os, pickle, sys, time
from multiprocessing import Pipe
from pathlib import Path
from ingest.git.changes import workers
from tests.ingest.git.changes.test_workers import plain
from tests.ingest.git.processes import descendants

git_dir, tasks = pickle.loads(Path(sys.argv[1]).read_bytes())
alone = list(workers.read_commits(git_dir, tasks, 1, verify_hashes=True))
workers.ALONE_BELOW, workers.CHUNK = 1, 3
caller, own = Pipe()
copies = workers.Workers.forked(2, own)
assert len(descendants(os.getpid())) == 2
own.close()
until = time.monotonic() + 20
while not caller.poll(0.1):
    assert time.monotonic() < until, "a worker holds the connection"
reading = workers.read_commits(git_dir, tasks, copies, verify_hashes=True)
together = [next(reading)]
assert len(descendants(os.getpid())) == 2
together += reading
assert not descendants(os.getpid())
assert plain(alone) == plain(together)
print("the same")
"""
LOSES_A_WORKER = """
import os, pickle, signal, sys, time
from pathlib import Path
signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the processes of a test run pass that on
from ingest.errors import Transient
from ingest.git.changes import workers
from tests.ingest.git.changes.test_workers import cpu_ticks, is_worker
from tests.ingest.git.processes import descendants

git_dir, tasks = pickle.loads(Path(sys.argv[1]).read_bytes())
workers.ALONE_BELOW, workers.CHUNK = 1, 3
reading = workers.read_commits(git_dir, tasks, 2, verify_hashes=True)
next(reading)
started = [pid for pid in descendants(os.getpid()) if is_worker(pid)]
assert len(started) == 2, started
before = None
while before != (before := [cpu_ticks(pid) for pid in started]):  # until the workers have read all their tasks
    time.sleep(0.5)
os.kill(started[int(sys.argv[2])], signal.SIGKILL)
try:
    list(reading)
except Transient:
    print("told what to do")
"""


def cpu_ticks(pid: int) -> int:
    """Processor time of a process so far."""
    return sum(int(n) for n in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13])


def is_worker(pid: int) -> bool:
    """Processes of the pool hang below the server that forks them."""
    try:
        parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        return b"forkserver" in Path(f"/proc/{parent}/cmdline").read_bytes() and parent != os.getpid()
    except OSError:
        return False


WITHOUT_SCANS = """
import gc
from ingest.git.changes.workers import without_collector
seen, many = [], 10 * gc.get_threshold()[0]
with without_collector():
    living = [[number] for number in range(many)]
    living.append(living)
    gc.callbacks.append(lambda phase, _: seen.append(phase))
living[0] = [[]]
assert not seen, seen
assert gc.isenabled()
del living
assert gc.collect() > many / 2
"""


def test_what_lives_is_not_scanned_at_the_end_of_a_run() -> None:
    """The first object after it would start a scan of all of them. Cycles are still collected later."""
    # In a process of its own, because the one of the tests has frozen what it will need to the end.
    subprocess.run([sys.executable, "-c", WITHOUT_SCANS], cwd=CHECKOUT, check=True, timeout=60)


def test_frozen_objects_stay_frozen() -> None:
    frozen = gc.get_freeze_count()
    assert frozen > 0
    with workers.without_collector():
        living = [[number] for number in range(2 * workers.WORTH_FREEZING)]
    assert gc.get_freeze_count() == frozen
    assert living


def test_no_thread_is_left_behind(
    git_dir: str, tasks: list[CommitTask], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "ALONE_BELOW", 1)
    before = threading.active_count()
    list(read_commits(git_dir, tasks, 2, verify_hashes=True))
    deadline = time.monotonic() + 5
    while threading.active_count() > before:
        assert time.monotonic() < deadline
        time.sleep(0.02)
