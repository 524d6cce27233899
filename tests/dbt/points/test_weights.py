"""The seed of line weights equals its constants and its definition."""

import csv
from itertools import pairwise

import pytest

from dbt_project.training import weights
from tests.dbt.naive import naive_scores


def test_the_seed_equals_the_constants() -> None:
    with weights.SEED.open(encoding="utf-8", newline="") as file:
        found = [tuple(row) for row in csv.reader(file)]
    assert found[1:] == [tuple(map(str, row)) for row in weights.rows()]


def test_every_weight_follows_the_definition() -> None:
    expected = {row[:3]: naive_scores.weight(*row[:3]) for row in weights.rows()}
    assert {row[:3]: row[3] for row in weights.rows()} == expected
    assert len(set(expected.values())) > 50


@pytest.mark.parametrize("kind", weights.REASONS)
def test_weights_rise_with_tokens_and_fall_with_rank(kind: str) -> None:
    ranks, sizes = range(1, weights.MAX_RANKS + 1), range(weights.MAX_TOKENS + 1)
    for rank in ranks:
        for fewer, more in pairwise(sizes):
            assert weights.weight_micro(kind, fewer, rank) <= weights.weight_micro(kind, more, rank)
    for tokens in sizes:
        for earlier, later in pairwise(ranks):
            assert weights.weight_micro(kind, tokens, earlier) >= weights.weight_micro(kind, tokens, later)


def test_every_novel_line_has_a_positive_weight() -> None:
    """A weight of 0 would also drop the removal of the line."""
    assert weights.weight_micro("novel", 1, weights.MAX_RANKS) > 0


def test_a_thousand_lines_of_one_shape_earn_hardly_more_than_the_first_ones() -> None:
    assert weights.pattern_points(1000, 4) < 6 * weights.pattern_points(1, 4)
