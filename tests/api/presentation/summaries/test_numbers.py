"""Every number of a summary is a fact's: found in the rendered text, and read without the code that rendered it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import fields, replace
from datetime import date
from decimal import Decimal
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.presentation.summaries.composing import MAX_WORDS, compose
from api.presentation.summaries.composing.periods import label
from api.presentation.summaries.document import (
    Chart,
    Document,
    Number,
    Sentence,
    Subject,
    Text,
    number,
    parts_of,
)
from api.presentation.summaries.facts import Fact, Facts
from api.presentation.summaries.formats.markdown import to_markdown
from api.presentation.summaries.formats.plain_text import to_text
from api.presentation.summaries.verification import verify
from api.presentation.summaries.visibility import HIDDEN, of_enough_people, visible
from tests.api.presentation.summaries.invented_facts import fact, facts_of
from tests.suite.tiers import fewer

PERIODS = ("week", "month", "quarter")
# Numbers and dates as a reader sees them.
DATES = re.compile(r"\b(\d{1,2}) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (\d{4})\b")
NUMBERS = re.compile(r"[+−]?\d[\d,]*(?:\.\d+)?(?:[\s\u00a0]?%)?")
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

periods_and_facts = st.sampled_from(PERIODS).flatmap(facts_of)


def read_numbers(text: str, facts: Iterable[Fact]) -> list[str]:
    """The numbers and dates of a text that no fact has: each is compared with every stored value of every fact."""
    known = list(facts)
    first = known[0]
    text = text.replace(f"scope: {label(first.period, first.period_start, first.period_end)}", "")
    days = {one.on_date for one in known}
    missing = [
        found[0]
        for found in DATES.finditer(text)
        if date(int(found[3]), MONTHS.index(found[2]) + 1, int(found[1])) not in days
    ]
    stored = set(chain.from_iterable(map(_values, known)))
    numbers = NUMBERS.findall(DATES.sub("", text))
    return missing + [found for found in numbers if not _is_stored(found, stored)]


def _values(one: Fact) -> Iterable[Decimal]:
    for name in ("value_micro", "previous_micro", "low_micro", "high_micro"):
        if (micro := getattr(one, name)) is not None:
            yield Decimal(micro) / 1_000_000
            if one.basis is not None and one.unit == "SHARE":
                yield Decimal(micro) * one.basis / 1_000_000
    if one.basis is not None:
        yield Decimal(one.basis)


def _is_stored(found: str, stored: set[Decimal]) -> bool:
    digits = re.sub(r"[,\s\u00a0%]", "", found.replace("−", "-").replace("+", ""))
    value, decimals = Decimal(digits), len(digits.partition(".")[2])
    scale = 100 if found.endswith("%") else 1
    # A lower bound is rounded down, so that a whole unit of the last digit may be between.
    step = Decimal(1).scaleb(-decimals) / scale
    return any(abs(value / scale - one) <= step for one in stored)


@settings(max_examples=fewer(120))
@given(periods_and_facts)
def test_every_number_in_a_rendered_text_is_a_fact(facts: list[Fact]) -> None:
    document = compose(facts, "scope")
    assert verify(document, facts) == ()
    for text in (to_text(document), to_markdown(document)):
        assert read_numbers(text, facts) == [], text


def test_a_number_of_no_fact_is_found() -> None:
    known = [fact("etv", unit="ETV", value=12.5, previous=3)]
    assert read_numbers("12.5 ETV, before 3.0; 12 Aug 2026: 14.5, 31 %", known) == [
        "12 Aug 2026",
        "14.5",
        "31 %",
    ]


@settings(max_examples=fewer(120))
@given(periods_and_facts)
def test_nothing_is_said_twice(facts: list[Fact]) -> None:
    told = Counter(
        (part.fact_id, part.field if isinstance(part, Number) else "subject")
        for section in compose(facts, "scope").sections
        for item in section.items
        for part in parts_of(item)
        # A bar may repeat a number, as what the others are held against.
        if not isinstance(part, Text) and not isinstance(item, Chart)
    )
    assert [one for one, times in told.items() if times > 1] == []


@settings(max_examples=fewer(120))
@given(facts_of("week", ["a b c d e f g h i j k l m n o p q r s t u v w x y z", "word " * 90]))
def test_a_weekly_summary_has_at_most_250_words(facts: list[Fact]) -> None:
    document = compose(facts, "the name of an organization")
    words = [one for one in to_text(document, links=False).split() if re.search(r"\w", one)]
    assert len(words) <= MAX_WORDS[document.kind] == 250


@settings(max_examples=fewer(100))
@given(periods_and_facts)
def test_no_percentage_is_told_over_fewer_than_ten(facts: list[Fact]) -> None:
    known = Facts(facts)
    for section in compose(facts, "scope").sections:
        for item in section.items:
            for part in parts_of(item):
                if isinstance(part, Number) and "%" in part.rendered:
                    cited = known.get(part.fact_id)
                    assert cited
                    assert cited.basis is None or cited.basis >= 10


@settings(max_examples=fewer(60))
@given(periods_and_facts)
def test_a_document_survives_json(facts: list[Fact]) -> None:
    document = compose(facts, "scope")
    assert Document.from_json(document.to_json()) == document
    assert [Fact.from_json(one.to_json()) for one in facts] == facts


@settings(max_examples=fewer(100))
@given(periods_and_facts, st.integers(1, 10))
def test_a_reader_sees_no_figure_of_fewer_people(facts: list[Fact], minimum: int) -> None:
    known = Facts(facts)
    document = visible(compose(facts, "scope"), facts, minimum)
    parts = [
        part
        for section in document.sections
        for item in section.items
        for part in parts_of(item)
        if not isinstance(part, Text)
    ]
    small = {one.fact_id for one in known if one.people is not None and 0 < one.people < minimum}
    assert not {part.fact_id for part in parts} & small
    # The ends of a usual range are values of other periods.
    few = {one.fact_id for one in known if one.usual_people is not None and 0 < one.usual_people < minimum}
    assert not {
        part.fact_id for part in parts if isinstance(part, Number) and part.field in ("low", "high")
    } & (small | few)
    assert verify(document, facts) == ()


@pytest.mark.parametrize(
    ("part", "complaint"),
    [
        (Text("grew by 12 today"), "cites no fact"),
        (Text("grew by ¾ today"), "cites no fact"),
        (Text("grew by \u0661 today"), "cites no fact"),
        (Number("etv", "value", "12.6"), "etv value is 12.5"),
        (Number("etv", "middle", "12.5"), "has no field"),
        (Number("commits", "value", "12.5"), "is no fact"),
        (Number("alignment", "value", "50\u00a0%"), "does not tell as a number"),
        (Subject("delivery.1", "Another title", "#12", None), "title of delivery.1"),
        (Subject("delivery.1", "Mend the parser", "#13", None), "reference of delivery.1"),
        (Subject("delivery.1", "Mend the parser", "#12", "https://evil.example"), "link of delivery.1"),
    ],
)
def test_a_document_that_says_otherwise_is_refused(part: Text | Number | Subject, complaint: str) -> None:
    facts = [
        fact("etv", unit="ETV", value=12.5),
        fact("alignment", unit="SHARE", value=0.5, basis=9),
        fact("delivery.1", unit="ETV", value=3, subject_title="Mend the parser", subject_reference="#12"),
    ]
    document = compose(facts, "scope")
    assert verify(document, facts) == ()
    section = replace(document.sections[0], items=(Sentence((part,)),))
    assert any(complaint in one for one in verify(replace(document, sections=(section,)), facts))


def test_a_restated_fact_is_found_by_verification() -> None:
    before = [fact("etv", unit="ETV", value=12.5)]
    assert verify(compose(before, "scope"), [fact("etv", unit="ETV", value=12.6)])


def test_every_field_of_a_fact_is_a_column() -> None:
    assert [one.name for one in fields(Fact)][:3] == ["scope_kind", "scope_id", "period"]
    one = fact("etv", unit="ETV", value=1)
    assert (
        Fact.from_row(
            one.to_json() | {"unknown": 1, "period_start": one.period_start, "period_end": one.period_end}
        )
        == one
    )


def test_without_the_range_of_few_people_the_text_tells_the_rest() -> None:
    etv = fact("etv", unit="ETV", value=50, previous=20, low=10, high=30, people=9, usual_people=2)
    assert "usual" in to_text(compose([etv], "scope"))
    told = to_text(compose([of_enough_people(etv, 3)], "scope"))
    assert "50.0 ETV" in told
    assert not any(word in told for word in ("usually", "the usual", "10.0", "30.0"))
    assert of_enough_people(etv, 2) == etv


def test_small_shares_keep_a_decimal_and_causes_their_sign() -> None:
    share = fact("alignment", unit="SHARE", value=0.0031, basis=40)
    assert number(share).rendered == "0.3\u00a0%"
    assert number(replace(share, value_micro=400)).rendered == "0\u00a0%"
    assert number(fact("cause.mix", unit="ETV", value=-5.25)).rendered == "−5.2"
    assert number(fact("ai_share", unit="SHARE", value=0.589, basis=40)).rendered == "≥\u00a058\u00a0%"


@pytest.mark.parametrize("period", ["week", "month", "quarter"])
def test_no_total_gives_a_hidden_part_away(period: str) -> None:
    """100 − 50 − 20 would be the 30 ETV of two people."""
    values = {1: (50, 9), 2: (30, 2), 3: (20, 9)}
    facts = [fact("etv", period, unit="ETV", value=100, people=9)] + [
        fact(f"objective.{place}", period, unit="ETV", value=value, people=people, subject_title=f"{place}")
        for place, (value, people) in values.items()
    ]
    told = to_text(visible(compose(facts, "scope"), facts, 5))
    assert "50.0" in told
    assert "30.0" not in told
    assert "20.0" not in told
    assert HIDDEN.split()[0] in told
    assert visible(compose(facts, "scope"), facts, 1) == compose(facts, "scope")
