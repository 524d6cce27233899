"""The categories of an objective add up to its ETV as both are read."""

from dataclasses import replace

from api.presentation.summaries.composing.shown_facts import as_shown
from api.presentation.summaries.facts import Fact
from api.presentation.summaries.values import rendered
from tests.api.presentation.summaries.invented_facts import fact

PARTS = {"features": 4.84, "maintenance": 3.06, "tests": 0.76, "fixes": 1.78}


def facts_of(whole: float) -> tuple[Fact, ...]:
    objective = fact("objective.1", "month", unit="ETV", value=whole)
    parts = [
        replace(fact(f"objective_category.1.{name}", "month", unit="ETV", value=value), position=1)
        for name, value in PARTS.items()
    ]
    return as_shown((objective, *parts))


def shown(facts: tuple[Fact, ...]) -> list[float]:
    return [round((one.value_micro or 0) / 1e6, 6) for one in facts]


def test_categories_add_up_to_the_shown_value_of_their_objective() -> None:
    whole, *parts = shown(facts_of(sum(PARTS.values())))
    assert (whole, round(sum(parts), 6)) == (10.44, 10.4)
    assert all(abs(part - exact) < 0.1 for part, exact in zip(parts, PARTS.values(), strict=True))


def test_categories_that_are_not_all_of_an_objective_stay_as_they_are() -> None:
    assert shown(facts_of(20.0))[1:] == list(PARTS.values())


def test_shares_of_the_categories_add_up_to_a_hundred_percent() -> None:
    exact = {
        "features": 0.2026,
        "maintenance": 0.2251,
        "tests": 0.2709,
        "documentation": 0.1655,
        "fixes": 0.1359,
    }
    shares = [
        fact(f"category_share.{name}", "month", unit="SHARE", value=value, previous=value)
        for name, value in exact.items()
    ]
    told = as_shown(shares)
    for field in ("value", "previous"):
        assert sum(int(rendered(one, field).split("\u00a0")[0]) for one in told) == 100
