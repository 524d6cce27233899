"""The lake under kills at every point, and under several processes."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fsspec.implementations.local import LocalFileSystem

from ingest.errors import SourceBusy
from ingest.lake import Lake, Source, SourceState
from ingest.lake import files as lake_files
from ingest.lake import source as lake_source
from ingest.schemas import git as schemas
from tests.ingest.lake.rows import ORGANIZATION, OTHER, REPOSITORY, messages, problems, rows, visible

ROOT = Path(__file__).parents[2]

# Beginning of every subprocess script of this file; argv is the root of a lake.
PROLOGUE = """
import sys, time
from ingest.lake import Lake
from tests.ingest.lake.rows import ORGANIZATION, REPOSITORY, problems, rows
lake = Lake(sys.argv[1])
source = lake.source("git", ORGANIZATION, REPOSITORY)
"""


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "raw")


@pytest.fixture
def source(lake: Lake) -> Source:
    return lake.source("git", ORGANIZATION, REPOSITORY)


def started(code: str, root: Path, *arguments: str) -> subprocess.Popen[str]:
    """A Python process that has the lake at `root` and the project on its path."""
    command = [sys.executable, "-c", PROLOGUE + code, str(root), *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True)


class Stop(BaseException):
    """Not an Exception, because no code can catch a kill."""


def stopping(steps: int, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Stops the process at its n-th touch of the file system and each later one; the result counts the touches."""
    done = 0

    def counted(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal done
            done += 1
            if done > steps:
                raise Stop
            return original(*arguments, **options)

        return call

    for name in ("makedirs", "_open", "mv", "rm"):
        monkeypatch.setattr(LocalFileSystem, name, counted(getattr(LocalFileSystem, name)))
    for name in ("_fsync", "_fsync_folder"):
        monkeypatch.setattr(lake_files, name, counted(lambda _: None))
    return lambda: done


class TestKills:
    """A batch is visible with all of its tables or with none, wherever the process died."""

    @pytest.fixture(autouse=True)
    def _compacting(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(lake_source, "MAX_FILES", 2)
        for name in ("_fsync", "_fsync_folder"):
            monkeypatch.setattr(lake_files, name, lambda _: None)

    def commit(self, source: Source, number: int) -> SourceState:
        name = f"n{number}"
        replaced = {"refs": rows("refs", name)}
        return source.commit(
            {**problems(name), "commits": rows("commits", name)},
            replaced,
            {"n": number},
            {"memory": name.encode()},
        )

    def content(self, source: Source) -> tuple[Any, ...]:
        subjects = source.read("commits", ["subject"])["subject"].to_pylist()
        names = source.read("refs", ["name"])["name"].to_pylist()
        return messages(source), subjects, names, source.read_file("memory"), source.state().extra.get("n")

    def expected(self, number: int) -> tuple[Any, ...]:
        names = [f"n{i}" for i in range(1, number + 1)]
        return names, names, names[-1:], names[-1].encode() if names else None, number or None

    @pytest.mark.parametrize("batch", [1, 2, 3])
    def test_a_batch_that_dies_at_any_point_is_whole_or_absent(
        self, tmp_path: Path, batch: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        steps, seen = 0, set()
        while True:
            lake = Lake(tmp_path / str(steps))
            source = lake.source("git", ORGANIZATION, REPOSITORY)
            for number in range(1, batch):
                self.commit(source, number)
            with monkeypatch.context() as patched:
                touches = stopping(steps, patched)
                try:
                    self.commit(source, batch)
                except Stop:
                    pass
                else:
                    break
                # Tables are written at the same time: each writer stops at its own next touch, which changes nothing.
                assert touches() > steps
            arrived = source.state().batch
            seen.add(arrived)
            assert arrived in (batch - 1, batch)
            assert self.content(source) == self.expected(arrived), steps
            self.check_cleaned_and_repeated(lake, source, arrived, steps)
            steps += 1
        assert seen == {batch - 1, batch}
        assert steps > 15

    def check_cleaned_and_repeated(self, lake: Lake, source: Source, arrived: int, steps: int) -> None:
        """The next reader finds exactly the committed rows; the next run continues as if nothing had happened."""
        reads = steps % 2
        with lake.reading(ORGANIZATION) if reads else source.extracting():
            listed = sorted(name for names in source.state().tables.values() for name in names)
            found = sorted(p.name for table in schemas.TABLES for p in visible(lake.root, table))
            assert found == listed
            assert not list(Path(lake.root).rglob("*.partial"))
        self.commit(source, arrived + 1)
        assert self.content(source) == self.expected(arrived + 1)

    def test_clearing_that_dies_at_any_point_leaves_the_source_whole_or_empty(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        steps = 0
        while True:
            lake = Lake(tmp_path / str(steps))
            source = lake.source("git", ORGANIZATION, REPOSITORY)
            self.commit(source, 1)
            with monkeypatch.context() as patched:
                stopping(steps, patched)
                try:
                    source.clear()
                except Stop:
                    pass
                else:
                    break
            with lake.reading(ORGANIZATION):
                found = [p for table in schemas.TABLES for p in visible(lake.root, table)]
            assert (len(found), self.content(source)) in ((3, self.expected(1)), (0, self.expected(0)))
            steps += 1
        assert steps >= 3

    def test_a_process_that_is_killed_leaves_only_whole_batches(self, tmp_path: Path) -> None:
        code = """
with source.extracting():
    for number in range(int(sys.argv[2]), 10_000):
        name = f"n{number}"
        appended = problems(name) | {"commits": rows("commits", name)}
        source.commit(appended, {"refs": rows("refs", name)}, {"n": number}, {"memory": name.encode()})
        print(number, flush=True)
"""
        source = Lake(tmp_path).source("git", ORGANIZATION, REPOSITORY)
        last = 0
        for lines in (2, 3):
            process = started(code, tmp_path, str(last + 1))
            assert process.stdout
            for _ in range(lines):
                assert process.stdout.readline().strip(), process.stderr and process.stderr.read()
            process.send_signal(signal.SIGKILL)
            process.communicate()
            with source.extracting():  # its lock died with it
                last = source.state().extra["n"]
                assert self.content(source) == self.expected(last)
                found = [p for table in schemas.TABLES for p in visible(tmp_path, table)]
                assert len(found) == sum(map(len, source.state().tables.values()))
                assert not list(tmp_path.rglob("*.partial"))
        assert last >= 4


class TestTwoAtOnce:
    def test_a_source_is_extracted_by_one_process_at_a_time(self, tmp_path: Path, lake: Lake) -> None:
        source = lake.source("git", ORGANIZATION, REPOSITORY)
        code = "with source.extracting():\n    print('held', flush=True)\n    time.sleep(60)"
        holder = started(code, Path(lake.root))
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(SourceBusy, match=REPOSITORY), source.extracting():
            pass
        with lake.source("git", ORGANIZATION, "another").extracting():
            pass
        holder.kill()
        holder.communicate()
        with source.extracting():
            pass

    def test_a_source_is_extracted_once_at_a_time_within_one_process_too(
        self, lake: Lake, source: Source
    ) -> None:
        with source.extracting():
            with pytest.raises(SourceBusy), lake.source("git", ORGANIZATION, REPOSITORY).extracting():
                pass
            source.commit(problems("p"), {}, {})
        with source.extracting():
            assert messages(source) == ["p"]

    def test_no_batch_becomes_visible_while_a_build_reads(self, lake: Lake, source: Source) -> None:
        source.commit(problems("before"), {}, {})
        committed = threading.Event()

        def commit() -> None:
            source.commit(problems("after"), {}, {})
            committed.set()

        thread = threading.Thread(target=commit)
        with lake.reading(ORGANIZATION):
            thread.start()
            assert not committed.wait(0.2)
            assert (messages(source), len(visible(lake.root, "problems"))) == (["before"], 1)
        thread.join(10)
        assert messages(source) == ["before", "after"]

    def test_builds_of_other_organizations_do_not_wait(self, lake: Lake, source: Source) -> None:
        with lake.reading(OTHER):
            source.commit(problems("p"), {}, {})
        assert messages(source) == ["p"]

    def test_processes_that_commit_at_once_lose_nothing(self, tmp_path: Path) -> None:
        code = """
mine = lake.source("git", ORGANIZATION, sys.argv[2])
for number in range(4):
    with mine.extracting():
        mine.commit(problems(f"{sys.argv[2]}-{number}"), {}, {})
"""
        processes = [started(code, tmp_path, name) for name in ("a", "b")]
        lake = Lake(tmp_path)
        while any(process.poll() is None for process in processes):
            with lake.reading(ORGANIZATION):
                for name in lake.sources("git", ORGANIZATION):
                    listed = lake.source("git", ORGANIZATION, name).state().tables["problems"]
                    folder = Path(lake.partition("git", "problems", ORGANIZATION, name))
                    assert sorted(p.name for p in folder.iterdir()) == sorted(listed)
        assert [process.returncode for process in processes] == [0, 0]
        for name in ("a", "b"):
            assert messages(lake.source("git", ORGANIZATION, name)) == [f"{name}-{i}" for i in range(4)]


def test_a_file_is_replaced_only_when_the_new_one_is_whole(lake: Lake, tmp_path: Path) -> None:
    path = str(tmp_path / "raw" / "one.parquet")
    before = lake.write_parquet(path, problems("before")["problems"].schema, [problems("before")["problems"]])

    def parts() -> Iterator[pa.Table]:
        yield problems("after")["problems"]
        raise Stop

    with pytest.raises(Stop):
        lake.write_parquet(path, problems("before")["problems"].schema, parts())
    assert lake.checksum(path) == before
