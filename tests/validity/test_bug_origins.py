"""The claim about bug-introducing commits on an invented history: right, wrong, unanswered and missing fixes."""

import csv

import pytest

from tests.git_repository import GitRepository
from tests.validity import bug_origins
from tests.validity.analysed import Analysed
from tests.validity.claims import Inputs, Missing, Outcome, Result

LINES = "".join(f"int total_{number} = {number};\n" for number in range(20))
OTHER = "int other(int a)\n{\n\tint b = a;\n\tif (b)\n\t\treturn b;\n\treturn 2;\n}\n"


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    folder = tmp_path_factory.mktemp("origins")
    for name in ("data", "repositories", "work"):
        (folder / name).mkdir()
    repository = GitRepository(folder / "repositories" / "tea")
    first = repository.commit({"a.c": LINES}, "Add totals")
    second = repository.commit({"b.c": OTHER}, "Add other")
    changed = LINES.replace("total_3 = 3", "total_3 = 33")
    third = repository.commit({"a.c": changed}, "Change a total")
    fixes = {
        "right": {"a.c": changed.replace("total_12 = 12", "total_12 = 120")},
        "beside": {"b.c": OTHER.replace("\treturn 2", "\ta++;\n\treturn 2")},
        "wrong": {
            "a.c": changed.replace("total_12 = 12", "total_12 = 120").replace("total_3 = 33", "total_3 = 4")
        },
        "new": {"c.c": "int c;\n"},
    }
    said = {name: repository.commit(files, f"Fix it\n\nFixes: {first[:12]}") for name, files in fixes.items()}
    labels = [("right", first), ("beside", second), ("wrong", first), ("new", third), ("right", "0" * 40)]
    with (folder / "data" / "fixes_pairs.csv").open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["repo", "fix_sha", "bic_sha"])
        out.writerows(["cup/tea", said[name], origin] for name, origin in labels)
    return Inputs(folder / "data", folder / "repositories", folder / "work")


@pytest.fixture(scope="module")
def outcomes(inputs: Inputs) -> list[Outcome]:
    return list(bug_origins.results(inputs))


def test_edges_equal_a_count_by_hand(outcomes: list[Outcome]) -> None:
    edges = outcomes[0]
    assert isinstance(edges, Result)
    # Four labels and three answers, two of them right; the pair of an unknown commit is not measured.
    assert edges.size == 4
    assert edges.figure == pytest.approx(4 / 7)
    # Most blamed answers where lines go, once right; the last to the file answers in old files, once right.
    assert [round(one.figure, 4) for one in edges.baselines] == [round(2 / 6, 4), round(2 / 7, 4)]
    assert edges.notes[0].startswith("1 pairs are not measured")
    assert {part.name: part.size for part in edges.parts} == {
        "removed lines": 2,
        "surroundings": 1,
        "no earlier lines": 1,
    }


def test_coverage_and_calibration_use_the_same_fixes(outcomes: list[Outcome]) -> None:
    coverage, calibration = outcomes[1:]
    assert isinstance(coverage, Result)
    assert isinstance(calibration, Result)
    assert (coverage.size, coverage.figure) == (4, 0.75)
    assert coverage.notes == ("4 of 4 are taken for fixes.",)
    assert calibration.size == sum(part.size for part in calibration.parts) == 3
    assert sum(part.size * part.figure for part in calibration.parts) == pytest.approx(2)


def test_a_clone_without_the_commits_measures_nothing(inputs: Inputs, outcomes: list[Outcome]) -> None:
    assert outcomes
    folder = inputs.work / "analysed"
    analysed = Analysed(next(folder.rglob("*.duckdb")), folder / "raw", {}, "0.0.0")
    with pytest.raises(Missing, match="default branch"):
        list(bug_origins.measured(analysed, [("1" * 40, "2" * 40)]))
