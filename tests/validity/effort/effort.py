"""ETV follows effort: the ETV of merged fixes compared with experts' estimates of time."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from tests.validity import bootstrap, labelled_sets
from tests.validity.analysed import Analysed, analyse
from tests.validity.bootstrap import Interval, Rows
from tests.validity.claims import NO_BAR, Bar, Baseline, Inputs, Missing, NotMeasured, Outcome, Part, Result
from tests.validity.effort import ablation, effort_points, effort_unit, effort_zero
from tests.validity.effort.effort_points import EARNED, Fix, bands, spearman

CLAIM = "ETV follows effort"
SET = "swebench_effort"
MODELS = ("+fct_commit_files",)
# Churn agrees with effort as well as any other tried rule. ETV may trail it only by chance.
_NOT_BELOW_CHURN = Bar(at_least=0.0, by_interval=True)
# Slightly above the bound, because figures are shown with three digits.
_ABOVE_CHURN = Bar(at_least=0.001)
# Range of changed source lines in which size alone says little about effort.
_MIDDLE = (5, 30)
_CAN_SHOW = "whether a fix that took an expert longer earns more, among real fixes of one project."
_CANNOT_SHOW = (
    "how long features, tests or reviews take: all rows are bug fixes that were merged, and the experts judged "
    "four wide bands after the fact, from the difference."
)


def results(inputs: Inputs) -> Iterator[Outcome]:
    """Rank correlation with the time bands, the difference to churn, the unit, and the effect of each rule.

    Raises Missing.
    """
    fixes, clones, missing = usable(labelled_sets.rows(inputs, f"{SET}.csv"), inputs)
    yield from missing
    if not fixes:
        return
    found = analyse(clones, inputs.work / "effort", select=MODELS)
    yield from of_warehouse(fixes, found)
    yield from ablation.results(fixes, found, inputs.work)


def usable(
    rows: Sequence[labelled_sets.Row], inputs: Inputs
) -> tuple[list[Fix], dict[str, Path], list[NotMeasured]]:
    """The fixes with a merge in a clone, these clones, and a NotMeasured for each other project."""
    clones: dict[str, Path] = {}
    missing = []
    for repo in sorted({row["repo"] for row in rows}):
        try:
            clones[repo] = labelled_sets.repository(inputs, repo)
        except Missing as error:
            missing.append(NotMeasured(CLAIM, repo, str(error)))
    fixes = effort_points.fixes(rows, clones)
    empty = sorted(clones.keys() - {fix.repo for fix in fixes})
    missing += [
        NotMeasured(CLAIM, repo, f"no merge that the set names is in {clones.pop(repo)}") for repo in empty
    ]
    return fixes, clones, missing


def of_warehouse(fixes: Sequence[Fix], found: Analysed) -> Iterator[Outcome]:
    """All results from one warehouse of the projects of the fixes."""
    entries = found.rows(EARNED)
    points = effort_points.earned(fixes, entries, found.repository_ids, "points_micro")
    yield from _Compared(fixes, points, found.calculation_version).outcomes()
    yield effort_zero.result(CLAIM, SET, fixes, found)
    yield from effort_unit.results(CLAIM, SET, fixes, entries, found)


class _Compared:
    """Points and churn of the same fixes, with their time bands."""

    def __init__(self, fixes: Sequence[Fix], points: effort_points.Figures, version: str) -> None:
        self._points, self._labels, self._version = points, bands(fixes), version
        self._churn = np.array([float(fix.churn) for fix in fixes])
        self._every = np.arange(len(fixes))
        self._rows_of = {
            repo: np.array([n for n, fix in enumerate(fixes) if fix.repo == repo])
            for repo in sorted({fix.repo for fix in fixes})
        }

    def outcomes(self) -> Iterator[Outcome]:
        """The correlation, then its difference to that of churn for all and for parts of the fixes."""
        yield self._correlation()
        yield self._difference("all projects", self._every, _NOT_BELOW_CHURN)
        low, high = _MIDDLE
        middle = self._every[(self._churn >= low) & (self._churn <= high)]
        yield self._difference(f"fixes of {low} to {high} changed lines", middle, _ABOVE_CHURN)
        yield self._difference("without fixes that earn nothing", self._every[self._points > 0], NO_BAR)
        for repo, rows in self._rows_of.items():
            yield self._difference(repo, rows, NO_BAR)

    def _correlation(self) -> Result:
        return Result(
            CLAIM,
            "rank correlation of points of source files",
            SET,
            len(self._every),
            "fix",
            self._follows(self._every),
            _interval(self._every, self._follows),
            self._version,
            can_show=_CAN_SHOW,
            cannot_show=_CANNOT_SHOW,
            baselines=(Baseline("source churn", self._plain(self._every)),),
            parts=tuple(
                Part(
                    repo,
                    len(rows),
                    self._follows(rows),
                    _interval(rows, self._follows),
                    baselines=(self._plain(rows),),
                )
                for repo, rows in self._rows_of.items()
            ),
        )

    def _difference(self, name: str, rows: Rows, bar: Bar) -> Outcome:
        name = f"points less source churn, {name}"
        if np.isnan(self._beyond(rows)):
            remedy = f"{len(rows)} fixes in one time band or of one size have no ranks to compare"
            return NotMeasured(CLAIM, name, remedy, has_bar=bar != NO_BAR)
        return Result(
            CLAIM,
            name,
            SET,
            len(rows),
            "fix",
            self._beyond(rows),
            _interval(rows, self._beyond),
            self._version,
            can_show="whether what makes the score hard to game costs any of its agreement with effort.",
            cannot_show="how easily churn is gamed; the invariances do.",
            bar=bar,
            notes=(f"Points {self._follows(rows):.3f}, source churn {self._plain(rows):.3f}.",),
        )

    def _follows(self, rows: Rows) -> float:
        return _correlated(self._points[rows], self._labels[rows])

    def _plain(self, rows: Rows) -> float:
        return _correlated(self._churn[rows], self._labels[rows])

    def _beyond(self, rows: Rows) -> float:
        return self._follows(rows) - self._plain(rows)


def _correlated(figures: effort_points.Figures, labels: effort_points.Figures) -> float:
    return spearman(figures, labels) if len(figures) else float("nan")


def _interval(rows: Rows, statistic: Callable[[Rows], float]) -> Interval | None:
    """Draws single fixes of `rows`. None where no draw has a value."""
    found = bootstrap.interval(bootstrap.grouped(rows), lambda picks: statistic(rows[picks]))
    return None if np.isnan(found.low) else found
