"""Category of a commit by its message alone: shipped weights in SQL, and models on projects unseen in training."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dbt_project.training import agreement, categories, labelled, messages
from dbt_project.training.labelled import CATEGORIES, Labelled
from tests.validity import bootstrap, labelled_sets
from tests.validity.analysed import analyse
from tests.validity.bootstrap import Rows
from tests.validity.categories.labelled_history import LabelledHistory, Lines
from tests.validity.claims import NO_BAR, Bar, Baseline, Inputs, Outcome, Part, Result

CLAIM = "Kind of change"
SETS = {"levin": "levin_1151", "labels": "amit_feitelson_labels"}
FIXES = CATEGORIES.index("fixes")
_BAR = Bar(at_least=0.6, aim=0.65)

Classes = NDArray[np.int64]


def results(inputs: Inputs) -> Iterator[Outcome]:
    """Kappa of the warehouse's decisions on Levin's set and on another set. Raises Missing."""
    levin = labelled.levin(labelled_sets.path(inputs, "levin_1151.csv"))
    further = _further(labelled_sets.rows(inputs, f"{SETS['labels']}.csv"))
    commits = [*levin, *further]
    decided, version = _decided(commits, inputs)
    for source in SETS:
        own = _Judged.of(commits, decided, source)
        limits = _FURTHER if source == "labels" else _SEEN
        yield own.result("kappa, shipped weights in SQL", NO_BAR, version, limits, agreement.kappa)
    yield _Judged.of(commits, decided, "labels").result(
        "F1 of fixes, shipped weights in SQL", NO_BAR, version, _FURTHER, f1_of_fixes
    )


def of_unseen_projects(levin: Sequence[Labelled], decided: Classes, version: str) -> Result:
    """Kappa on Levin's commits of models trained without the project."""
    judged = _Judged.of(levin, decided, "levin")
    return judged.result("kappa, unseen projects", _BAR, version, _UNSEEN, agreement.kappa)


_UNSEEN = (
    "how the model that the training script makes decides on projects that were not in its training.",
    "more than people agree on (about .8).",
)
_SEEN = (
    "that the weights in the warehouse decide as the model they were taken from.",
    "how they do elsewhere: these commits were in the training.",
)
_FURTHER = (
    "how the shipped weights do on messages of other projects, which were in no training.",
    "what the change adds: the set has none. Rows on which classifiers differ abound.",
)


@dataclass(frozen=True)
class _Judged:
    """Commits of a set with their classes, decisions and the baseline."""

    source: str
    projects: list[str]
    classes: Classes
    decided: Classes
    plain: Classes

    @classmethod
    def of(cls, commits: Sequence[Labelled], decided: Classes, source: str) -> "_Judged":
        numbers = [n for n, commit in enumerate(commits) if commit.source == source]
        own = [commits[n] for n in numbers]
        classes = np.array([commit.category for commit in own])
        return cls(
            source,
            [commit.project for commit in own],
            classes,
            decided[numbers],
            categories.by_keywords([commit.subject for commit in own]),
        )

    def result(
        self,
        name: str,
        bar: Bar,
        version: str,
        limits: tuple[str, str],
        measure: Callable[[Classes, Classes], float],
    ) -> Result:
        def of(rows: Rows, decided: Classes) -> float:
            return measure(self.classes[rows], decided[rows])

        projects = bootstrap.grouped(self.projects)
        every = np.arange(len(self.classes))
        majority = np.full(len(every), np.bincount(self.classes).argmax())
        # A project of the further set has a row or two.
        shown = [rows for rows in projects if len(rows) >= 50]
        return Result(
            CLAIM,
            f"{name}, {SETS[self.source]}",
            SETS[self.source],
            len(every),
            "project",
            of(every, self.decided),
            bootstrap.interval(projects, lambda rows: of(rows, self.decided), draws=500),
            version,
            can_show=limits[0],
            cannot_show=limits[1],
            bar=bar,
            baselines=(
                Baseline("keywords", of(every, self.plain)),
                Baseline("commonest", of(every, majority)),
            ),
            parts=tuple(
                Part(
                    self.projects[rows[0]],
                    len(rows),
                    of(rows, self.decided),
                    baselines=(of(rows, self.plain), of(rows, majority)),
                )
                for rows in shown
            ),
        )


def f1_of_fixes(classes: Classes, decided: Classes) -> float:
    """Harmonic mean of precision and recall of fixes."""
    both = float(np.sum((classes == FIXES) & (decided == FIXES)))
    total = float(np.sum(classes == FIXES) + np.sum(decided == FIXES))
    return 2 * both / total if total else float("nan")


def _further(rows: Sequence[labelled_sets.Row]) -> list[Labelled]:
    """Commits with exactly one label."""
    found = []
    for row in rows:
        kinds = {
            category
            for column, category in (
                ("Is_Corrective", "fixes"),
                ("Is_Adaptive", "features"),
                ("Is_Perfective", "maintenance"),
                ("Is_Refactor", "maintenance"),
            )
            if row[column] == "True"
        }
        if len(kinds) == 1:
            subject, _, body = row["message"].strip().partition("\n")
            words = tuple(messages.terms(subject, body))
            category = CATEGORIES.index(kinds.pop())
            found.append(
                Labelled("labels", row["repo_name"], "", category, words, subject=subject, body=body)
            )
    return found


def _decided(commits: Sequence[Labelled], inputs: Inputs) -> tuple[Classes, str]:
    """The decisions of a warehouse for the messages of all commits."""
    history = LabelledHistory(inputs.work / "kinds.git")
    # Commits without files, so only the words decide.
    shas = [history.say(f"{commit.subject}\n\n{commit.body}", lines=Lines(0, 0)) for commit in commits]
    found = analyse(
        {"kinds": history.finish()}, inputs.work / "analysed", select=["+int_categories__commits"]
    )
    rows = found.rows("select commit_sha, category from int_categories__commits")
    by_commit = {row["commit_sha"]: row["category"] for row in rows}
    others = CATEGORIES.index("maintenance")
    numbers = {category: number for number, category in enumerate(CATEGORIES)}
    decided = [numbers.get(by_commit.get(sha, ""), others) for sha in shas]
    return np.array(decided), found.calculation_version
