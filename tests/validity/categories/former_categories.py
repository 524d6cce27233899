"""The former category model, as a baseline: words, and the ratio of added and deleted lines.

Its weights (former_category_terms.csv) were trained on Levin's commits and on five of the repositories of the declared
types, which it has therefore seen. Keep out: today's model (dbt_project/training).
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dbt_project.training.labelled import CATEGORIES, Labelled
from dbt_project.training.linear import Model

_WEIGHTS = Path(__file__).with_name("former_category_terms.csv")


def decided(
    commits: Sequence[Labelled], lines: Sequence[tuple[int, int]], *, hide_words: bool = False
) -> NDArray[np.int64]:
    """Categories by number. `lines` are the added and deleted lines of each commit."""
    sets = [
        [*(() if hide_words else commit.words), _shape(*counts)]
        for commit, counts in zip(commits, lines, strict=True)
    ]
    return np.asarray(_model().scores(sets).argmax(axis=1))


def _model() -> Model:
    with _WEIGHTS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    weights = np.array([[int(row[f"{name}_micro"]) for name in CATEGORIES] for row in rows]) / 1_000_000
    return Model(tuple(row["term"] for row in rows), weights)


def _shape(added: int, deleted: int) -> str:
    if added + deleted == 0:
        return "fact:no lines"
    if deleted == 0:
        return "fact:only adds"
    if added == 0:
        return "fact:only deletes"
    if added > 4 * deleted:
        return "fact:mostly adds"
    return "fact:mostly deletes" if deleted > 2 * added else "fact:edits"
