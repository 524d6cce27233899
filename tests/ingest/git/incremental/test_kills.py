"""Runs killed at any point and repeated, by any engine, give the facts of one run."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from ingest.git import native
from tests.git_repository import GitRepository
from tests.ingest.git.engines import ENGINES
from tests.ingest.git.extraction import Extraction, Rows, current, differences
from tests.ingest.git.growing_history import GrowingHistory
from tests.ingest.git.incremental.kills import Stop, kill_at
from tests.ingest.git.incremental.one_run import assert_as_one_run, batches_of
from tests.ingest.git.processes import descendants, is_alive, workers_of
from tests.suite.tiers import IS_WHOLE, seeds

ROOT = Path(__file__).parents[4]
STRIDE = 5 if IS_WHOLE else 11
"""Every so many points of a history a run is killed."""


class TestKills:
    @pytest.mark.parametrize("seed", seeds(7))
    def test_runs_killed_at_any_point_and_repeated_give_the_same_facts(
        self, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        random, choice = Random(f"kill {seed}"), Random(f"engines {seed}")
        batches_of(monkeypatch, random.choice([1, 2, 5]))
        history = GrowingHistory(GitRepository(tmp_path / "repository"), 1000 + seed)
        extraction = Extraction(tmp_path / "repository", tmp_path / "raw")
        kills = 0
        for _ in range(8):
            for _ in range(random.randrange(1, 6)):
                history.step()
            for _ in range(random.randrange(4)):
                with monkeypatch.context() as patched:
                    patched.setenv(native.ENGINE, choice.choice(ENGINES))
                    kill_at(random.choice([random.randrange(30), random.randrange(200)]), patched)
                    try:
                        extraction.run()
                    except Stop:
                        kills += 1
        extraction.run()
        assert kills > 2
        assert_as_one_run(extraction, tmp_path, history.log)
        assert not list((tmp_path / "raw").rglob("*.partial"))

    def test_one_history_killed_at_every_single_point(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        batches_of(monkeypatch, 4)
        repository = GitRepository(tmp_path / "repository")
        history = GrowingHistory(repository, 7)
        for _ in range(4):
            history.step()
        base = Extraction(repository.path, tmp_path / "base")
        base.run()
        for _ in range(4):
            history.step()
        whole = Extraction(repository.path, tmp_path / "whole")
        whole.run()
        expected = current(whole.all_rows())
        touch, killed = 0, True
        while killed:
            raw = tmp_path / f"raw{touch}"
            shutil.copytree(base.raw, raw)
            extraction = Extraction(repository.path, raw)
            engine, other = (ENGINES[(touch // STRIDE + turn) % len(ENGINES)] for turn in (0, 1))
            monkeypatch.setenv(native.ENGINE, engine)
            with monkeypatch.context() as patched:
                kill_at(touch, patched)
                try:
                    extraction.run()
                    killed = False
                except Stop:
                    pass
            monkeypatch.setenv(native.ENGINE, other)
            extraction.run()
            assert not differences(expected, current(extraction.all_rows())), touch
            shutil.rmtree(raw)
            touch += STRIDE
        assert touch > 60

    @pytest.mark.parametrize("engine", ENGINES)
    def test_the_old_facts_serve_until_the_new_ones_are_whole(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
    ) -> None:
        monkeypatch.setenv(native.ENGINE, engine)
        repository = GitRepository(tmp_path / "repository")
        for number in range(6):
            repository.commit({"a.py": f"x = {number}\n"})
        extraction = Extraction(repository.path, tmp_path / "raw")
        extraction.run()
        before = current(extraction.all_rows())
        batches_of(monkeypatch, 1)
        repository.git("branch", "-m", "main", "trunk")
        with monkeypatch.context() as patched:
            kill_at(100, patched)
            with pytest.raises(Stop):
                extraction.run()
        assert current(extraction.all_rows()) == before
        assert 0 < extraction.run().commits_new < 6  # the others were done before the kill
        assert_as_one_run(extraction, tmp_path)
        assert not [p for p in (tmp_path / "raw" / "_drafts").rglob("*") if p.is_file()]


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> GrowingHistory:
    history = GrowingHistory(GitRepository(tmp_path_factory.mktemp("grown") / "repository"), 5)
    while len(history.repository.commits) < COMMITS:
        history.step()
    return history


@pytest.fixture(scope="module")
def undisturbed(history: GrowingHistory, tmp_path_factory: pytest.TempPathFactory) -> Rows:
    whole = Extraction(history.repository.path, tmp_path_factory.mktemp("whole"))
    whole.run()
    return current(whole.all_rows())


class TestRealKills:
    """The system kills a process of a reading, and the other engine continues."""

    @pytest.mark.parametrize(
        ("engine", "other", "victim"),
        [
            ("native", "python", "reader"),
            ("python", "native", "worker"),
            pytest.param("native", "python", "worker", marks=pytest.mark.release),
            pytest.param("python", "native", "reader", marks=pytest.mark.release),
        ],
    )
    def test_only_whole_batches_stay_and_the_other_engine_continues(
        self,
        tmp_path: Path,
        history: GrowingHistory,
        undisturbed: Rows,
        monkeypatch: pytest.MonkeyPatch,
        engine: str,
        other: str,
        victim: str,
    ) -> None:
        if len(ENGINES) < 2:
            pytest.skip(f"no compiled engine: {native.engine().reason}")
        extraction = Extraction(history.repository.path, tmp_path / "raw")
        monkeypatch.setenv(native.ENGINE, engine)
        self.read_until_killed(extraction, victim)
        assert 0 < len(extraction.rows("commits")) < COMMITS
        monkeypatch.setenv(native.ENGINE, other)
        extraction.run()
        assert not differences(undisturbed, current(extraction.all_rows()))

    def read_until_killed(self, extraction: Extraction, victim: str) -> None:
        """Kill the reader or one of its two workers after the third batch. All processes have ended afterwards."""
        process = subprocess.Popen(
            [sys.executable, "-c", READS, str(extraction.repository), str(extraction.raw)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with process:
            assert process.stdin
            assert process.stdout
            assert process.stdout.readline() == "three batches\n"
            children, workers = descendants(process.pid), workers_of(process.pid)
            assert len(workers) == 2
            os.kill(process.pid if victim == "reader" else workers[0], signal.SIGKILL)
            said = process.communicate("go on\n")[1]
        assert process.returncode == (-signal.SIGKILL if victim == "reader" else 1)
        assert victim == "reader" or "EAS_WORKERS" in said
        deadline = time.monotonic() + 10
        while alive := [pid for pid in children if is_alive(pid)]:
            assert time.monotonic() < deadline, f"left behind: {alive}"
            time.sleep(0.05)


COMMITS = 120
READS = """
import sys
from pathlib import Path
from ingest.git import run
from ingest.git.changes import workers
from tests.ingest.git.extraction import Extraction
run.BATCH_COMMITS, run.KEEP_AT_LEAST = 10, 0
workers.ALONE_BELOW, workers.CHUNK = 1, 8
original, batches = run.Run._write, []
def write(*arguments):
    original(*arguments)
    batches.append(1)
    if len(batches) == 3:
        print("three batches", flush=True)
        sys.stdin.readline()
run.Run._write = write
Extraction(Path(sys.argv[1]), Path(sys.argv[2])).run(workers=2)
"""
