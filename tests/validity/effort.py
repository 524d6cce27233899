"""ETV follows effort: what merged fixes earn beside the time that experts gave them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.validity import ablation, bootstrap, effort_points, labelled_sets
from tests.validity.analysed import Analysed, analyse
from tests.validity.bootstrap import Interval, Rows
from tests.validity.claims import NO_BAR, Bar, Baseline, Inputs, Missing, NotMeasured, Outcome, Part, Result
from tests.validity.effort_points import EARNED, Fix, bands, spearman

CLAIM = "ETV follows effort"
SET = "swebench_effort"
_FOLLOWS = Bar(at_least=0.715, aim=0.725)
_NOT_BELOW_CHURN = Bar(at_least=-0.01)
_BANDS = ("under 15 minutes", "to an hour", "to four hours", "more")
Row = Mapping[str, Any]
_CAN_SHOW = "whether a fix that took an expert longer earns more, among real fixes of one project."
_CANNOT_SHOW = (
    "how long features, tests or reviews take: all rows are bug fixes that were merged, and the experts judged "
    "four wide bands after the fact, from the difference."
)


def results(inputs: Inputs) -> Iterator[Outcome]:
    """Rank correlation with the time bands, the difference to churn, and each rule's part in it. Raises Missing."""
    rows = labelled_sets.rows(inputs, f"{SET}.csv")
    clones, missing = clones_of(rows, inputs)
    yield from missing
    if not clones:
        return
    fixes = effort_points.fixes(rows, clones)
    found = analyse(clones, inputs.work / "effort", select=["+fct_commit_files"])
    yield from _correlations(fixes, found)
    yield from ablation.results(fixes, found, inputs.work)


def clones_of(rows: Sequence[labelled_sets.Row], inputs: Inputs) -> tuple[dict[str, Path], list[NotMeasured]]:
    """The clones of the projects that the set names, and those that are not there."""
    clones: dict[str, Path] = {}
    missing = []
    for repo in sorted({row["repo"] for row in rows}):
        try:
            clones[repo] = labelled_sets.repository(inputs, repo)
        except Missing as told:
            missing.append(NotMeasured(CLAIM, repo, str(told)))
    return clones, missing


def _correlations(fixes: Sequence[Fix], found: Analysed) -> Iterator[Outcome]:
    entries, labels = found.rows(EARNED), bands(fixes)
    earned = effort_points.earned(fixes, entries, found.repository_ids, "points_micro")
    churn = np.array([float(fix.churn) for fix in fixes])
    every = np.arange(len(fixes))
    rows_of = {
        repo: np.array([n for n, fix in enumerate(fixes) if fix.repo == repo])
        for repo in sorted(found.repository_ids)
    }

    def follows(rows: Rows) -> float:
        return spearman(earned[rows], labels[rows])

    def plain(rows: Rows) -> float:
        return spearman(churn[rows], labels[rows])

    def beyond(rows: Rows) -> float:
        return follows(rows) - plain(rows)

    yield Result(
        CLAIM,
        "rank correlation of points of source files",
        SET,
        len(fixes),
        "fix",
        follows(every),
        _interval(every, follows),
        found.calculation_version,
        can_show=_CAN_SHOW,
        cannot_show=_CANNOT_SHOW,
        bar=_FOLLOWS,
        baselines=(Baseline("source churn", plain(every)),),
        parts=tuple(
            Part(repo, len(rows), follows(rows), _interval(rows, follows), baselines=(plain(rows),))
            for repo, rows in rows_of.items()
        ),
        notes=(
            _hours(fixes, entries, found.repository_ids),
            "The bar was measured over four projects; of the two that this set leaves out churn reached .77 and .80.",
        ),
    )
    for name, rows in {"all projects": every, **rows_of}.items():
        yield Result(
            CLAIM,
            f"points less source churn, {name}",
            SET,
            len(rows),
            "fix",
            beyond(rows),
            _interval(rows, beyond),
            found.calculation_version,
            can_show="whether what makes the score hard to game costs any of its agreement with effort.",
            cannot_show="how easily churn is gamed; the invariances do.",
            bar=NO_BAR if rows is every else _NOT_BELOW_CHURN,
        )


def _interval(rows: Rows, statistic: Callable[[Rows], float]) -> Interval:
    """Draws single fixes of `rows`."""
    return bootstrap.interval(bootstrap.grouped(rows), lambda picks: statistic(rows[picks]))


def _hours(fixes: Sequence[Fix], rows: Sequence[Row], repository_ids: Mapping[str, str]) -> str:
    """What the unit gives per band."""
    effort = effort_points.earned(fixes, rows, repository_ids, "effort_micro", all_files=True) / 1_000_000
    labels = bands(fixes)
    told = [
        f"{name} {np.median(effort[labels == band]):.2f} h of {np.sum(labels == band)}"
        for band, name in enumerate(_BANDS)
        if np.any(labels == band)
    ]
    return f"Median effort by the experts' band, tests included: {', '.join(told)}."
