"""Commits that a project lists as changes of layout are held against its other commits."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.git_repository import GRACE, GitRepository
from tests.validity import ignored_commits
from tests.validity.claims import Inputs, NotMeasured, Result

LINES = [f"name{n} = old{n} or other{n} + {n}" for n in range(20)]


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    for name in ("data", "repositories", "work"):
        (tmp_path / name).mkdir()
    return Inputs(tmp_path / "data", tmp_path / "repositories", tmp_path / "work")


def write(folder: Path, change: Callable[[str], str]) -> None:
    """A repository that lists a commit which changed every line."""
    repository = GitRepository(folder)
    lines = [f"{folder.name}_{line}" for line in LINES]
    repository.commit({"a.py": "\n".join(lines) + "\n"}, f"Write {folder.name}")
    listed = repository.commit(
        {"a.py": "\n".join(map(change, lines)) + "\n"}, f"Format {folder.name}", author=GRACE
    )
    repository.commit({ignored_commits.LISTED_IN: f"# format\n{listed}\n"}, f"Pass over {folder.name}")


def test_a_listed_commit_earns_only_what_it_changed(inputs: Inputs) -> None:
    assert inputs.repositories
    write(inputs.repositories / "vitejs/vite", lambda line: line.replace("= ", "= (\n    ") + "\n)")
    write(
        inputs.repositories / "pydata/xarray",
        lambda line: line.replace("old", "new") + f" * other_{line[:12]}(7)",
    )
    *missing, found = ignored_commits.results(inputs)
    assert {one.name for one in missing} == {"PyGithub/PyGithub", "pytest-dev/pytest"}
    assert all(isinstance(one, NotMeasured) and not one.has_bar for one in missing)
    assert isinstance(found, Result)
    assert found.size == 2
    of = {part.name: part.figure for part in found.parts}
    assert of["vitejs/vite"] < 0.02 < of["pydata/xarray"]
