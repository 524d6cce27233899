"""Classes of delivered lines agree with plain loops over whole files, on random and on real histories."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction
from tests.ingest.git.line_facts import compare, judge_naively, stored_facts
from tests.ingest.git.random_history import RandomHistory
from tests.project_history import copy_mainline
from tests.suite.tiers import IS_WHOLE

# Raised to look for rare differences: EAS_ was cleared by conftest.py, so this name is another.
HISTORIES = int(os.environ.get("LINE_HISTORIES", "20" if IS_WHOLE else "8"))
STEPS = 25
OWN_COMMITS = 40


@pytest.fixture(scope="module")
def histories(tmp_path_factory: pytest.TempPathFactory) -> list[Extraction]:
    """Random histories, extracted."""
    found = []
    for seed in range(HISTORIES):
        folder = tmp_path_factory.mktemp(f"random{seed}")
        history = RandomHistory(GitRepository(folder / "repository"), seed)
        for _ in range(STEPS):
            history.step()
        extraction = Extraction(history.repository.path, folder / "raw")
        extraction.run()
        found.append(extraction)
    return found


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_classes_are_those_of_the_plain_loops(seed: int, histories: list[Extraction]) -> None:
    differences, compared = compare(histories[seed])

    assert not differences, differences[:5]
    assert compared > 0


def test_the_random_histories_have_every_class_many_times(histories: list[Extraction]) -> None:
    """Without many examples of every class the agreement above would prove little."""
    found: dict[str, int] = {}
    dead: dict[tuple[object, ...], int] = {}
    for extraction in histories:
        facts = stored_facts(extraction)
        for key, lines in facts.added.items():
            found[key[9]] = found.get(key[9], 0) + lines
        for key, lines in facts.removed.items():
            dead[key[-3:]] = dead.get(key[-3:], 0) + lines

    assert found.keys() == {"layout", "moved", "returned", "copied", "substituted", "comment", "novel"}
    assert min(found.values()) > 30, found
    assert len(dead) == 8, "every combination of token gone, replaced and alive elsewhere"


@pytest.fixture(scope="module")
def own_history(tmp_path_factory: pytest.TempPathFactory) -> Extraction:
    """The first commits of the project itself, extracted."""
    folder = tmp_path_factory.mktemp("own")
    copy = copy_mainline(folder / "project.git", OWN_COMMITS)
    extraction = Extraction(copy, folder / "raw")
    extraction.run()
    return extraction


def test_classes_of_the_projects_own_history_are_those_of_the_plain_loops(own_history: Extraction) -> None:
    differences, compared = compare(own_history)

    assert not differences, differences[:5]
    assert compared > 0


def test_the_comparison_with_the_plain_loops_finds_differences(
    new_repository: Callable[..., GitRepository], tmp_path: Path
) -> None:
    """The comparison notices one more line in a delivery."""
    repository = new_repository()
    repository.commit({"a.py": "x = load(1)\n"})
    repository.commit({"a.py": "x = load(1)\ny = save(2)\n"})
    extraction = Extraction(repository.path, tmp_path / "raw")
    extraction.run()
    stored = stored_facts(extraction)
    key = next(key for key in stored.added if key[0] == repository.heads["main"])
    stored.added[key] += 1
    stored.added[(*key[:-1], 2)] += 1

    assert not compare(extraction)[0]
    assert len(stored.differences(stored_facts(extraction))) == 2
    assert len(judge_naively(extraction)) == 2
