"""From the answer of a model to a document: placeholders become numbers and titles of facts, or the answer is refused.

The same answer with the same facts always gives the same document, so a stored answer can be replayed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from api.presentation.formats import DASH
from api.presentation.summaries.composing import MAX_WORDS
from api.presentation.summaries.composing.fitting import count
from api.presentation.summaries.document import (
    Document,
    Kind,
    Number,
    Part,
    Section,
    Sentence,
    Text,
    number,
    opening,
    subject,
    words_of,
)
from api.presentation.summaries.facts import Fact
from api.presentation.summaries.outside import one_line
from api.presentation.summaries.values import FIELDS
from api.presentation.summaries.verification import verify
from ingest.providers.openai_compatible.chat import json_of
from orchestration.summaries.by_model.kept import for_the_model, kept_sections
from orchestration.summaries.by_model.prompt import HEADINGS
from orchestration.summaries.by_model.wording import Wording

TITLE = 60
LEAST_WORDS = 60
"""A model has room for so many words, however long the kept parts are."""
MOST_WORDS = {Kind.MONTHLY: 400, Kind.QUARTERLY: 600}
"""Of the model's own text, beside the tables: a page holds about 500 words."""
_PLACEHOLDER = re.compile(r"\{([a-z_]+(?:\.[A-Za-z0-9_.-]+)?)(?::([a-z_]+))?\}")


class Refused(Exception):
    """An answer that cannot be used. `problems` has a line for each thing that is wrong."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems[:3]))
        self.problems = tuple(problems)


class AnsweredSection(BaseModel):
    """A section as a model answers it."""

    model_config = ConfigDict(extra="forbid", strict=True)
    heading: str
    sentences: list[str] = Field(min_length=1, max_length=12)


class Answered(BaseModel):
    """An answer. The schema that a server gets (`prompt.SCHEMA`) says the same."""

    model_config = ConfigDict(extra="forbid", strict=True)
    sections: list[AnsweredSection] = Field(min_length=1, max_length=len(HEADINGS))


def room_for(composed: Document) -> int:
    """How many words a model may write."""
    limit = MAX_WORDS.get(composed.kind)
    if limit is None:
        return MOST_WORDS[composed.kind]
    kept = Document(
        composed.kind, composed.title, composed.period, composed.is_draft, kept_sections(composed)
    )
    return max(LEAST_WORDS, limit - _words(kept))


def document_of(
    answer: str, facts: Sequence[Fact], composed: Document, context: str, minimum: int = 1
) -> Document:
    """The document of an answer, with the parts that the rules keep. Raises Refused with all that is wrong."""
    try:
        answered = Answered.model_validate(json_of(answer))
    except ValidationError as error:
        raise Refused([f"the answer has another form: {one_line(error.errors()[0]['msg'])}"]) from error
    except ValueError as error:
        raise Refused([str(error)]) from error
    told = {fact.fact_id: fact for fact in for_the_model(facts, composed, minimum)}
    problems: list[str] = []
    sections = [_section(one, place, told, problems) for place, one in enumerate(answered.sections)]
    document = replace(composed, sections=(*sections, *kept_sections(composed)))
    wording = Wording(facts, f"{context} {composed.title}")
    for section in sections:
        for item in section.items:
            if isinstance(item, Sentence):
                problems += wording.problems(item, told)
    problems += _said_twice(sections)
    written, room = _words(replace(composed, sections=tuple(sections))), room_for(composed)
    if written - sum(map(count, opening(composed))) > room:
        problems.append(f"the text has more than {room} words")
    problems += verify(document, facts)
    if problems:
        raise Refused(list(dict.fromkeys(problems)))
    return document


def _section(answered: AnsweredSection, place: int, facts: dict[str, Fact], problems: list[str]) -> Section:
    if answered.heading not in HEADINGS or (answered.heading == "") != (place == 0):
        problems.append(f"a heading is none of the given ones: {one_line(answered.heading)}")
    sentences = tuple(Sentence(tuple(_parts(one, facts, problems))) for one in answered.sentences)
    return Section(answered.heading or None, sentences)


def _parts(text: str, facts: dict[str, Fact], problems: list[str]) -> list[Part]:
    parts: list[Part] = []
    end = 0
    for found in _PLACEHOLDER.finditer(text):
        if found.start() > end:
            parts.append(Text(text[end : found.start()]))
        end = found.end()
        part = _cited(found[1], found[2], facts)
        if isinstance(part, str):
            problems.append(part)
        else:
            parts.append(part)
    if end < len(text):
        parts.append(Text(text[end:]))
    return parts


def _cited(fact_id: str, field: str | None, facts: dict[str, Fact]) -> Part | str:
    """The part of a placeholder, or what is wrong with it."""
    fact = facts.get(fact_id)
    if fact is None:
        return f"{one_line(fact_id)} is no fact that was given"
    if field == "title":
        return subject(fact, TITLE) if fact.subject_title else f"{fact_id} is about nothing that has a title"
    name = field or ("on_date" if fact.unit == "DATE" else "value")
    if name not in FIELDS:
        return f"{fact_id} has no field {one_line(name)}"
    found = number(fact, name)
    return found if found.rendered != DASH else f"{fact_id} has no {name} that a summary tells"


def _said_twice(sections: Sequence[Section]) -> list[str]:
    cited: Counter[str] = Counter()
    for section in sections:
        for item in section.items:
            if isinstance(item, Sentence):
                cited.update(f"{p.fact_id} {p.field}" for p in item.parts if isinstance(p, Number))
    return [f"{name} is told twice" for name, times in cited.items() if times > 1]


def _words(document: Document) -> int:
    """The words of a document of sentences, with its headings and title; tables are no text."""
    lines = [*opening(document)]
    for section in document.sections:
        lines.append(section.heading or "")
        lines += [words_of(item.parts) for item in section.items if isinstance(item, Sentence)]
    return sum(map(count, lines))
