"""The oracles accept facts that agree with Git, and find each kind of fact that does not.

The facts are written by hand, because an oracle tested only with the product's facts might accept anything.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.schemas import git as schemas
from tests.benchmarks.raw_facts import RawFacts
from tests.benchmarks.reading.blame_oracle import blame_agreement
from tests.benchmarks.reading.oracles import (
    delivery_agreement,
    merge_agreement,
    numstat_agreement,
    reachability_agreement,
)
from tests.benchmarks.reading.reference_git import ReferenceGit
from tests.git_repository import GitRepository

Row = Mapping[str, Any]
Write = Callable[..., RawFacts]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write rows of raw tables; missing columns get an empty value of their type."""

    def write_tables(**tables: Sequence[Row]) -> RawFacts:
        for name, rows in tables.items():
            folder = tmp_path / "raw/git" / name / "organization_id=o/repository_id=r"
            folder.mkdir(parents=True, exist_ok=True)
            schema = schemas.TABLES[name]
            full = [{field.name: row.get(field.name, _empty(field)) for field in schema} for row in rows]
            pq.write_table(pa.Table.from_pylist(full, schema=schema), folder / "1.parquet")
        return RawFacts(tmp_path / "raw", "o", "r")

    return write_tables


def _empty(field: pa.Field) -> object:
    if field.nullable:
        return None
    if pa.types.is_list(field.type):
        return []
    return {pa.string(): "", pa.bool_(): False, pa.int32(): 0}.get(field.type, 0)


def _change(commit: str, path: str, added: int, deleted: int, **more: object) -> Row:
    return {"commit_sha": commit, "path": path, "lines_added": added, "lines_deleted": deleted, **more}


def _reference(repository: GitRepository) -> ReferenceGit:
    return ReferenceGit(repository.git_dir)


class TestNumstat:
    @pytest.fixture
    def changes(self, repository: GitRepository) -> list[Row]:
        files: dict[str | bytes, str | bytes] = {
            "a.py": "one\ntwo\nthree\nfour\n",
            "logo.png": b"\0\1",
            b"caf\xe9.txt": "x\n",
        }
        first = repository.commit(files)
        second = repository.commit({"a.py": None, "b.py": "one\ntwo\nthree\n4\n"})
        return [
            _change(first, "a.py", 4, 0),
            _change(first, "logo.png", 0, 0, is_binary=True),
            _change(first, "caf\\xe9.txt", 1, 0),
            _change(second, "b.py", 1, 1, previous_path="a.py"),
        ]

    def test_equal_rows_agree(self, repository: GitRepository, changes: list[Row], write: Write) -> None:
        found = numstat_agreement(write(file_changes=changes, commits=[]), _reference(repository))
        assert (found.equal, found.total) == (4, 4), found.differences

    @pytest.mark.parametrize(
        "wrong",
        [
            {"lines_added": 2},
            {"lines_deleted": 0},
            {"previous_path": None},
            {"is_binary": True},
            {"path": "c.py"},
        ],
    )
    def test_a_different_row_is_found(
        self, repository: GitRepository, changes: list[Row], write: Write, wrong: Row
    ) -> None:
        facts = write(file_changes=[*changes[:3], {**changes[3], **wrong}], commits=[])
        assert numstat_agreement(facts, _reference(repository)).equal == 3

    def test_a_missing_row_is_found(
        self, repository: GitRepository, changes: list[Row], write: Write
    ) -> None:
        found = numstat_agreement(write(file_changes=changes[1:], commits=[]), _reference(repository))
        assert (found.equal, found.total) == (3, 4)


def test_only_files_that_differ_from_every_parent_belong_to_a_merge(
    repository: GitRepository, write: Write
) -> None:
    repository.commit({"a.py": "1\n", "b.py": "1\n"})
    repository.branch("work")
    repository.commit({"a.py": "2\n"}, branch="work")
    repository.commit({"b.py": "2\n"})
    merge = repository.merge("work", files={"a.py": "3\n"})
    commits = [{"commit_sha": merge, "is_merge": True}]
    right = write(commits=commits, file_changes=[_change(merge, "a.py", 1, 1)])
    assert merge_agreement(right, _reference(repository)).share == 1
    wrong = write(commits=commits, file_changes=[_change(merge, "b.py", 1, 1)])
    assert merge_agreement(wrong, _reference(repository)).share == 0


class TestReachability:
    @pytest.fixture
    def rows(self, repository: GitRepository) -> list[Row]:
        released = repository.commit({"a": "1"})
        head = repository.commit({"a": "2"})
        repository.branch("work")
        work = repository.commit({"a": "3"}, branch="work")
        repository.tag("v1", released, message="First")
        every = {"from_default": True, "from_branch": True, "from_tag": True}
        return [
            {"commit_sha": released, **every},
            {"commit_sha": head, **every, "from_tag": False},
            {"commit_sha": work, **every, "from_tag": False, "from_default": False},
            {"commit_sha": "0" * 40},
        ]

    def test_flags_follow_the_refs_and_unreachable_commits_may_stay(
        self, repository: GitRepository, rows: list[Row], write: Write
    ) -> None:
        facts = write(reachability=rows, repository_runs=[{"default_branch": "main"}])
        found = reachability_agreement(facts, _reference(repository))
        assert (found.equal, found.total) == (3, 3), found.differences

    def test_a_wrong_flag_is_found(self, repository: GitRepository, rows: list[Row], write: Write) -> None:
        rows[2] = {**rows[2], "from_default": True}
        facts = write(reachability=rows, repository_runs=[{"default_branch": "main"}])
        assert reachability_agreement(facts, _reference(repository)).equal == 2


class TestDeliveries:
    @pytest.fixture
    def steps(self, repository: GitRepository) -> list[Row]:
        """A branch into which main was merged, then main fast-forwarded to it, then an ordinary merge."""
        root = repository.commit({"a": "1"})
        repository.branch("work")
        side = repository.commit({"b": "1"}, branch="work")
        direct = repository.commit({"a": "2"})
        back = repository.merge("main", into="work")
        repository.reset("main", back)
        repository.branch("topic")
        topic = repository.commit({"c": "1"}, branch="topic")
        repository.commit({"a": "3"})
        merge = repository.merge("topic")
        between = repository.commits[merge].parents[0]
        steps = [[root], [direct], [side, back], [between], [topic, merge]]
        heads = [None, *(step[-1] for step in steps)]
        return [
            {"delivery_sha": step[-1], "predecessor_sha": before, "position": position, "commit_shas": step}
            for position, (step, before) in enumerate(zip(steps, heads, strict=False))
        ]

    def test_the_mainline_passes_through_the_default_branch_that_was_merged(
        self, repository: GitRepository, steps: list[Row], write: Write
    ) -> None:
        facts = write(deliveries=steps, repository_runs=[{"default_branch": "main"}])
        found = delivery_agreement(facts, _reference(repository))
        assert (found.equal, found.total) == (5, 5), found.differences

    def test_a_commit_delivered_by_another_step_is_found(
        self, repository: GitRepository, steps: list[Row], write: Write
    ) -> None:
        moved = steps[4]["commit_shas"][0]
        steps[3] = {**steps[3], "commit_shas": [moved, *steps[3]["commit_shas"]]}
        steps[4] = {**steps[4], "commit_shas": steps[4]["commit_shas"][1:]}
        facts = write(deliveries=steps, repository_runs=[{"default_branch": "main"}])
        assert delivery_agreement(facts, _reference(repository)).equal == 3


class TestBlame:
    HUNK = ("old_start", "old_lines", "new_start", "new_lines")

    def _facts(
        self,
        write: Write,
        repository: GitRepository,
        steps: list[str],
        births: Mapping[str, int],
        **tables: Any,
    ) -> RawFacts:
        delivery = steps[-1]
        deliveries = [
            {"delivery_sha": sha, "predecessor_sha": before, "position": number, "commit_shas": [sha]}
            for number, (sha, before) in enumerate(zip(steps, [None, *steps], strict=False))
        ]
        commits = [
            {"commit_sha": sha, "parent_shas": list(commit.parents)}
            for sha, commit in repository.commits.items()
        ]
        deaths = [
            {"delivery_sha": delivery, "path": "a.py", "origin_sha": birth, "lines": [self._bin(lines)]}
            for birth, lines in births.items()
        ]
        return write(deliveries=deliveries, commits=commits, line_deaths=deaths, **tables)

    def _bin(self, lines: int) -> Row:
        names = [field.name for field in schemas.DEAD_LINES]
        return dict.fromkeys(names) | {"lines": lines}

    def _hunks(self, *hunks: tuple[int, int, int, int]) -> list[Row]:
        return [dict(zip(self.HUNK, hunk, strict=True)) for hunk in hunks]

    def test_origins_are_compared_line_by_line(self, repository: GitRepository, write: Write) -> None:
        first = repository.commit({"a.py": "one\ntwo\nthree\n"})
        second = repository.commit({"a.py": "one\n2\n3\n"})
        third = repository.commit({"a.py": ""})
        change = _change(third, "a.py", 0, 3, hunks=self._hunks((1, 3, 0, 0)))
        steps = [first, second, third]
        right = self._facts(write, repository, steps, {first: 1, second: 2}, file_changes=[change])
        direct, merged = blame_agreement(right, _reference(repository))
        assert (direct.equal, direct.total, merged.total) == (3, 3, 0)
        wrong = self._facts(write, repository, steps, {first: 2, second: 1}, file_changes=[change])
        assert blame_agreement(wrong, _reference(repository))[0].equal == pytest.approx(2)

    def test_a_merge_is_measured_against_its_predecessor(
        self, repository: GitRepository, write: Write
    ) -> None:
        first = repository.commit({"a.py": "one\ntwo\nthree\n"})
        repository.branch("work")
        repository.commit({"a.py": "one\n"}, branch="work")
        second = repository.commit({"b.py": "1\n"})
        third = repository.merge("work")
        steps = [first, second, third]
        facts = self._facts(write, repository, steps, {first: 2}, file_changes=[])
        direct, merged = blame_agreement(facts, _reference(repository))
        assert (direct.total, merged.equal, merged.total) == (0, 2, 2)

    def test_git_gets_the_parents_where_the_mainline_leaves_the_first_parent(
        self, repository: GitRepository, write: Write
    ) -> None:
        first = repository.commit({"a.py": "one\n"})
        repository.branch("work")
        repository.commit({"a.py": "one\ntwo\n"}, branch="work")
        second = repository.commit({"a.py": "one\ntwo\n"})
        back = repository.merge("main", into="work")
        repository.reset("main", back)
        last = repository.commit({"a.py": "one\n"})
        change = _change(last, "a.py", 0, 1, hunks=self._hunks((2, 1, 1, 0)))
        steps = [first, second, back, last]
        facts = self._facts(write, repository, steps, {second: 1}, file_changes=[change])
        assert blame_agreement(facts, _reference(repository))[0].share == 1
