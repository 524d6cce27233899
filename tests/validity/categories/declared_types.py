"""Category of commits with a declared type, decided by models trained without their repository."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dbt_project.training import agreement, categories, labelled
from dbt_project.training.labelled import Labelled
from dbt_project.training.linear import Floats, probabilities
from tests.validity import bootstrap, labelled_sets
from tests.validity.analysed import Analysed
from tests.validity.bootstrap import Rows
from tests.validity.categories import declared_history, former_categories, kind_of_change
from tests.validity.claims import Bar, Baseline, Inputs, NotMeasured, Outcome, Part, Result

CLAIM = "Declared types"
SET = "declared_types"
_LINES = """
select commit_sha, sum(lines_added) as added, sum(lines_deleted) as deleted from int_files group by commit_sha
"""
_CAN_SHOW = (
    "how the model that the training makes decides in repositories that were not in its training. The declared type is "
    "hidden from it."
)
_CANNOT_SHOW = (
    "what a careful reader would say: authors name their own work, with habits that differ, `chore` most. A third "
    "of the wrong features read as features."
)

Classes = NDArray[np.int64]
Measure = Callable[[Rows, Classes], float]


def results(inputs: Inputs) -> Iterator[Outcome]:
    """Kappa, and precision, recall and share of features by lines, with the former model beside. Raises Missing."""
    levin = labelled.levin(labelled_sets.path(inputs, "levin_1151.csv"))
    sets = [labelled_sets.path(inputs, name) for name in declared_history.SETS]
    found, missing = declared_history.read(inputs)
    yield from (NotMeasured(CLAIM, "a repository", reason) for reason in missing)
    declared = labelled.declared(sets, found.warehouse)
    scores = categories.scores_of_unseen_projects([*levin, *declared], hides=("words",))
    unseen = scores[""][: len(levin)].argmax(axis=1)
    yield kind_of_change.of_unseen_projects(levin, unseen, found.calculation_version)
    frame = _Frame.of(declared, found, {name: values[len(levin) :] for name, values in scores.items()})
    yield from frame.outcomes()


@dataclass(frozen=True)
class _Frame:
    """Commits with their declared classes, and the decisions of each model."""

    projects: list[str]
    classes: Classes
    lines: Floats
    decided: Classes
    hidden: Classes
    former: Classes
    former_hidden: Classes
    plain: Classes
    probability: Floats
    version: str

    @classmethod
    def of(cls, commits: Sequence[Labelled], found: Analysed, scores: dict[str, Floats]) -> "_Frame":
        classes = np.array([commit.category for commit in commits])
        counts = {row["commit_sha"]: (row["added"], row["deleted"]) for row in found.rows(_LINES)}
        lines = [counts[commit.sha] for commit in commits]
        factor = categories.sharpness(scores[""], classes, agreement.lines_of(commits))
        return cls(
            [commit.project for commit in commits],
            classes,
            agreement.lines_of(commits),
            scores[""].argmax(axis=1),
            scores["words"].argmax(axis=1),
            former_categories.decided(commits, lines),
            former_categories.decided(commits, lines, hide_words=True),
            categories.by_keywords([commit.subject for commit in commits]),
            probabilities(scores[""] * factor)[:, agreement.FEATURES],
            found.calculation_version,
        )

    def outcomes(self) -> Iterator[Result]:
        names = np.array(self.projects)

        def kappa(rows: Rows, decided: Classes) -> float:
            return agreement.kappa(self.classes[rows], decided[rows])

        def precision(rows: Rows, decided: Classes) -> float:
            return agreement.line_precision(self.classes[rows], decided[rows], self.lines[rows])

        def recall(rows: Rows, decided: Classes) -> float:
            return agreement.line_recall(self.classes[rows], decided[rows], self.lines[rows])

        def share_error(rows: Rows, decided: Classes) -> float:
            return agreement.share_error(
                self.classes[rows], decided[rows], self.lines[rows], list(names[rows])
            )

        def calibration(rows: Rows, decided: Classes) -> float:
            right = self.classes[rows] == agreement.FEATURES
            return agreement.calibration_error(self.probability[rows], right, self.lines[rows])

        yield self._result("kappa, unseen repositories", Bar(at_least=0.53, aim=0.6), kappa)
        yield self._result("features by lines, precision", Bar(at_least=0.75), precision)
        yield self._result("features by lines, recall", Bar(at_least=0.80), recall)
        yield self._result("error of a repository's share of features", Bar(at_most=0.07), share_error)
        yield self._result(
            "calibration error of p(features) by lines", Bar(at_most=0.05), calibration, compare=False
        )
        yield self._result("kappa, message hidden", Bar(at_least=0.38), kappa, hidden=True)

    def _result(
        self, name: str, bar: Bar, measure: Measure, *, hidden: bool = False, compare: bool = True
    ) -> Result:
        decided, former = (self.hidden, self.former_hidden) if hidden else (self.decided, self.former)
        groups = bootstrap.grouped(self.projects)
        every = np.arange(len(self.classes))
        baselines = [("former model", former)] if compare else []
        if compare and not hidden:
            baselines.append(("keywords", self.plain))
        return Result(
            CLAIM,
            name,
            SET,
            len(every),
            "repository",
            measure(every, decided),
            bootstrap.interval(groups, lambda rows: measure(rows, decided), draws=200),
            self.version,
            can_show=_CAN_SHOW,
            cannot_show=_CANNOT_SHOW,
            bar=bar,
            baselines=tuple(Baseline(label, measure(every, by)) for label, by in baselines),
            parts=tuple(
                Part(
                    self.projects[rows[0]],
                    len(rows),
                    measure(rows, decided),
                    baselines=tuple(measure(rows, by) for _, by in baselines),
                )
                for rows in groups
                if len(rows) >= 50
            ),
        )
