"""Runs killed at any point and repeated give the facts of one run."""

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

from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction, current, differences
from tests.ingest.git.growing_history import GrowingHistory
from tests.ingest.git.incremental.kills import Stop, kill_at
from tests.ingest.git.incremental.one_run import assert_as_one_run, batches_of
from tests.ingest.git.processes import descendants, is_alive

ROOT = Path(__file__).parents[4]


class TestKills:
    @pytest.mark.parametrize("seed", range(7))
    def test_runs_killed_at_any_point_and_repeated_give_the_same_facts(
        self, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        random = Random(f"kill {seed}")
        batches_of(monkeypatch, random.choice([1, 2, 5]))
        history = GrowingHistory(GitRepository(tmp_path / "repository"), 1000 + seed)
        extraction = Extraction(tmp_path / "repository", tmp_path / "raw")
        kills = 0
        for _ in range(8):
            for _ in range(random.randrange(1, 6)):
                history.step()
            for _ in range(random.randrange(4)):
                with monkeypatch.context() as patched:
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
            with monkeypatch.context() as patched:
                kill_at(touch, patched)
                try:
                    extraction.run()
                    killed = False
                except Stop:
                    pass
            extraction.run()
            assert not differences(expected, current(extraction.all_rows())), touch
            shutil.rmtree(raw)
            touch += 5
        assert touch > 60

    def test_a_real_kill_with_workers_leaves_nothing_behind_but_whole_batches(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        history = GrowingHistory(GitRepository(tmp_path / "repository"), 5)
        while len(history.repository.commits) < 120:
            history.step()
        code = """
import sys, time
from pathlib import Path
from ingest.git import run

from ingest.git.changes import workers
from tests.ingest.git.extraction import Extraction
run.BATCH_COMMITS, run.KEEP_AT_LEAST = 10, 0
workers.ALONE_BELOW, workers.CHUNK = 1, 8
original = run.Run._write
def write(*arguments):
    original(*arguments)
    print("batch", flush=True)
    time.sleep(0.05)
run.Run._write = write
if __name__ == "__main__":
    Extraction(Path(sys.argv[1]), Path(sys.argv[2])).run(workers=2)
"""
        script = tmp_path / "extract.py"
        script.write_text(code)
        raw = tmp_path / "raw"
        process = subprocess.Popen(
            [sys.executable, str(script), str(history.repository.path), str(raw)],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout
        for _ in range(3):
            assert process.stdout.readline() == "batch\n"
        children = descendants(process.pid)
        assert len(children) >= 2
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        deadline = time.monotonic() + 10
        while alive := [pid for pid in children if is_alive(pid)]:
            assert time.monotonic() < deadline, f"left behind: {alive}"
            time.sleep(0.05)
        extraction = Extraction(history.repository.path, raw)
        assert 0 < len(extraction.rows("commits")) < 120
        extraction.run()
        assert_as_one_run(extraction, tmp_path, history.log)
