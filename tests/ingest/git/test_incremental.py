"""Any split of a growing history into runs, and any kill, gives the facts of one run over all of it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fsspec.implementations.local import LocalFileSystem

from ingest.git import run as run_module
from ingest.git.changes import workers as workers_module
from ingest.lake import Lake, manifest
from ingest.lake import files as lake_files
from tests.chaos.damages import damage
from tests.git_repository import GitRepository
from tests.ingest.git.extraction import ABOUT_DELIVERIES, Extraction, current, differences
from tests.ingest.git.growing_history import GrowingHistory

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _fast_and_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk; histories this small may lose most of their commits."""
    for name in ("_fsync", "_fsync_folder"):
        monkeypatch.setattr(lake_files, name, lambda _: None)
    monkeypatch.setattr(run_module, "KEEP_AT_LEAST", 0)


def batches_of(monkeypatch: pytest.MonkeyPatch, commits: int) -> None:
    monkeypatch.setattr(run_module, "BATCH_COMMITS", commits)


def assert_as_one_run(extraction: Extraction, folder: Path, log: object = None) -> None:
    """Compares with a run over everything into an empty lake."""
    whole = Extraction(extraction.repository, folder / "whole")
    whole.run()
    found = differences(current(whole.all_rows()), current(extraction.all_rows()))
    assert not found, (found, log)
    shutil.rmtree(whole.raw)


@pytest.mark.parametrize("seed", range(14))
def test_any_split_into_runs_gives_the_same_facts(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(f"split {seed}")
    batches_of(monkeypatch, random.choice([1, 3, 7, 20_000]))
    history = GrowingHistory(GitRepository(tmp_path / "repository"), seed)
    extraction = Extraction(tmp_path / "repository", tmp_path / "raw")
    for _ in range(35):
        history.step()
        if random.random() < 0.25:
            extraction.run()
            history.log.append("run")
    extraction.run()
    assert_as_one_run(extraction, tmp_path, history.log)


def test_batches_may_end_at_a_number_of_lines_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = GrowingHistory(GitRepository(tmp_path / "repository"), 1)
    for _ in range(30):
        history.step()
    extraction = Extraction(tmp_path / "repository", tmp_path / "raw")
    with monkeypatch.context() as patched:
        patched.setattr(run_module, "BATCH_LINES", 20)
        extraction.run()
    batches = Lake(extraction.raw).source("git", *extraction.ids).state().batch
    assert batches > 5
    assert_as_one_run(extraction, tmp_path)


class TestShapes:
    """Kinds of growth that failed once or nearly failed, one test each."""

    @pytest.fixture
    def repository(self, tmp_path: Path) -> GitRepository:
        repository = GitRepository(tmp_path / "repository")
        text = "".join(f"line_{i} = call({i})\n" for i in range(20))
        repository.commit({"a.py": text, "src/b.py": text.replace("line", "row"), "src/c.py": "c = 1\n"})
        repository.commit({"src/c.py": "c = 2\nd = 3\n"})
        return repository

    @pytest.fixture
    def extraction(self, tmp_path: Path, repository: GitRepository) -> Extraction:
        extraction = Extraction(repository.path, tmp_path / "raw")
        extraction.run()
        return extraction

    @pytest.fixture(autouse=True)
    def _check(self, tmp_path: Path, extraction: Extraction) -> Iterator[None]:
        yield
        extraction.run()
        assert_as_one_run(extraction, tmp_path)

    def edit(self, repository: GitRepository, path: str, number: int, **options: Any) -> str:
        lines = repository.read(path, options.get("branch")).splitlines(keepends=True)
        lines[number % len(lines)] = b"edited = once_more(%d)  # ABC-%d\n" % (number, number)
        return repository.commit({path: b"".join(lines)}, **options)

    def test_a_branch_that_forked_before_the_checkpoint_is_merged(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        repository.branch("work", next(iter(repository.commits)))
        self.edit(repository, "a.py", 3, branch="work")
        self.edit(repository, "a.py", 15)
        extraction.run()
        self.edit(repository, "src/b.py", 4, branch="work")
        extraction.run()
        repository.merge("work")

    def test_main_is_fast_forwarded_to_a_branch_known_before(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        repository.branch("work")
        for number in range(3):
            self.edit(repository, "a.py", number, branch="work")
        extraction.run()
        repository.reset("main", "work")

    def test_main_goes_back_and_forth(self, repository: GitRepository, extraction: Extraction) -> None:
        first = repository.heads["main"]
        later = [self.edit(repository, "a.py", number) for number in range(3)][-1]
        for head in (later, first, later):
            repository.reset("main", head)
            repository.tag("kept", later)
            extraction.run()
        rows = [repr(row) for name in ABOUT_DELIVERIES for row in extraction.rows(name)]
        assert len(rows) == len(set(rows)) > 0

    def test_yesterdays_direct_commit_leaves_the_mainline(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        repository.branch("work")
        self.edit(repository, "a.py", 1)
        extraction.run()
        self.edit(repository, "src/b.py", 2, branch="work")
        repository.merge("main", into="work", message="Catch up")
        repository.reset("main", "work")

    def test_a_merge_first_delivered_is_later_only_part_of_one(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        repository.branch("work")
        self.edit(repository, "a.py", 1, branch="work")
        self.edit(repository, "src/b.py", 2)
        merge = repository.merge("work")
        extraction.run()
        repository.branch("release", merge)
        repository.reset("main", repository.commits[merge].parents[0])
        self.edit(repository, "src/c.py", 0)
        extraction.run()
        repository.merge("release")

    def test_a_rewritten_branch_leaves_its_commits_unreachable(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        repository.branch("work")
        lost = self.edit(repository, "a.py", 1, branch="work")
        extraction.run()
        repository.reset("work", "main")
        self.edit(repository, "a.py", 2, branch="work")
        extraction.run()
        (row,) = extraction.rows("reachability", commit_sha=lost)
        assert not any(row[name] for name in ("from_default", "from_branch", "from_tag"))
        assert len(extraction.rows("commits", commit_sha=lost)) == 1

    def test_branches_and_tags_come_and_go(self, repository: GitRepository, extraction: Extraction) -> None:
        repository.branch("work")
        head = self.edit(repository, "a.py", 1, branch="work")
        extraction.run()
        repository.tag("v1", "work", message="First")
        repository.delete("work")
        extraction.run()
        assert {row["name"] for row in extraction.rows("refs")} == {"refs/heads/main", "refs/tags/v1"}
        (row,) = extraction.rows("reachability", commit_sha=head)
        assert (row["from_branch"], row["from_tag"]) == (False, True)

    def test_facts_follow_a_renamed_default_branch(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        repository.branch("trunk")
        self.edit(repository, "a.py", 1, branch="trunk")
        extraction.run()
        repository.git("symbolic-ref", "HEAD", "refs/heads/trunk")
        repository.delete("main")
        extraction.run()
        assert extraction.column("repository_runs", "default_branch") == ["trunk"]

    def test_a_cherry_pick_of_existing_lines_is_merged(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        repository.branch("work")
        same = b"".join(repository.read("a.py").splitlines(keepends=True)[2:])
        repository.commit({"a.py": same}, branch="work")
        repository.commit({"a.py": same})
        self.edit(repository, "a.py", 1, branch="work")
        extraction.run()
        repository.merge("work", files={"a.py": repository.read("a.py", "work")})
        extraction.run()
        repository.commit({"a.py": None})


class TestBoundaries:
    def test_facts_are_extracted_again_when_a_shallow_clone_gets_deeper(self, tmp_path: Path) -> None:
        origin = GitRepository(tmp_path / "origin")
        for number in range(6):
            origin.commit({"a.py": "".join(f"x{i} = {number}\n" for i in range(number + 1))})
        clone = tmp_path / "clone"
        subprocess.run(["git", "clone", "-q", "--depth=2", f"file://{origin.path}", str(clone)], check=True)
        extraction = Extraction(clone, tmp_path / "raw")
        assert extraction.run().commits_total == 2
        subprocess.run(["git", "-C", str(clone), "fetch", "-q", "--unshallow"], check=True)
        assert extraction.run().commits_total == 6
        assert_as_one_run(extraction, tmp_path)
        assert extraction.column("repository_runs", "is_shallow") == [False]

    def test_the_old_facts_serve_until_the_new_ones_are_whole(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
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
    original = run_module.read_commits

    def read_commits(*arguments: Any, **options: Any) -> Iterator[Any]:
        for result in original(*arguments, **options):
            count()
            yield result

    monkeypatch.setattr(run_module, "read_commits", read_commits)
    return lambda: done


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


def descendants(pid: int) -> list[int]:
    """Processes below one, as the kernel lists them."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += [int(child), *descendants(int(child))]
    return found


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_any_number_of_workers_gives_the_same_facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers_module, "ALONE_BELOW", 1)
    monkeypatch.setattr(workers_module, "CHUNK", 5)
    history = GrowingHistory(GitRepository(tmp_path / "repository"), 3)
    for _ in range(40):
        history.step()
    found = []
    for workers in (1, 2, 3):
        extraction = Extraction(history.repository.path, tmp_path / f"raw{workers}")
        extraction.run(workers=workers)
        found.append(current(extraction.all_rows()))
    assert not differences(found[0], found[1])
    assert not differences(found[0], found[2])


@pytest.mark.parametrize("seed", range(12))
def test_any_damage_to_the_lake_gives_the_facts_of_one_run(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(f"damage {seed}")
    batches_of(monkeypatch, random.choice([1, 3, 20_000]))
    history = GrowingHistory(GitRepository(tmp_path / "repository"), seed)
    extraction = Extraction(tmp_path / "repository", tmp_path / "raw")
    for _ in range(8):
        history.step()
    extraction.run()
    done = []
    for _ in range(5):
        done.append(damage(tmp_path / "raw", random, random.choice(["git", "_state"])))
        if random.random() < 0.5:
            history.step()
        extraction.run()
        assert Lake(tmp_path / "raw").source("git", *extraction.ids).damage() == []
    assert_as_one_run(extraction, tmp_path, done)


def test_facts_of_other_columns_are_extracted_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = GrowingHistory(GitRepository(tmp_path / "repository"), 1)
    history.step()
    extraction = Extraction(tmp_path / "repository", tmp_path / "raw")
    with monkeypatch.context() as earlier:
        earlier.setattr(manifest, "schema_version", lambda _: "columns of an earlier release")
        extraction.run()
    report = extraction.run()
    assert (report.unchanged, report.commits_new) == (False, report.commits_total)
    assert extraction.run().unchanged
