"""The unit: points of all files of a fix per hour of the experts' estimate."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tests.validity import bootstrap
from tests.validity.analysed import Analysed
from tests.validity.bootstrap import Rows
from tests.validity.claims import Outcome, Part, Result
from tests.validity.effort import effort_points
from tests.validity.effort.effort_points import Fix

# Representative hours and upper end of each band: under 15 minutes, to an hour, to four hours, more.
HOURS = np.array([0.15, 0.5, 2.0, 6.0])
_ENDS = (0.25, 1.0, 4.0, float("inf"))
_NAMES = ("under 15 minutes", "to an hour", "to four hours", "more")
Row = Mapping[str, Any]


def points_per_hour(points: effort_points.Figures, hours: effort_points.Figures) -> float:
    """Median ratio, which a few large fixes do not affect; NaN without fixes."""
    return float(np.median(points / hours)) if len(points) else float("nan")


def results(
    claim: str, set_name: str, fixes: Sequence[Fix], entries: Sequence[Row], found: Analysed
) -> Iterator[Outcome]:
    """Points an hour by project, and the band in which the median effort of each band lies."""
    points, effort = (
        effort_points.earned(fixes, entries, found.repository_ids, column, all_files=True) / 1_000_000
        for column in ("points_micro", "effort_micro")
    )
    labels = effort_points.bands(fixes)
    hours = HOURS[labels.astype(int)]
    every = np.arange(len(fixes))

    def fitted(rows: Rows) -> float:
        return points_per_hour(points[rows], hours[rows])

    def part(repo: str) -> Part:
        own = np.array([n for n, fix in enumerate(fixes) if fix.repo == repo])
        interval = bootstrap.interval(bootstrap.grouped(own), lambda picks: fitted(own[picks]))
        return Part(repo, len(own), fitted(own), interval)

    yield Result(
        claim,
        "points an hour",
        set_name,
        len(fixes),
        "fix",
        fitted(every),
        bootstrap.interval(bootstrap.grouped(every), fitted),
        found.calculation_version,
        can_show="the unit: what `points_per_effort` of dbt_project.yml stands for, over all files of each fix.",
        cannot_show="how far a single change is off: about a factor of two either way.",
        parts=tuple(part(repo) for repo in sorted({fix.repo for fix in fixes})),
        notes=(
            f"Bands are taken at {', '.join(f'{hour:g}' for hour in HOURS)} hours.",
            *_medians(effort, labels),
        ),
        is_count=False,
    )


def _medians(effort: effort_points.Figures, labels: effort_points.Figures) -> Iterator[str]:
    for band, name in enumerate(_NAMES):
        own = effort[labels == band]
        if len(own):
            median = float(np.median(own))
            lies_in = next(name for name, end in zip(_NAMES, _ENDS, strict=True) if median < end)
            verdict = "in its band" if lies_in == name else f"in the band “{lies_in}”"
            yield f"Band “{name}”: {len(own)} fixes, median effort {median:.2f} h, {verdict}."
