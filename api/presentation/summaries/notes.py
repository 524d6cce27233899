"""What a reader has to know about a stored text: who wrote it, and which values a later build has otherwise.

Notes are added where a text is read; the stored text stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from api.presentation.formats import DASH
from api.presentation.summaries.document import Cell, Document, Section, Sentence, Table, Text
from api.presentation.summaries.facts import Fact
from api.presentation.summaries.figures import figure

RESTATED = "Restated since"
MISSING = "What is missing, or may change?"
"""The heading of the section of what the numbers do not contain."""
COLUMNS = ("Figure", "In this text", "In the newest build")


def annotated(
    document: Document,
    *,
    restated: Sequence[Mapping[str, str | None]] = (),
    facts: Iterable[Fact] = (),
    model: str | None = None,
    failure: str | None = None,
) -> Document:
    """The document with notes. `restated` has `factId`, `field`, `before` and `after` as texts, `facts` are those of
    the text; `model` wrote the text, unless there is a `failure`: words that say why rules did, without a full stop.
    """
    sections = list(document.sections)
    if restated:
        known = {fact.fact_id: fact for fact in facts}
        rows = tuple((_name(one, known), *_sides(one)) for one in restated)
        sections.append(Section(RESTATED, (Table(COLUMNS, rows),)))
    note = _note(model, failure)
    if note is not None:
        sections.append(Section(None, (Sentence((Text(note),)),)))
    return replace(document, sections=tuple(sections))


def with_failing_sources(document: Document, failing: int, since: str) -> Document:
    """The document with a sentence that so many connections fail and facts since then, a day in words, can be missing.

    It ends the section of what is missing, which comes last where the document has none.
    """
    verb = "connection fails" if failing == 1 else "connections fail"
    said = Sentence((Text(f"{failing:,} {verb}: what happened since {since} can be missing."),))
    sections = list(document.sections)
    for place, one in enumerate(sections):
        if one.heading == MISSING:
            sections[place] = replace(one, items=(*one.items, said))
            break
    else:
        sections.append(Section(MISSING, (said,)))
    return replace(document, sections=tuple(sections))


def _name(restated: Mapping[str, str | None], known: Mapping[str, Fact]) -> Cell:
    fact = known.get(restated["factId"] or "")
    return (Text(DASH),) if fact is None else figure(fact, restated["field"] or "value")


def _sides(restated: Mapping[str, str | None]) -> Sequence[Cell]:
    return [(Text(restated[name] or DASH),) for name in ("before", "after")]


def _note(model: str | None, failure: str | None) -> str | None:
    if failure is not None:
        return f"Rules wrote this text, because a model could not: {failure}."
    if model is not None:
        return f"Written by the model {model}. Every number was checked against its fact."
    return None
