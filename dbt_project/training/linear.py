"""Multinomial logistic regression with an L2 penalty over sets of terms, in plain numpy.

Knows nothing of commits. Starts from zero and takes a fixed number of steps, so a run repeats itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
STEPS = 150


@dataclass(frozen=True)
class Model:
    """Weights by term (row) and class (column); unknown terms weigh nothing."""

    vocabulary: tuple[str, ...]
    weights: Floats

    def scores(self, sets: Sequence[Sequence[str]]) -> Floats:
        """One row of sums per set."""
        return _Incidence(sets, self.vocabulary).times(self.weights)


def probabilities(scores: Floats) -> Floats:
    """Softmax of each row."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def fitted(
    sets: Sequence[Sequence[str]],
    classes: NDArray[np.int64],
    importance: Floats,
    vocabulary: Sequence[str],
    penalty: float,
) -> Model:
    """The model of least penalized loss. The first term of the vocabulary is the intercept and goes unpunished."""
    incidence = _Incidence(sets, vocabulary)
    share = (importance / importance.sum())[:, None]
    wanted = np.eye(int(classes.max()) + 1)[classes]
    penalties = np.full((len(vocabulary), 1), penalty)
    penalties[0] = 0.0
    step = 1.0 / (0.5 * incidence.largest_curvature(share) + penalty)
    weights = ahead = np.zeros((len(vocabulary), wanted.shape[1]))
    momentum = 1.0
    for _ in range(STEPS):
        error = (probabilities(incidence.times(ahead)) - wanted) * share
        moved = ahead - step * (incidence.transposed_times(error) + penalties * ahead)
        if float(np.sum((ahead - moved) * (moved - weights))) > 0:
            # The last step overshot: gather speed anew.
            momentum, ahead = 1.0, moved
        else:
            faster = (1 + np.sqrt(1 + 4 * momentum * momentum)) / 2
            ahead = moved + (momentum - 1) / faster * (moved - weights)
            momentum = float(faster)
        weights = moved
    return Model(tuple(vocabulary), weights)


def strongest(model: Model, sets: Sequence[Sequence[str]], keep: int) -> list[str]:
    """The terms that move the decisions most, by spread of weights × root of occurrences; the intercept first."""
    occurrences = np.bincount(_Incidence(sets, model.vocabulary).columns, minlength=len(model.vocabulary))
    worth = np.ptp(model.weights, axis=1) * np.sqrt(occurrences)
    worth[0] = np.inf
    chosen = np.sort(np.argsort(-worth, kind="stable")[:keep])
    return [model.vocabulary[number] for number in chosen]


class _Incidence:
    """A matrix of zeros and ones, set × term, as the column numbers of its ones. Every set has the first term."""

    def __init__(self, sets: Sequence[Sequence[str]], vocabulary: Sequence[str]) -> None:
        numbers = {term: number for number, term in enumerate(vocabulary)}
        known = [[numbers[term] for term in terms if term in numbers] for terms in sets]
        sizes = np.array([len(row) for row in known])
        self.columns = np.array([number for row in known for number in row], dtype=np.int64)
        self._starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self._rows = np.repeat(np.arange(len(known)), sizes)
        self._width = len(vocabulary)

    def times(self, weights: Floats) -> Floats:
        return np.add.reduceat(weights[self.columns], self._starts, axis=0)

    def transposed_times(self, values: Floats) -> Floats:
        sums = [np.bincount(self.columns, values[self._rows, k], self._width) for k in range(values.shape[1])]
        return np.stack(sums, axis=1)

    def largest_curvature(self, share: Floats) -> float:
        direction = np.ones((self._width, 1))
        length = 1.0
        for _ in range(15):
            turned = self.transposed_times(share * self.times(direction))
            length = float(np.linalg.norm(turned))
            direction = turned / length
        # Power iteration comes from below.
        return length * 1.05
