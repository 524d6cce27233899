"""Credit on branches: who changes only how a colleague's lines stand takes no credit for them.

Oracle: the same commits delivered one by one on the mainline, and the plain loops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.branch_work import PEOPLE, BranchWork, deliver
from tests.git_repository import GRACE, GitRepository
from tests.ingest.git.extraction import Extraction
from tests.ingest.git.incremental.one_run import assert_as_one_run
from tests.ingest.git.line_facts import compare
from tests.suite.tiers import IS_WHOLE, some

Files = dict[str, str | None]
MAX_DIFFERENCE = 0.05
_WRITTEN = BranchWork(1, functions=12, changes=0)
TEXT = max((text or "" for text in _WRITTEN.steps[0].files.values()), key=len)
OTHER = [
    "def audit ( journal , since ) :",
    "    for record in journal . after ( since ) :",
    "        yield record . checked ( )",
]


def extracted(work: BranchWork, folder: Path, how: str) -> Extraction:
    repository = GitRepository(folder / how)
    deliver(work, repository, how)
    extraction = Extraction(repository.path, folder / f"{how} lake")
    extraction.run()
    return extraction


def points_by_author(extraction: Extraction) -> Counter[str]:
    """Line points without the factors of SQL, without the first commit."""
    authors = {
        row["commit_sha"]: row["author_name"] for row in extraction.rows("commits") if row["parent_shas"]
    }
    points: Counter[str] = Counter()
    for row in extraction.rows("delivered_lines"):
        for line in row["lines"]:
            if row["credited_sha"] in authors and line["class"] in ("novel", "substituted"):
                weight = min(line["tokens"], 15) ** 0.5 / line["rank"] ** 2
                points[authors[row["credited_sha"]]] += weight * line["lines"]
    return points


def squashed_points(extraction: Extraction) -> Counter[str]:
    """The same for the sources of squashes."""
    authors = {row["commit_sha"]: row["author_name"] for row in extraction.rows("commits")}
    points: Counter[str] = Counter()
    for row in extraction.rows("squash_lines"):
        for line in row["lines"]:
            if line["class"] in ("novel", "substituted"):
                weight = min(line["tokens"], 15) ** 0.5 / line["rank"] ** 2
                points[authors[row["source_sha"]]] += weight * line["lines"]
    return points


def shares(points: Counter[str]) -> dict[str, float]:
    return {author: value / points.total() for author, value in points.items()}


@given(seed=st.integers(0, 10_000))
@settings(max_examples=12 if IS_WHOLE else 4, deadline=None)
def test_a_merged_branch_credits_its_authors_as_its_commits_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("branch")
    work = BranchWork(seed)
    merged, alone = (shares(points_by_author(extracted(work, folder, how))) for how in ("merge", "each"))
    for person in PEOPLE:
        name = person.partition(" <")[0]
        assert abs(merged.get(name, 0) - alone.get(name, 0)) <= MAX_DIFFERENCE, [s.kind for s in work.steps]


@given(seed=st.integers(0, 10_000), how=st.sampled_from(["squash", "develop"]))
@settings(max_examples=12 if IS_WHOLE else 4, deadline=None)
def test_a_squashed_branch_shares_as_its_commits_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, seed: int, how: str
) -> None:
    folder = tmp_path_factory.mktemp("squash")
    work = BranchWork(seed)
    found = shares(squashed_points(extracted(work, folder, how)))
    alone = shares(points_by_author(extracted(work, folder, "each")))
    for person in PEOPLE:
        name = person.partition(" <")[0]
        assert abs(found.get(name, 0) - alone.get(name, 0)) <= MAX_DIFFERENCE, [s.kind for s in work.steps]


@pytest.mark.parametrize("seed", range(6))
def test_the_plain_loops_give_the_same_credit(tmp_path: Path, seed: int) -> None:
    assert not compare(extracted(BranchWork(seed, functions=5, changes=6), tmp_path, "merge"))[0]


@pytest.mark.parametrize("seed", some(range(3), 1))
def test_a_branch_that_an_earlier_run_knew_has_the_same_credit(tmp_path: Path, seed: int) -> None:
    work = BranchWork(seed, functions=5)
    repository = GitRepository(tmp_path / "repository")
    repository.commit(work.before)
    repository.branch("work")
    extraction = Extraction(repository.path, tmp_path / "lake")
    for step in work.steps:
        repository.commit(step.files, branch="work", author=step.author)
        extraction.run()
    repository.merge("work")
    extraction.run()
    assert_as_one_run(extraction, tmp_path)


class TestShapes:
    """What becomes of the twelve functions that Ada wrote on a branch, and of a line that Grace adds."""

    @pytest.fixture
    def credited(self, tmp_path: Path) -> Callable[..., dict[str, int]]:
        """Novel lines by author, after the changes that Grace makes on the branch."""

        def novel_lines(*changes: Files) -> dict[str, int]:
            repository = GitRepository(tmp_path / "repository")
            repository.commit({"README": "A service.\n"})
            repository.branch("work")
            repository.commit({"app/accounts.py": TEXT}, branch="work")
            for change in changes:
                repository.commit(change, branch="work", author=GRACE)
            repository.merge("work")
            extraction = Extraction(repository.path, tmp_path / "lake")
            extraction.run()
            assert not compare(extraction)[0]
            authors = {row["commit_sha"]: row["author_name"] for row in extraction.rows("commits")}
            found: Counter[str] = Counter()
            for row in extraction.rows("delivered_lines", delivery_sha=repository.heads["main"]):
                novel = sum(
                    line["lines"] for line in row["lines"] if line["class"] in ("novel", "substituted")
                )
                found[authors[row["credited_sha"]]] += novel
            return dict(+found)

        return novel_lines

    @pytest.mark.parametrize(
        "change",
        [
            {"app/accounts.py": TEXT.replace("    ", "\t")},
            {"app/accounts.py": TEXT.replace(" , ", " ,\n            ")},
            {"app/accounts.py": "\n\n".join(reversed(TEXT.split("\n\n")))},
            {"app/accounts.py": None, "lib/ledger.py": f"import os\n\n{TEXT}".replace("    ", "\t")},
            {"app/Copy.py": TEXT},
        ],
        ids=["indent", "wrap", "sort", "move and indent", "copy"],
    )
    def test_grace_takes_no_credit_for_lines_that_she_did_not_write(
        self, credited: Callable[..., dict[str, int]], change: Files
    ) -> None:
        found = credited(change)
        assert found.get("Grace Hopper", 0) <= 1
        assert found["Ada Lovelace"] >= 60

    def test_lines_that_grace_removes_and_brings_back_stay_with_ada(
        self, credited: Callable[..., dict[str, int]]
    ) -> None:
        assert set(credited({"app/accounts.py": None}, {"app/accounts.py": TEXT})) == {"Ada Lovelace"}

    def test_a_chain_of_changes_leads_back_to_ada(self, credited: Callable[..., dict[str, int]]) -> None:
        tabs = TEXT.replace("    ", "\t")
        found = credited(
            {"app/accounts.py": tabs},
            {"app/accounts.py": None, "lib/ledger.py": tabs},
            {"lib/ledger.py": TEXT},
        )
        assert set(found) == {"Ada Lovelace"}

    def test_a_renamed_word_stays_with_ada_but_for_the_first_line(
        self, credited: Callable[..., dict[str, int]]
    ) -> None:
        found = credited({"app/accounts.py": TEXT.replace("amount", "total_amount")})
        assert found["Grace Hopper"] == 1

    def test_new_lines_of_grace_are_hers(self, credited: Callable[..., dict[str, int]]) -> None:
        """Also beside formatted lines, and where they replace lines of Ada."""
        lines = TEXT.replace("    ", "\t").split("\n")
        assert credited({"app/accounts.py": "\n".join([*lines, *OTHER])})["Grace Hopper"] == len(OTHER)
