"""Confidence intervals by bootstrap: the values of a figure for other samples of labelled units."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

DRAWS = 1000
SEED = 20_240_101
Rows = NDArray[np.int64]


class Interval(NamedTuple):
    """The middle 95 % of the draws."""

    low: float
    high: float


def interval(groups: Sequence[Rows], statistic: Callable[[Rows], float], *, draws: int = DRAWS) -> Interval:
    """Draw groups of rows (by project, person or commit) with replacement and apply the statistic to the rows.

    The same groups give the same interval. Draws without a value (NaN) are omitted; NaN if no draw has a value.
    """
    chance = np.random.default_rng(SEED)
    drawn = np.empty(draws)
    for number in range(draws):
        picks = chance.integers(0, len(groups), len(groups))
        drawn[number] = statistic(np.concatenate([groups[pick] for pick in picks]))
    if np.isnan(drawn).all():
        return Interval(float("nan"), float("nan"))
    low, high = np.nanquantile(drawn, (0.025, 0.975))
    return Interval(float(low), float(high))


def mean(values: Sequence[float]) -> float:
    """The mean; NaN if there are no values."""
    return sum(values) / len(values) if values else float("nan")


def grouped(keys: Iterable[object]) -> list[Rows]:
    """Row numbers of each distinct key, in order of first appearance."""
    rows: dict[object, list[int]] = {}
    for number, key in enumerate(keys):
        rows.setdefault(key, []).append(number)
    return [np.array(numbers, dtype=np.int64) for numbers in rows.values()]


def share(hits: Sequence[bool], keys: Iterable[object] | None = None) -> Interval:
    """Interval of the share of hits. Without keys every row is a group."""
    values = np.array(hits, dtype=float)
    groups = grouped(range(len(values)) if keys is None else keys)
    if len(groups) == len(values):
        # One row a group: the same draws at once.
        chance = np.random.default_rng(SEED)
        drawn = [float(values[chance.integers(0, len(values), len(values))].mean()) for _ in range(DRAWS)]
        low, high = np.quantile(drawn, (0.025, 0.975))
        return Interval(float(low), float(high))
    return interval(groups, lambda rows: float(values[rows].mean()))
