"""Kinds of growth between two runs that failed once or nearly failed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.git_repository import GitRepository
from tests.ingest.git.extraction import ABOUT_DELIVERIES, Extraction
from tests.ingest.git.incremental.one_run import assert_as_one_run


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

    def test_a_time_that_later_steps_contradict_is_corrected(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        """Lines that return within 90 days are no new work, so its time decides about later lines."""
        last = repository.clock
        text = repository.read("a.py")
        repository.commit({"a.py": text + b"wrong = clock(1)\n"}, at=last + 100 * 86_400)
        extraction.run()
        assert extraction.column("repository_runs", "misdated_deliveries") == [0]
        repository.commit({"a.py": text}, at=last + 86_400)
        repository.commit({"a.py": text + b"wrong = clock(1)\n"}, at=last + 2 * 86_400)
        assert extraction.run().commits_new > 2, "all facts are extracted again"
        assert extraction.column("repository_runs", "misdated_deliveries") == [1]
        assert extraction.run().unchanged

    def test_a_merge_that_brings_a_fix_but_no_change_is_delivered_again(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        first, text = repository.heads["main"], repository.read("a.py")
        repository.branch("work")
        self.edit(repository, "a.py", 3, branch="work", message="Fix the third line")
        repository.commit({"a.py": text}, "Undo it", branch="work")
        merge = repository.merge("work")
        extraction.run()
        assert extraction.rows("fix_context", delivery_sha=merge)
        assert not extraction.rows("delivered_lines", delivery_sha=merge)
        repository.tag("kept", merge)
        for head in (first, merge):
            repository.reset("main", head)
            extraction.run()

    def test_the_head_of_main_is_amended(self, repository: GitRepository, extraction: Extraction) -> None:
        for number in (3, 4):
            before = repository.heads["main"]
            lost = self.edit(repository, "a.py", number, message="Fix the line")
            extraction.run()
            repository.reset("main", before)
            amended = self.edit(repository, "a.py", number + 9, message="Fix the line, amended")
            extraction.run()
            assert extraction.column("deliveries", "delivery_sha")[-1] == amended
            assert lost not in extraction.column("deliveries", "delivery_sha")

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
