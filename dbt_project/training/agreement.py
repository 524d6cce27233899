"""The agreement of decisions about kinds of commits with labels: the figures that training and validity print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dbt_project.training.labelled import CATEGORIES, Labelled
from dbt_project.training.linear import Floats, probabilities

FEATURES = CATEGORIES.index("features")
# A commit decides a figure by lines with at most this many. Without a limit a few commits of tens of thousands of lines
# (an old part removed, a library brought in) decide it.
MAX_LINES_OF_COMMIT = 1000
Classes = NDArray[np.int64]


def lines_of(commits: Sequence[Labelled]) -> Floats:
    """The lines with which each commit counts in the figures by lines."""
    return np.array([float(min(commit.lines, MAX_LINES_OF_COMMIT)) for commit in commits])


def kappa(classes: Classes, decided: Classes, weights: Floats | None = None) -> float:
    """Cohen's kappa of two lists of class numbers, of commits or, with `weights`, of their lines."""
    count = 1 + int(max(classes.max(), decided.max()))
    table = np.zeros((count, count))
    np.add.at(table, (classes, decided), 1 if weights is None else weights)
    share = table / table.sum()
    by_chance = float(share.sum(axis=0) @ share.sum(axis=1))
    return (float(np.trace(share)) - by_chance) / (1 - by_chance)


def line_precision(classes: Classes, decided: Classes, lines: Floats) -> float:
    """Share of the lines decided as features that were declared as such."""
    chosen = decided == FEATURES
    return float(lines[chosen & (classes == FEATURES)].sum() / max(lines[chosen].sum(), 1.0))


def line_recall(classes: Classes, decided: Classes, lines: Floats) -> float:
    """Share of the lines declared as features that were decided as such."""
    declared = classes == FEATURES
    return float(lines[declared & (decided == FEATURES)].sum() / max(lines[declared].sum(), 1.0))


def share_error(classes: Classes, decided: Classes, lines: Floats, projects: Sequence[str]) -> float:
    """Mean over projects of the distance between the decided and the declared share of features, by lines."""
    names = np.array(projects)
    errors = []
    for project in sorted(set(projects)):
        rows = names == project
        total = lines[rows].sum()
        decided_share = lines[rows & (decided == FEATURES)].sum() / total
        declared_share = lines[rows & (classes == FEATURES)].sum() / total
        errors.append(abs(float(decided_share - declared_share)))
    return float(np.mean(errors))


def calibration_error(probability: Floats, right: NDArray[np.bool_], weights: Floats) -> float:
    """Mean distance between probability and share of right decisions over ten bands of probability, by weight."""
    bands = np.minimum((probability * 10).astype(int), 9)
    gaps = [abs(float(np.sum((weights * (probability - right))[bands == band]))) for band in range(10)]
    return sum(gaps) / float(weights.sum())


def report(commits: Sequence[Labelled], scores: Mapping[str, Floats]) -> list[str]:
    """Lines of text for every set; `scores` are by what was hidden, as `scores_of_unseen_projects` gives them."""
    found = []
    lines = lines_of(commits)
    for source in sorted({commit.source for commit in commits}):
        rows = np.array([n for n, commit in enumerate(commits) if commit.source == source])
        projects = [commits[row].project for row in rows]
        classes = np.array([commits[row].category for row in rows])
        decided = scores[""][rows].argmax(axis=1)
        found += [
            f"{source}: {len(rows)} commits of {len(set(projects))} projects",
            f"  kappa {kappa(classes, decided):.3f}, of lines {kappa(classes, decided, lines[rows]):.3f}",
        ]
        if source == "declared":
            hidden = scores["words"][rows].argmax(axis=1)
            probability = probabilities(scores[""][rows])[:, FEATURES]
            error = calibration_error(probability, classes == FEATURES, lines[rows])
            found += [
                f"  lines: at most {MAX_LINES_OF_COMMIT:,} of a commit",
                f"  features by lines: precision {line_precision(classes, decided, lines[rows]):.3f}",
                f"  features by lines: recall {line_recall(classes, decided, lines[rows]):.3f}",
                f"  error of a project's share of features {share_error(classes, decided, lines[rows], projects):.3f}",
                f"  calibration error of p(features) by lines {error:.3f}",
                f"  message hidden: kappa {kappa(classes, hidden):.3f}",
            ]
        for number, category in enumerate(CATEGORIES):
            right = float(np.sum((decided == number) & (classes == number)))
            total = float(np.sum(decided == number) + np.sum(classes == number))
            found.append(f"  F1 of {category} {2 * right / total:.3f}")
    return found
