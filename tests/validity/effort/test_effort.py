"""The effort claim: textbook ranks, fixes as in Git, and a whole run over a small history."""

import csv
import math
import statistics
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from dbt_project.training.weights import CHOSEN
from orchestration.deployment import LOCAL_ORGANIZATION
from tests.dbt import warehouse
from tests.dbt.invented.scenario import module, plain_code
from tests.git_repository import GRACE, GitRepository
from tests.validity.bootstrap import Interval
from tests.validity.categories.labelled_history import Files
from tests.validity.claims import Inputs, NotMeasured, Outcome, Result
from tests.validity.effort import ablation, effort, effort_points, effort_unit
from tests.validity.effort.ablation_restated import Restated

FIXES = 24


def test_ranks_are_shared_among_equals() -> None:
    # Worked by hand: ranks 1 2.5 2.5 4 and 1 2 3 4 have covariance 4.5/4 and variances 4.5/4 and 5/4.
    found = effort_points.spearman(np.array([1.0, 7.0, 7.0, 9.0]), np.array([1.0, 2.0, 3.0, 4.0]))
    assert found == pytest.approx(np.sqrt(4.5 / 5))
    assert np.isnan(effort_points.spearman(np.ones(4), np.arange(4.0)))


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    """Merged fixes of growing size and band in a small project, and fixes of a missing project."""
    folder = tmp_path_factory.mktemp("effort")
    repository = GitRepository(folder / "clones" / "acme" / "tea")
    repository.commit({"src/tea.py": "start = 1\n", "README": "x\n"}, "Start")
    # Written by people, or it would be known as a pattern. No library carries this module, or it would be a copy.
    code = plain_code("".join(module("mailbox"))).splitlines(keepends=True)
    rows = []
    for number in range(FIXES):
        name = f"fix-{number}"
        repository.branch(name)
        # Each fix is four lines longer than the one before.
        lines = code[2 * number * (number + 1) : 2 * (number + 1) * (number + 2)]
        files: Files = {
            f"src/part_{number}.py": "".join(lines),
            f"tests/test_part_{number}.py": f"assert part_{number}(tea, {number}) is cup[{number}]\n",
        }
        repository.commit(files, f"Fix {number}", branch=name)
        merge = repository.merge(name)
        rows.append({"repo": "acme/tea", "merge_sha": merge, "difficulty_ord": str(number * 4 // FIXES)})
    rows.append({"repo": "acme/tea", "merge_sha": "", "difficulty_ord": "1"})
    rows.append({"repo": "acme/coffee", "merge_sha": "0" * 40, "difficulty_ord": "1"})
    # One whose clone lacks the merge, one of which no merge is known, and one whose fixes
    # are of one band, which has no ranks: one of them reverts the other.
    rows.append({"repo": "acme/cocoa", "merge_sha": "0" * 40, "difficulty_ord": "1"})
    rows.append({"repo": "acme/juice", "merge_sha": "", "difficulty_ord": "1"})
    for name in ("cocoa", "juice", "water"):
        other = GitRepository(folder / "clones" / "acme" / name)
        other.commit({"src/tap.py": f"{name} = 1\n"}, "Start", at=datetime(2020, 1, 1, tzinfo=UTC))
    sha = other.commit({"src/tap.py": "water = boiled(2)\n"}, "Boil", at=datetime(2020, 6, 1, tzinfo=UTC))
    rows.append({"repo": "acme/water", "merge_sha": sha, "difficulty_ord": "0"})
    message = f'Revert "Boil"\n\nThis reverts commit {sha}.'
    later = datetime(2020, 6, 2, tzinfo=UTC)
    back = other.commit({"src/tap.py": "water = 1\n"}, message, author=GRACE, at=later)
    rows.append({"repo": "acme/water", "merge_sha": back, "difficulty_ord": "0"})
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


def test_fixes_that_grow_with_the_bands_correlate_strongly(outcomes: list[Outcome]) -> None:
    result = next(outcome for outcome in outcomes if isinstance(outcome, Result))
    bands = np.array([float(number * 4 // FIXES) for number in range(FIXES)])
    most = effort_points.spearman(np.arange(float(FIXES)), bands)
    assert result.size == FIXES + 2
    tea = next(part for part in result.parts if part.name == "acme/tea")
    assert tea.figure == pytest.approx(most, abs=0.05)
    assert tea.baselines[0] == pytest.approx(most)


def test_a_project_without_usable_rows_is_reported_as_missing(
    outcomes: list[Outcome],
) -> None:
    missing = {one.name: one.remedy for one in outcomes if isinstance(one, NotMeasured) and one.has_bar}
    assert missing.keys() == {"acme/coffee", "acme/cocoa", "acme/juice"}
    assert "put a clone of acme/coffee" in missing["acme/coffee"]
    assert "no merge" in missing["acme/cocoa"]
    # Two fixes of one band have no ranks; the report says so, and the figure has no bar.
    assert any(one.name.endswith("acme/water") for one in outcomes if isinstance(one, NotMeasured))
    assert sum(isinstance(one, Result) for one in outcomes) > 5


def test_etv_may_trail_churn_only_by_chance(outcomes: list[Outcome]) -> None:
    bar = next(one for one in outcomes if isinstance(one, Result) and one.name.endswith("all projects")).bar
    assert bar.passes(-0.02, Interval(-0.05, 0.01))
    assert not bar.passes(-0.05, Interval(-0.09, -0.01))
    assert not bar.passes(math.nan, Interval(math.nan, math.nan))
    assert not bar.passes(-0.02)
    middle = next(one for one in outcomes if isinstance(one, Result) and "5 to 30" in one.name)
    assert middle.size == sum(5 <= 4 * (number + 1) <= 30 for number in range(FIXES))
    assert not middle.bar.passes(0.0, Interval(-1.0, 1.0))


def test_a_fix_that_earns_nothing_is_listed_with_lines_and_reason(outcomes: list[Outcome]) -> None:
    found = next(one for one in outcomes if isinstance(one, Result) and "earn nothing in source" in one.name)
    assert found.figure == 1
    assert found.notes[0] == "1 for NO_COUNTED_LINES."
    assert "acme/water" in found.notes[1]
    assert "1 returned" in found.notes[1]


def test_points_an_hour_are_the_median_ratio() -> None:
    # Worked by hand: 10, 60 and 100 points an hour.
    points, hours = np.array([1.5, 30.0, 600.0]), np.array([0.15, 0.5, 6.0])
    assert effort_unit.points_per_hour(points, hours) == pytest.approx(60)
    assert math.isnan(effort_unit.points_per_hour(points[:0], hours[:0]))


def test_the_unit_is_fitted_over_all_files_with_its_interval_and_the_band_of_each_median(
    inputs: Inputs, outcomes: list[Outcome]
) -> None:
    found = next(one for one in outcomes if isinstance(one, Result) and one.name == "points an hour")
    assert found.interval is not None
    assert found.interval.low <= found.figure <= found.interval.high
    assert [part.name for part in found.parts] == ["acme/tea", "acme/water"]
    assert [note for note in found.notes if note.startswith("Band “")] == list(found.notes[1:])
    assert len(found.notes) == 5
    assert inputs.repositories is not None
    points: Counter[str] = Counter()
    of_sources: Counter[str] = Counter()
    query = "select commit_sha, role, points_micro from fct_commit_files"
    for row in warehouse.rows(next((inputs.work / "effort").rglob("*.duckdb")), query):
        points[row["commit_sha"]] += row["points_micro"]
        of_sources[row["commit_sha"]] += row["points_micro"] if row["role"] == "source" else 0
    with (inputs.data / "swebench_effort.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["repo"] == "acme/tea" and row["merge_sha"]]
    fixes = [effort_points.fix(row, inputs.repositories / "acme" / "tea") for row in rows]

    def median(counted: Counter[str]) -> float:
        hours = (0.15, 0.5, 2, 6)
        return statistics.median(
            sum(counted[sha] for sha in fix.commits) / 1e6 / hours[fix.band] for fix in fixes
        )

    # Tests count too, because the experts' time includes them.
    assert found.parts[0].figure == pytest.approx(median(points)) != median(of_sources)


def test_every_disabled_rule_changes_a_figure() -> None:
    nothing = ablation.Rule("")
    assert all(replace(rule, name="") != nothing for rule in ablation.RULES)
    assert len({replace(rule, name="").__repr__() for rule in ablation.RULES}) == len(ablation.RULES)


def test_history_is_restated_with_other_constants_and_back(inputs: Inputs, outcomes: list[Outcome]) -> None:
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
