"""The effort claim: ranks as the textbook has them, fixes as Git tells them, and a whole run over a small history."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from dbt_project.training.weights import CHOSEN
from orchestration.deployment import LOCAL_ORGANIZATION
from tests.dbt import warehouse
from tests.dbt.stories import module, plain_code
from tests.git_repository import GitRepository
from tests.validity import ablation, effort, effort_points
from tests.validity.ablation_restated import Restated
from tests.validity.claims import Inputs, NotMeasured, Outcome, Result
from tests.validity.labelled_history import Files

FIXES = 24


def test_ranks_are_shared_among_equals() -> None:
    # Worked by hand: ranks 1 2.5 2.5 4 and 1 2 3 4 have covariance 4.5/4 and variances 4.5/4 and 5/4.
    found = effort_points.spearman(np.array([1.0, 7.0, 7.0, 9.0]), np.array([1.0, 2.0, 3.0, 4.0]))
    assert found == pytest.approx(np.sqrt(4.5 / 5))
    assert np.isnan(effort_points.spearman(np.ones(4), np.arange(4.0)))


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    """Merged fixes of growing size and band in a small project, and some of a project that is not there."""
    folder = tmp_path_factory.mktemp("effort")
    repository = GitRepository(folder / "clones" / "acme" / "tea")
    repository.commit({"src/tea.py": "start = 1\n", "README": "x\n"}, "Start")
    # Written by people, or it would be known as a pattern.
    code = plain_code("".join(module("tarfile"))).splitlines(keepends=True)
    rows = []
    for number in range(FIXES):
        name = f"fix-{number}"
        repository.branch(name)
        # Each fix is four lines longer than the one before.
        lines = code[2 * number * (number + 1) : 2 * (number + 1) * (number + 2)]
        files: Files = {
            f"src/part_{number}.py": "".join(lines),
            f"tests/test_part_{number}.py": "assert True\n" * 50,
        }
        repository.commit(files, f"Fix {number}", branch=name)
        merge = repository.merge(name)
        rows.append({"repo": "acme/tea", "merge_sha": merge, "difficulty_ord": str(number * 4 // FIXES)})
    rows.append({"repo": "acme/tea", "merge_sha": "", "difficulty_ord": "1"})
    rows.append({"repo": "acme/coffee", "merge_sha": "0" * 40, "difficulty_ord": "1"})
    (folder / "data").mkdir()
    with (folder / "data" / "swebench_effort.csv").open("w", encoding="utf-8", newline="") as file:
        sheet = csv.DictWriter(file, list(rows[0]))
        sheet.writeheader()
        sheet.writerows(rows)
    (folder / "work").mkdir()
    return Inputs(folder / "data", folder / "clones", folder / "work")


@pytest.fixture(scope="module")
def outcomes(inputs: Inputs) -> list[Outcome]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ablation, "results", lambda *_: iter(()))
        return list(effort.results(inputs))


def test_a_fix_is_its_branch_and_the_churn_of_its_source_files(inputs: Inputs) -> None:
    assert inputs.repositories is not None
    clone = inputs.repositories / "acme" / "tea"
    with (inputs.data / "swebench_effort.csv").open(encoding="utf-8", newline="") as file:
        third = list(csv.DictReader(file))[2]
    found = effort_points.fix(third, clone)
    assert (len(found.commits), found.churn, found.band) == (2, 12, 0)


def test_fixes_that_grow_with_the_bands_correlate_about_as_far_as_ties_allow(outcomes: list[Outcome]) -> None:
    result = next(outcome for outcome in outcomes if isinstance(outcome, Result))
    bands = np.array([float(number * 4 // FIXES) for number in range(FIXES)])
    most = effort_points.spearman(np.arange(float(FIXES)), bands)
    assert result.size == FIXES
    assert result.figure == pytest.approx(most, abs=0.05)
    assert result.baselines[0].figure == pytest.approx(most)
    assert result.verdict == "ok"


def test_a_project_that_is_not_there_is_said_to_be_missing(outcomes: list[Outcome]) -> None:
    missing = [outcome for outcome in outcomes if isinstance(outcome, NotMeasured)]
    assert [outcome.name for outcome in missing] == ["acme/coffee"]


def test_every_rule_that_is_switched_off_changes_something() -> None:
    nothing = ablation.Rule("")
    assert all(replace(rule, name="") != nothing for rule in ablation.RULES)
    assert len({replace(rule, name="").__repr__() for rule in ablation.RULES}) == len(ablation.RULES)


def test_history_is_restated_under_other_constants_and_back(inputs: Inputs, outcomes: list[Outcome]) -> None:
    assert outcomes
    raw = inputs.work / "effort" / "raw"
    restated = Restated(raw, inputs.work / "restated", LOCAL_ORGANIZATION)

    def total() -> int:
        return int(
            warehouse.rows(restated.warehouse, "select sum(points_micro) as n from fct_commit_files")[0]["n"]
        )

    own = total()
    restated.under(replace(CHOSEN, token_cap=1), {"test": 0}, {"file_bonus_max_micro": 0})
    assert 0 < total() < own
    restated.under(CHOSEN, {}, {})
    assert total() == own
