"""The parts of a difference add up to it, with those that are small as one; facts are as they were measured."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.presentation.summaries.composing import compose
from api.presentation.summaries.composing.causes import OTHER, with_other_cause
from api.presentation.summaries.facts import Fact
from api.presentation.summaries.formats.plain_text import to_text
from api.presentation.summaries.verification import verify
from tests.api.presentation.summaries.invented_facts import fact
from tests.suite.tiers import fewer

NAMES = ("changes", "mix", "size", "rework", "value")
ROUNDED = "each figure is rounded by itself"
SIGNED = re.compile(r"\(([+−]?[\d,]+\.\d)\)")
parts_of_a_month = st.lists(st.floats(-300, 300), min_size=5, max_size=5)


def month(parts: list[float], previous: float, **more: float | bool) -> tuple[Fact, ...]:
    """The ETV of a month, and what it differs by from the month before."""
    etv = fact("etv", "month", unit="ETV", value=previous + sum(parts), previous=previous, **more)
    causes = [
        replace(fact(f"cause.{name}", "month", unit="ETV", value=value, people=4), position=place)
        for place, (name, value) in enumerate(zip(NAMES, parts, strict=True), 1)
    ]
    return with_other_cause((etv, *causes))


def told(facts: tuple[Fact, ...]) -> str:
    document = compose(facts, "scope")
    assert verify(document, facts) == ()
    return " ".join(to_text(document).partition("\n\n")[2].split())


def tenths(text: str) -> int:
    return int(text.replace("−", "-").replace(",", "").replace(".", ""))


@settings(max_examples=fewer(200))
@given(parts_of_a_month, st.floats(400, 900), st.booleans())
def test_the_parts_of_a_text_add_up_to_the_difference_of_its_figures(
    parts: list[float], previous: float, is_news: bool
) -> None:
    usual = {"low": previous - 1, "high": previous + 1} if is_news else {}
    facts = month(parts, previous - sum(parts) if previous + sum(parts) <= 0 else previous, **usual)
    text = told(facts)
    if "of the difference of the ETV" not in text:
        return
    etv = next(one for one in facts if one.fact_id == "etv")
    assert etv.value_micro is not None
    assert etv.previous_micro is not None
    moved = tenths(f"{etv.value_micro / 1e6:.1f}") - tenths(f"{etv.previous_micro / 1e6:.1f}")
    adds_up = sum(map(tenths, SIGNED.findall(text))) == moved
    assert adds_up != (ROUNDED in text), text


def test_small_parts_are_one_with_their_number() -> None:
    text = told(month([60, -0.6, -10, 1.0, 0.2], 40))
    assert "more file changes (+60.0), smaller changes (−10.0) and three other causes (+0.6)." in text
    assert "and one other cause (−0.6)." in told(month([60, -0.6, -10, 0, 0], 40))
    news = told(month([60, -0.6, -10, 0, 0], 40, low=10.0, high=50.0))
    assert "largest cause of the difference: more file changes (+60.0)" in news
    assert "Other parts of the difference of the ETV from the month before: smaller changes (−10.0)" in news
    assert "one other cause (−0.6)" in news


def test_parts_that_round_apart_say_so_and_stay_as_they_were_measured() -> None:
    facts = month([-6.04, 0, -0.68, 0, 0], 25.46)
    assert [one.value_micro for one in facts[1:4]] == [-6_040_000, 0, -680_000]
    text = told(facts)
    assert "Delivered: 18.7 ETV" in text
    assert "before: 25.5" in text
    assert "fewer file changes (−6.0) and smaller changes (−0.7); each figure is rounded by itself." in text


@pytest.mark.parametrize("gap", ["no etv", "no previous", "hidden"])
def test_without_a_difference_facts_stay_as_they_are(gap: str) -> None:
    etv = fact("etv", "month", unit="ETV", value=50, previous=None if gap == "no previous" else 40)
    cause = fact("cause.changes", "month", unit="ETV", value=None if gap == "hidden" else 10.04)
    given = (cause,) if gap == "no etv" else (etv, cause)
    assert with_other_cause(given) == given


def test_facts_that_have_it_get_no_second_one() -> None:
    facts = month([60, -0.6, -10, 1.0, 0.2], 40)
    assert [one.fact_id for one in facts].count(OTHER) == 1
    assert with_other_cause(facts) == facts
    other = next(one for one in facts if one.fact_id == OTHER)
    assert (other.basis, other.people, other.position) == (3, 4, 6)
