"""Holds a document against its facts: every number is a fact's, and nothing else has a digit.

It trusts no writer, so it holds for a document that a model wrote too.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

from api.presentation.formats import DASH
from api.presentation.summaries.document import (
    Chart,
    Document,
    Item,
    Number,
    Part,
    Subject,
    Table,
    Text,
    parts_of,
)
from api.presentation.summaries.facts import Fact
from api.presentation.summaries.outside import MAX_TITLE, UNTITLED, address, one_line
from api.presentation.summaries.values import FIELDS, rendered


def verify(document: Document, facts: Iterable[Fact]) -> tuple[str, ...]:
    """The errors of a document, a line each; empty where every number and subject is as its fact says."""
    known = {fact.fact_id: fact for fact in facts}
    found: list[str] = []
    for section in document.sections:
        found += _words(section.heading or "", "heading")
        for item in section.items:
            found += _item(item, known)
    return tuple(found)


def _item(item: Item, known: dict[str, Fact]) -> Iterator[str]:
    if isinstance(item, Table):
        for name in item.columns:
            yield from _words(name, "column")
        if any(len(row) != len(item.columns) for row in item.rows):
            yield "a row of a table has another number of cells than the table has columns"
    if isinstance(item, Chart):
        yield from _words(item.title, "title of a chart")
        yield from _words(item.unit, "unit of a chart")
        for bar in item.bars:
            fact = known.get(bar.number.fact_id)
            column = FIELDS.get(bar.number.field)
            if fact and column and bar.length_micro != getattr(fact, column):
                yield f"a bar has another length than {bar.number.fact_id} has"
    for part in parts_of(item):
        yield from _part(part, known)


def _part(part: Part, known: dict[str, Fact]) -> Iterator[str]:
    if isinstance(part, Text):
        yield from _words(part.text, "text")
        return
    fact = known.get(part.fact_id)
    if fact is None:
        yield f"{one_line(part.fact_id)} is no fact of this summary"
    elif isinstance(part, Number):
        yield from _number(part, fact)
    else:
        yield from _subject(part, fact)


def _number(part: Number, fact: Fact) -> Iterator[str]:
    if part.field not in FIELDS:
        yield f"{fact.fact_id} has no field {one_line(part.field)}; fields are {', '.join(FIELDS)}"
    elif part.rendered != rendered(fact, part.field):
        told, right = one_line(part.rendered), rendered(fact, part.field)
        yield f"{fact.fact_id} {part.field} is {right}" + (
            ", which a summary does not tell as a number" if right == DASH else f", and not {told}"
        )


def _subject(part: Subject, fact: Fact) -> Iterator[str]:
    whole = one_line(fact.subject_title)
    is_start = part.title.endswith("…") and whole.startswith(part.title[:-1]) and len(part.title) > 1
    if part.title not in {whole, UNTITLED if not fact.subject_title else whole} and not is_start:
        yield f"the title of {fact.fact_id} is another one"
    if len(part.title) > MAX_TITLE:
        yield f"the title of {fact.fact_id} is longer than {MAX_TITLE} characters"
    if part.reference != (one_line(fact.subject_reference) if fact.subject_reference else None):
        yield f"the reference of {fact.fact_id} is another one"
    if part.url != address(fact.url):
        yield f"the link of {fact.fact_id} is another one"


def _words(text: str, what: str) -> Iterator[str]:
    if any(unicodedata.category(character)[0] == "N" for character in text):
        yield f"a {what} has a number that cites no fact: {one_line(text)}"
