"""Trains the model of categories and writes the seed category_terms.csv.

    python -m dbt_project.training.categories --levin levin_1151.csv --conventional cc_commits.csv

Every figure printed comes from projects that the model had not seen. Without --write nothing is changed.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dbt_project.training import labelled
from dbt_project.training.labelled import CATEGORIES, Labelled
from dbt_project.training.linear import Floats, Model, fitted, probabilities, strongest

SEED = Path(__file__).parents[1] / "seeds" / "category_terms.csv"
KEEP = 1000
PENALTY = 0.001
# People judged the one set; in the other authors named their own work, with habits that differ by project.
IMPORTANCE = {"levin": 8.0, "conventional": 1.0}
# What fewer projects say is a name: of the project, of a part of it, of a person.
PROJECTS_PER_TERM = 3
OCCURRENCES_PER_TERM = 3
LARGEST_SHARE_OF_ONE_PROJECT = 0.8

Classes = NDArray[np.int64]


def trained(commits: Sequence[Labelled]) -> Model:
    """The model of the KEEP strongest terms."""
    sets = [commit.terms for commit in commits]
    classes = _classes(commits)
    importance = np.array([IMPORTANCE[commit.source] for commit in commits])
    everything = fitted(sets, classes, importance, shared_terms(commits), PENALTY)
    return fitted(sets, classes, importance, strongest(everything, sets, KEEP), PENALTY)


def shared_terms(commits: Sequence[Labelled]) -> list[str]:
    """The intercept, then in ascending order the terms that several projects use."""
    projects: dict[str, Counter[str]] = defaultdict(Counter)
    for commit in commits:
        for term in commit.terms:
            projects[term][commit.project] += 1
    shared = [
        term
        for term, counts in projects.items()
        if term != "bias"
        and len(counts) >= PROJECTS_PER_TERM
        and counts.total() >= OCCURRENCES_PER_TERM
        and max(counts.values()) <= LARGEST_SHARE_OF_ONE_PROJECT * counts.total()
    ]
    return ["bias", *sorted(shared)]


def scores_of_unseen_projects(commits: Sequence[Labelled]) -> Floats:
    """Scores of every commit by the model that was trained on all other projects."""
    scores = np.zeros((len(commits), len(CATEGORIES)))
    projects = np.array([commit.project for commit in commits])
    for project in sorted(set(projects)):
        unseen = np.flatnonzero(projects == project)
        model = trained([commit for commit in commits if commit.project != project])
        scores[unseen] = model.scores([commit.terms for commit in commits if commit.project == project])
    return scores


def sharpness(scores: Floats, classes: Classes, importance: Floats) -> float:
    """The factor that makes the softmax of unseen scores tell how often they are right (least log loss)."""
    rows = np.arange(len(classes))
    tried = np.arange(0.3, 2.5, 0.01)
    losses = [
        -float(np.sum(importance * np.log(probabilities(scores * factor)[rows, classes]))) for factor in tried
    ]
    return float(tried[int(np.argmin(losses))])


def kappa(classes: Classes, decided: Classes) -> float:
    """Cohen's kappa."""
    table = np.zeros((len(CATEGORIES), len(CATEGORIES)))
    np.add.at(table, (classes, decided), 1)
    share = table / table.sum()
    by_chance = float(share.sum(axis=0) @ share.sum(axis=1))
    return (float(np.trace(share)) - by_chance) / (1 - by_chance)


def calibration_error(confidence: Floats, right: NDArray[np.bool_]) -> float:
    """Mean distance between confidence and share of right decisions over ten bands of confidence."""
    bands = np.minimum((confidence * 10).astype(int), 9)
    gaps = [abs(float(np.sum(confidence[bands == b] - right[bands == b]))) for b in range(10)]
    return sum(gaps) / len(right)


def by_keywords(commits: Sequence[Labelled]) -> Classes:
    """The plain rule to beat: words of repair, words of novelty, else maintenance."""
    fix = re.compile(r"subject:(?:fix|bug|error|fail|crash|npe|issu|correct|wrong|leak|broken|prevent)")
    new = re.compile(r"subject:(?:add|implement|introduc|support|new|allow|feature|initial)")

    def decided(terms: Sequence[str]) -> int:
        if any(fix.fullmatch(term) for term in terms):
            return CATEGORIES.index("fixes")
        return CATEGORIES.index("features" if any(new.fullmatch(term) for term in terms) else "maintenance")

    return np.array([decided(commit.terms) for commit in commits])


def write(model: Model, factor: float, path: Path) -> int:
    """Writes the seed in ascending order of terms; returns how many terms weigh anything."""
    micro = np.rint(model.weights * factor * 1_000_000).astype(np.int64)
    order = sorted(range(len(model.vocabulary)), key=lambda n: (n != 0, model.vocabulary[n]))
    lines = [(model.vocabulary[n], *(int(weight) for weight in micro[n])) for n in order if micro[n].any()]
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["term_number", "term", *(f"{category}_micro" for category in CATEGORIES)])
        out.writerows((number, *line) for number, line in enumerate(lines, start=1))
    return len(lines)


def _classes(commits: Sequence[Labelled]) -> Classes:
    return np.array([commit.category for commit in commits])


def _interval(classes: Classes, decided: Classes) -> tuple[float, float]:
    """95 % of kappa over 1,000 samples with replacement."""
    chance = np.random.default_rng(1)
    picks = (chance.integers(0, len(classes), len(classes)) for _ in range(1000))
    drawn = [kappa(classes[pick], decided[pick]) for pick in picks]
    return float(np.quantile(drawn, 0.025)), float(np.quantile(drawn, 0.975))


def _report(commits: Sequence[Labelled], scores: Floats, factor: float) -> list[str]:
    lines = []
    keywords = by_keywords(commits)
    for source in IMPORTANCE:
        rows = np.array([n for n, commit in enumerate(commits) if commit.source == source])
        classes = _classes(commits)[rows]
        decided = scores[rows].argmax(axis=1)
        confidence = probabilities(scores[rows] * factor).max(axis=1)
        low, high = _interval(classes, decided)
        majority = np.full(len(rows), np.bincount(classes).argmax())
        accuracy, plain = np.mean(decided == classes), np.mean(keywords[rows] == classes)
        lines += [
            f"{source}: {len(rows)} commits of {len({commits[n].project for n in rows})} projects",
            f"  model     kappa {kappa(classes, decided):.3f} ({low:.3f} to {high:.3f})  accuracy {accuracy:.3f}",
            f"  keywords  kappa {kappa(classes, keywords[rows]):.3f}  accuracy {plain:.3f}",
            f"  majority  kappa 0.000  accuracy {np.mean(majority == classes):.3f}",
            f"  calibration error {calibration_error(confidence, decided == classes):.3f}",
        ]
        for number, category in enumerate(CATEGORIES):
            right = float(np.sum((decided == number) & (classes == number)))
            total = np.sum(decided == number) + np.sum(classes == number)
            lines.append(f"  F1 of {category} {2 * right / total:.3f}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--levin", type=Path, required=True, help="CSV of Levin & Yehudai's 1,151 commits")
    parser.add_argument("--conventional", type=Path, required=True, help="CSV of commits with declared types")
    parser.add_argument("--write", action="store_true", help=f"write {SEED.name}")
    given = parser.parse_args()
    commits = labelled.levin(given.levin) + labelled.conventional(given.conventional)
    importance = np.array([IMPORTANCE[commit.source] for commit in commits])
    scores = scores_of_unseen_projects(commits)
    factor = sharpness(scores, _classes(commits), importance)
    report = [*_report(commits, scores, factor), f"weights times {factor:.2f}"]
    if given.write:
        report.append(f"{write(trained(commits), factor, SEED)} terms written to {SEED}")
    sys.stdout.write("\n".join(report) + "\n")


if __name__ == "__main__":
    main()
