"""Commits that a project lists as changes of layout are held against its other commits."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.git_repository import GRACE, GitRepository
from tests.validity import ignored_commits
from tests.validity.claims import Inputs, NotMeasured, Result


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    for name in ("data", "repositories/vitejs", "work"):
        (tmp_path / name).mkdir(parents=True)
    return Inputs(tmp_path / "data", tmp_path / "repositories", tmp_path / "work")


@pytest.mark.parametrize(
    ("change", "is_small"),
    [
        (lambda line: line.replace("= ", "= (\n    ") + "\n)", True),
        (lambda line: line.replace("old", "new") + f" * other_{line[:5]}(7)", False),
    ],
)
def test_a_listed_commit_earns_only_what_it_changed(
    inputs: Inputs, change: Callable[[str], str], is_small: bool
) -> None:
    assert inputs.repositories
    repository = GitRepository(inputs.repositories / "vitejs/vite")
    lines = [f"name{n} = old{n} or other{n} + {n}" for n in range(20)]
    repository.commit({"a.py": "\n".join(lines) + "\n"}, "Write")
    listed = repository.commit({"a.py": "\n".join(map(change, lines)) + "\n"}, "Format", author=GRACE)
    repository.commit({ignored_commits.LISTED_IN: f"# format\n{listed}\n"}, "Pass over")
    *missing, found = ignored_commits.results(inputs)
    assert all(isinstance(one, NotMeasured) and not one.has_bar for one in missing)
    assert isinstance(found, Result)
    assert found.size == 1
    assert (found.figure < 0.02) is is_small
