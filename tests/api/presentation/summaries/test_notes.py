"""What a reader is told about a stored text beside the text."""

import re

from hypothesis import given
from hypothesis import strategies as st

from api.presentation.summaries.document import Document, Kind, words_of
from api.presentation.summaries.facts import Fact
from api.presentation.summaries.figures import figure
from api.presentation.summaries.formats.plain_text import to_text
from api.presentation.summaries.notes import annotated
from api.presentation.summaries.values import FIELDS
from tests.api.presentation.summaries.invented_facts import fact, facts_of

EMPTY = Document(Kind.WEEKLY, "Acme", "week", is_draft=False, sections=())


def test_a_text_that_a_model_could_not_write_says_so_in_a_whole_sentence() -> None:
    told = to_text(annotated(EMPTY, failure="it did not answer: the server answers 500"))
    expected = "Rules wrote this text, because a model could not: it did not answer: the server answers 500."
    assert " ".join(told.split()).endswith(expected)
    assert "could not" not in to_text(annotated(EMPTY, model="small"))


def test_restated_values_have_names_that_people_read() -> None:
    facts = [
        fact("etv", unit="ETV", value=30, low=5, high=9),
        fact("category_share.fixes", unit="SHARE", value=0.2, subject_type="CATEGORY", subject_title="fixes"),
        fact("objective.1", unit="ETV", value=9, subject_title="Faster checkout", subject_reference="PAY-1"),
    ]
    names = {
        ("etv", "value"): "ETV",
        ("etv", "low"): "ETV, lowest usual value",
        ("etv", "previous"): "ETV, the week before",
        ("category_share.fixes", "value"): "Share of fixes in the ETV",
        ("objective.1", "value"): "ETV of Faster checkout (PAY-1)",
    }
    restated = [
        {"factId": fact_id, "field": field, "before": "30.0", "after": "31.0"} for fact_id, field in names
    ]
    told = to_text(annotated(EMPTY, restated=restated, facts=facts))
    assert all(name in told for name in names.values())
    assert "objective.1" not in told


@given(st.sampled_from(["week", "month", "quarter"]).flatmap(facts_of), st.sampled_from(sorted(FIELDS)))
def test_no_name_is_an_id(facts: list[Fact], field: str) -> None:
    for one in facts:
        name = words_of(figure(one, field)).replace(one.subject_reference or " ", "")
        assert not re.search(r"_|\w\.\w", name), (one.fact_id, name)
