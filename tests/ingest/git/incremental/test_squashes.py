"""Squashes in several runs: their sources are read when their branch is known, and facts are those of one run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.branch_work import PEOPLE, BranchWork, deliver
from tests.git_repository import ADA, GRACE, GitRepository
from tests.ingest.git.extraction import Extraction
from tests.ingest.git.incremental.one_run import assert_as_one_run, batches_of

REVIEW = "refs/eas/review/3"
WRITTEN = max(
    (text or "" for text in BranchWork(1, functions=14, changes=0).steps[0].files.values()), key=len
)
FUNCTIONS = [f"{text.strip()}\n\n" for text in WRITTEN.split("\n\n")]


def sources(extraction: Extraction) -> Counter[str]:
    """Lines of squashes by the subject of the source."""
    subjects = {row["commit_sha"]: row["subject"] for row in extraction.rows("commits")}
    found: Counter[str] = Counter()
    for row in extraction.rows("squash_lines"):
        found[subjects[row["source_sha"]]] += sum(line["lines"] for line in row["lines"])
    return found


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    """A branch of two people, and a mainline that went on."""
    one = GitRepository(tmp_path / "repository")
    one.commit({"a.py": "start = 1\n", "old.py": "".join(FUNCTIONS[10:])})
    one.branch("work")
    one.commit({"b.py": "".join(FUNCTIONS[:4])}, "Write", branch="work")
    one.commit({"b.py": "".join(FUNCTIONS[:6]), "old.py": None}, "Go on", branch="work", author=GRACE)
    one.commit({"a.py": "start = 1\nstop = 2\n"}, "Stop")
    return one


def squash(one: GitRepository, message: str = "Add parts (#3)") -> str:
    return one.commit({"b.py": "".join(FUNCTIONS[:6]), "old.py": None}, message)


@pytest.mark.parametrize("commits", [1, 3])
def test_squashes_are_those_of_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commits: int) -> None:
    batches_of(monkeypatch, commits)
    for how in ("squash", "develop"):
        repository = GitRepository(tmp_path / how)
        deliver(BranchWork(2, functions=4), repository, how)
        extraction = Extraction(repository.path, tmp_path / f"{how} lake")
        extraction.run()
        assert extraction.rows("squash_lines")
        assert_as_one_run(extraction, tmp_path)


def test_a_branch_that_is_fetched_after_its_squash_is_read(repository: GitRepository, tmp_path: Path) -> None:
    head = repository.heads["work"]
    repository.delete("work")
    squash(repository)
    extraction = Extraction(repository.path, tmp_path / "lake")
    extraction.run()
    assert not extraction.rows("squash_lines")
    repository.git("update-ref", REVIEW, head)
    extraction.run()
    assert sources(extraction).keys() == {"Write", "Go on"}
    assert_as_one_run(extraction, tmp_path)
    before = extraction.run()
    assert before.unchanged


def test_the_removed_lines_are_of_the_source_that_removed_them(
    repository: GitRepository, tmp_path: Path
) -> None:
    repository.git("update-ref", REVIEW, repository.heads["work"])
    squash(repository)
    extraction = Extraction(repository.path, tmp_path / "lake")
    extraction.run()
    (row,) = extraction.rows("squash_lines", path="old.py")
    subjects = {c["commit_sha"]: c["subject"] for c in extraction.rows("commits")}
    removed = "".join(FUNCTIONS[10:]).count("\n    ")
    assert (subjects[row["source_sha"]], row["lines"]) == ("Go on", [])
    assert row["removed_lines"] >= removed


def test_commits_after_the_squash_are_no_sources(repository: GitRepository, tmp_path: Path) -> None:
    squash(repository)
    repository.commit({"c.py": "late = 1\n"}, "Too late", branch="work", author=GRACE)
    repository.git("update-ref", REVIEW, repository.heads["work"])
    extraction = Extraction(repository.path, tmp_path / "lake")
    extraction.run()
    assert sources(extraction).keys() == {"Write", "Go on"}


def test_a_squash_that_the_host_merges_has_its_sources(repository: GitRepository, tmp_path: Path) -> None:
    repository.git("update-ref", REVIEW, repository.heads["work"])
    repository.branch("squashed")
    one = repository.commit(
        {"b.py": "".join(FUNCTIONS[:6]), "old.py": None}, "Add parts", branch="squashed", author=PEOPLE[2]
    )
    repository.merge("squashed", message="Merge branch 'work' into 'main'\n\nSee merge request a/b!3")
    extraction = Extraction(repository.path, tmp_path / "lake")
    extraction.run()
    assert {row["squash_sha"] for row in extraction.rows("squash_lines")} == {one}
    assert sources(extraction).keys() == {"Write", "Go on"}


def test_a_branch_of_one_person_is_not_read_again(tmp_path: Path) -> None:
    one = GitRepository(tmp_path / "repository")
    one.commit({"a.py": "start = 1\n"})
    one.branch("work")
    for count in (4, 6):
        one.commit({"b.py": "".join(FUNCTIONS[:count])}, "Write", branch="work", author=GRACE)
    one.git("update-ref", REVIEW, one.heads["work"])
    one.commit({"b.py": "".join(FUNCTIONS[:6])}, "Add parts (#3)", author=ADA)
    extraction = Extraction(one.path, tmp_path / "lake")
    extraction.run()
    assert not extraction.rows("squash_lines")
