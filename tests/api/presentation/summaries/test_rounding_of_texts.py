"""Texts round what they write; facts, and what is held against their ranges, stay as they were measured."""

from dataclasses import replace

import pytest

from api.control.categories import CATEGORIES
from api.presentation.summaries.composing import compose
from api.presentation.summaries.composing.causes import with_other_cause
from api.presentation.summaries.facts import Fact
from api.presentation.summaries.formats.plain_text import to_text
from api.presentation.summaries.verification import verify
from orchestration.summaries.restated import differences
from tests.api.presentation.summaries.invented_facts import fact

SHARES = (0.2053, 0.2353, 0.2651, 0.1649, 0.1294)
LOWS = (0.15, 0.15, 0.2651, 0.1, 0.1)
HIGHS = (0.3, 0.3, 0.34, 0.3, 0.2)
PARTS = {"features": 4.84, "maintenance": 3.06, "tests": 0.76, "fixes": 1.78}
NOTE = "Each figure is rounded by itself."


def shares(values: tuple[float, ...]) -> tuple[Fact, ...]:
    return with_other_cause(
        fact(f"category_share.{name}", "week", unit="SHARE", value=value, low=low, high=high)
        for name, value, low, high in zip(CATEGORIES, values, LOWS, HIGHS, strict=True)
    )


def told(facts: tuple[Fact, ...]) -> str:
    document = compose(facts, "scope")
    assert verify(document, facts) == ()
    return " ".join(to_text(document).split())


def objective(whole: float) -> tuple[Fact, ...]:
    parts = [
        replace(fact(f"objective_category.1.{name}", "month", unit="ETV", value=value), position=1)
        for name, value in PARTS.items()
    ]
    titled = replace(fact("objective.1", "month", unit="ETV", value=whole), subject_title="Faster pages")
    return with_other_cause((titled, *parts))


def test_a_share_at_the_end_of_its_usual_range_is_usual() -> None:
    facts = shares(SHARES)
    assert [one.value_micro for one in facts] == [round(1_000_000 * share) for share in SHARES]
    etv = fact("etv", "week", unit="ETV", value=100.0, previous=99.0, low=50.0, high=150.0)
    text = told((etv, *facts))
    assert "A usual week" in text
    assert "below the usual" not in text


def test_a_share_that_moves_by_less_than_a_percent_is_no_other_value_of_another_share() -> None:
    later = (0.2052, 0.2353, 0.2653, 0.1648, 0.1294)
    cited = {(f"category_share.{name}", "value") for name in CATEGORIES}
    assert list(differences(cited, shares(SHARES), shares(later))) == []


@pytest.mark.parametrize(("whole", "has_note"), [(sum(PARTS.values()), True), (20.0, False)])
def test_categories_of_an_objective_that_round_apart_have_a_note(whole: float, has_note: bool) -> None:
    facts = objective(whole)
    assert [one.value_micro for one in facts[1:]] == [round(1_000_000 * part) for part in PARTS.values()]
    assert (NOTE in told(facts)) is has_note
