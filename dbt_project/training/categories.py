"""Trains the category model and writes the seed category_terms.csv.

    python -m dbt_project.training.categories --levin levin_1151.csv --declared declared_types.csv \
        --declared cc_commits.csv --warehouse warehouse.duckdb [--write]

The warehouse holds the histories that the declared sets name; `make categories` makes it and calls this. Every figure
printed comes from projects that the model had not seen. Without --write nothing changes. Keep out: terms (messages.py).
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dbt_project.training import agreement, labelled
from dbt_project.training.labelled import CATEGORIES, Labelled
from dbt_project.training.linear import Floats, Model, fitted, incidence, probabilities

SEED = Path(__file__).parents[1] / "seeds" / "category_terms.csv"
KEEP_WORDS = 1200
# Of .03, .05, .1 and .3 the best on unseen repositories.
INVERSE_PENALTY = 0.05
FOLDS = 11
# Weights of the copies of a commit: complete, with its message hidden, with its change hidden. The model can then
# decide uninformative messages, and commits without known lines.
WHOLE, CHANGE_ALONE, WORDS_ALONE = 1.0, 0.5, 0.3
# People judged Levin's set; in the others authors named their own work.
LEVIN_WEIGHT = 4.0
# A large project must not dominate, so its number of commits and its weight have a maximum.
MAX_COMMITS_OF_PROJECT, MAX_WEIGHT_OF_PROJECT = 700, 400.0
# Terms of fewer projects are names of projects, of their parts or of people.
MIN_PROJECTS_OF_TERM, MIN_USES_OF_TERM, MAX_SHARE_OF_ONE_PROJECT = 5, 15, 0.6
# Projects that declare types hold more fixes (43 %) than histories at large.
FIXES_PRIOR = -0.3
# CapEx rests on the share of features. With this as many lines of unseen repositories are decided as features as their
# authors declared: precision and recall by lines are equal.
FEATURES_PRIOR = -0.08

Classes = NDArray[np.int64]


def trained(commits: Sequence[Labelled]) -> Model:
    """The model of the strongest words and of all terms of changes."""
    sets, classes, importance = _copies(_sampled(commits))
    vocabulary = shared_terms(commits)
    matrix = incidence(sets, vocabulary)
    weights = fitted(matrix, classes, importance, INVERSE_PENALTY)
    kept = _strongest(vocabulary, weights, np.asarray(matrix.sum(axis=0)).ravel())
    weights = fitted(matrix[:, kept], classes, importance, INVERSE_PENALTY)
    weights[0, CATEGORIES.index("fixes")] += FIXES_PRIOR
    weights[0, CATEGORIES.index("features")] += FEATURES_PRIOR
    return Model(("bias", *(vocabulary[number] for number in kept)), weights)


def shared_terms(commits: Sequence[Labelled]) -> list[str]:
    """In ascending order the terms of changes and the words that several projects use."""
    projects: dict[str, Counter[str]] = defaultdict(Counter)
    changes = set[str]()
    for commit in commits:
        changes.update(commit.changes)
        for word in commit.words:
            projects[word][commit.project] += 1
    words = [
        word
        for word, counts in projects.items()
        if len(counts) >= MIN_PROJECTS_OF_TERM
        and counts.total() >= MIN_USES_OF_TERM
        and max(counts.values()) <= MAX_SHARE_OF_ONE_PROJECT * counts.total()
    ]
    return sorted([*changes, *words])


def scores_of_unseen_projects(commits: Sequence[Labelled], *, hides: Sequence[str] = ()) -> dict[str, Floats]:
    """Scores of every commit by a model that saw no commit of its project, under "" and under each of `hides`.

    `hides` names what is hidden of the scored commits: "words" or "changes".
    """
    scores = {name: np.zeros((len(commits), len(CATEGORIES))) for name in ("", *hides)}
    for unseen in _folds(commits):
        rows = np.flatnonzero(unseen).tolist()
        model = trained([commit for commit, left_out in zip(commits, unseen, strict=True) if not left_out])
        for name, found in scores.items():
            found[rows] = model.scores([_terms(commits[row], hidden=name) for row in rows])
    return scores


def sharpness(scores: Floats, classes: Classes, importance: Floats) -> float:
    """The factor on unseen scores with which their softmax is calibrated best (least log loss)."""
    rows = np.arange(len(classes))
    tried = np.arange(0.3, 2.5, 0.01)
    losses = [
        -float(np.sum(importance * np.log(probabilities(scores * factor)[rows, classes]))) for factor in tried
    ]
    return float(tried[int(np.argmin(losses))])


def by_keywords(subjects: Sequence[str]) -> Classes:
    """The plain rule to beat: words of repair, words of novelty, else maintenance."""
    fix = re.compile(
        r"\b(?:fix|bug|error|fail|crash|npe|issue|correct|wrong|leak|broken|prevent)", re.IGNORECASE
    )
    new = re.compile(r"\b(?:add|implement|introduc|support|new|allow|feature|initial)", re.IGNORECASE)
    names = ["fixes" if fix.search(s) else "features" if new.search(s) else "maintenance" for s in subjects]
    return np.array([CATEGORIES.index(name) for name in names])


def write(model: Model, factor: float, path: Path) -> int:
    """Writes the seed, the bias first, then in ascending order of terms; returns how many terms weigh anything."""
    micro = np.rint(model.weights * factor * 1_000_000).astype(np.int64)
    lines = [
        (term, *(int(weight) for weight in row))
        for term, row in zip(model.vocabulary, micro, strict=True)
        if row.any()
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["term_number", "term", *(f"{category}_micro" for category in CATEGORIES)])
        out.writerows((number, *line) for number, line in enumerate(lines, start=1))
    return len(lines)


def _terms(commit: Labelled, hidden: str = "") -> list[str]:
    return [*(() if hidden == "words" else commit.words), *(() if hidden == "changes" else commit.changes)]


def _sampled(commits: Sequence[Labelled]) -> list[Labelled]:
    """At most MAX_COMMITS_OF_PROJECT of each project, evenly over its commits in order of their ids."""
    by_project: dict[str, list[Labelled]] = defaultdict(list)
    for commit in commits:
        by_project[commit.project].append(commit)
    found = []
    for own in by_project.values():
        count = min(len(own), MAX_COMMITS_OF_PROJECT)
        found += [own[number * len(own) // count] for number in range(count)]
    return found


def _copies(commits: Sequence[Labelled]) -> tuple[list[list[str]], Classes, Floats]:
    """Terms, classes and weights of the training rows."""
    sizes = Counter(commit.project for commit in commits)
    sets: list[list[str]] = []
    classes, importance = [], []
    for commit in commits:
        share = min(1.0, MAX_WEIGHT_OF_PROJECT / sizes[commit.project])
        copies: Iterator[tuple[list[str], float]] = iter([(list(commit.words), LEVIN_WEIGHT)])
        if commit.changes:
            copies = iter(
                [
                    (_terms(commit), WHOLE * share),
                    (list(commit.changes), CHANGE_ALONE * share),
                    (list(commit.words), WORDS_ALONE * share),
                ]
            )
        for terms, weight in copies:
            sets.append(terms)
            classes.append(commit.category)
            importance.append(weight)
    return sets, np.array(classes), np.array(importance)


def _strongest(vocabulary: Sequence[str], weights: Floats, uses: Floats) -> list[int]:
    """Numbers of all terms of changes, and of the words that move decisions most (spread of weights × root of uses)."""
    worth = np.ptp(weights[1:], axis=1) * np.sqrt(uses)
    words = [number for number, term in enumerate(vocabulary) if not term.startswith("change:")]
    chosen = set(sorted(words, key=lambda number: -worth[number])[:KEEP_WORDS])
    return [n for n, term in enumerate(vocabulary) if n in chosen or term.startswith("change:")]


def _folds(commits: Sequence[Labelled]) -> Iterator[NDArray[np.bool_]]:
    """Which commits each fold leaves out: whole projects, those of every set dealt out in turn."""
    fold_of: dict[tuple[str, str], int] = {}
    for source in sorted({commit.source for commit in commits}):
        projects = sorted({commit.project for commit in commits if commit.source == source})
        fold_of |= {(source, project): number % FOLDS for number, project in enumerate(projects)}
    numbers = np.array([fold_of[commit.source, commit.project] for commit in commits])
    for number in sorted(set(numbers.tolist())):
        yield numbers == number


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--levin", type=Path, required=True, help="CSV of Levin and Yehudai's 1,151 commits")
    parser.add_argument(
        "--declared", type=Path, required=True, action="append", help="CSV of commits with declared types"
    )
    parser.add_argument(
        "--warehouse", type=Path, required=True, help="warehouse of the repositories they name"
    )
    parser.add_argument("--write", action="store_true", help=f"write {SEED.name}")
    given = parser.parse_args()
    commits = labelled.levin(given.levin) + labelled.declared(given.declared, given.warehouse)
    found = scores_of_unseen_projects(commits, hides=("words",))
    own = np.array([commit.source == "declared" for commit in commits])
    classes = np.array([commit.category for commit in commits])
    # Shares of features, and so CapEx, are sums by lines.
    factor = sharpness(found[""][own], classes[own], agreement.lines_of(commits)[own])
    report = [
        *agreement.report(commits, {name: scores * factor for name, scores in found.items()}),
        f"weights times {factor:.2f}",
    ]
    if given.write:
        report.append(f"{write(trained(commits), factor, SEED)} terms written to {SEED}")
    sys.stdout.write("\n".join(report) + "\n")


if __name__ == "__main__":
    main()
