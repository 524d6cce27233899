"""Categories of commits of this project, compared with two readers of the same messages and changes.

The list is part of the project: 80 of its commits, drawn at random; the readers did not see each other's answers.
"""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from dbt_project.training import agreement
from tests.validity import bootstrap
from tests.validity.analysed import analyse
from tests.validity.arrivals.imports import PROJECT, THIS, own_clone
from tests.validity.bootstrap import Rows
from tests.validity.claims import NO_BAR, Baseline, Inputs, Missing, Outcome, Part, Result

CLAIM = "project commits"
LIST = Path(__file__).with_name("project_commits.csv")
CATEGORIES = ("features", "fixes", "maintenance", "tests", "documentation")
_DECIDED = "select commit_sha, category from fct_commits"


def results(inputs: Inputs) -> Iterator[Outcome]:
    """Kappa of the product with both readers, and of the readers with each other. Raises Missing."""
    found = analyse({THIS: own_clone()}, inputs.work / "project", select=["+fct_commits"])
    decided = {row["commit_sha"][:12]: row["category"] for row in found.rows(_DECIDED)}
    with LIST.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["commit"] in decided]
    if not rows:
        raise Missing(
            f"no commit of {LIST.name} is on the default branch of {PROJECT}; fetch its whole history"
        )
    first, second = (
        [CATEGORIES.index(row[reader]) for row in rows] for reader in ("first_reader", "second_reader")
    )
    ours = [CATEGORIES.index(decided[row["commit"]]) for row in rows]
    agreed = [number for number, one in enumerate(first) if one == second[number]]
    yield _kappa(
        "kappa of the product with both readers",
        [first[number] for number in agreed],
        [ours[number] for number in agreed],
        found.calculation_version,
        "whether the categories of this project's commits are what a reader of the change would say.",
    )
    yield _kappa(
        "kappa of one reader with the other",
        first,
        second,
        found.calculation_version,
        "how far two readers agree, which no model can pass.",
    )


def _kappa(name: str, said: Sequence[int], decided: Sequence[int], version: str, can_show: str) -> Result:
    labels, answers = np.array(said), np.array(decided)

    def kappa(rows: Rows) -> float:
        return agreement.kappa(labels[rows], answers[rows])

    every = np.arange(len(labels))
    commonest = np.full(len(labels), np.bincount(labels).argmax())
    return Result(
        CLAIM,
        name,
        LIST.name,
        len(labels),
        "commit",
        kappa(every),
        bootstrap.interval([np.array([number]) for number in every], kappa),
        version,
        can_show=can_show,
        cannot_show="how it does elsewhere: one project, one way to write messages.",
        bar=NO_BAR,
        baselines=(Baseline("commonest", agreement.kappa(labels, commonest)),),
        parts=tuple(
            Part(
                f"share right of {category}",
                int(np.sum(labels == number)),
                float(np.mean(answers[labels == number] == number)),
                baselines=(float(np.mean(commonest[labels == number] == number)),),
            )
            for number, category in enumerate(CATEGORIES)
            if number in labels
        ),
    )
