"""Multinomial logistic regression over sets of terms. Knows nothing of commits."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

Floats = NDArray[np.float64]
STEPS = 400


@dataclass(frozen=True)
class Model:
    """Weights by term (row) and class (column). The first term is the intercept; unknown terms weigh nothing."""

    vocabulary: tuple[str, ...]
    weights: Floats

    def scores(self, sets: Sequence[Sequence[str]]) -> Floats:
        """One row of sums per set, the intercept included."""
        sums: Floats = np.asarray(incidence(sets, self.vocabulary[1:]) @ self.weights[1:]) + self.weights[0]
        return sums


def probabilities(scores: Floats) -> Floats:
    """Softmax of each row."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def incidence(sets: Sequence[Sequence[str]], vocabulary: Sequence[str]) -> csr_matrix:
    """A sparse matrix of zeros and ones, set × term."""
    numbers = {term: number for number, term in enumerate(vocabulary)}
    known = [[numbers[term] for term in terms if term in numbers] for terms in sets]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in known])])
    columns = np.array([number for row in known for number in row], dtype=np.int64)
    return csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(known), len(numbers)))


def fitted(
    matrix: csr_matrix, classes: NDArray[np.int64], importance: Floats, inverse_penalty: float
) -> Floats:
    """Weights of least loss: the intercept's row, then a row per column of `matrix`.

    `inverse_penalty` is what the weighted loss counts against half the squared weights (the C of the library).
    """
    regression = LogisticRegression(C=inverse_penalty, max_iter=STEPS, tol=1e-4)
    with warnings.catch_warnings():
        # The loss is flat after 400 steps; the last digits of weights decide nothing.
        warnings.filterwarnings("ignore", message="lbfgs failed to converge")
        regression.fit(matrix, classes, sample_weight=importance)
    return np.vstack([regression.intercept_, regression.coef_.T])
