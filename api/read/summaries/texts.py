"""Texts of summaries as answers, without figures of fewer people than the organization shows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from api.control.summaries.kinds import RevisionContent
from api.presentation.metrics import MICRO
from api.presentation.summaries.document import (
    Chart,
    Document,
    Item,
    Number,
    Part,
    Sentence,
    Subject,
    Table,
    Text,
)
from api.presentation.summaries.facts import Fact
from api.presentation.summaries.figures import figure
from api.presentation.summaries.visibility import is_hidden, of_enough_people, visible, visible_restated
from api.query.records import shown
from api.read.summaries.shapes import SummaryFact


@dataclass(frozen=True, slots=True)
class SeenText:
    """A text as a caller may see it."""

    document: Document
    facts: Sequence[Fact]
    restated: Sequence[dict[str, Any]] = ()

    @classmethod
    def of(cls, document: Document, facts: Sequence[Fact], minimum: int) -> "SeenText":
        """The text without what fewer than `minimum` people did."""
        seen = [of_enough_people(fact, minimum) for fact in facts if not is_hidden(fact, minimum)]
        return cls(visible(document, facts, minimum), seen)

    @classmethod
    def stored(cls, content: RevisionContent, minimum: int) -> "SeenText":
        """A stored text without what fewer than `minimum` people did."""
        facts = [Fact.from_json(one) for one in content.facts]
        text = cls.of(Document.from_json(content.document), facts, minimum)
        known = {fact.fact_id: fact for fact in facts}
        restated = [
            {name: one[name] for name in ("factId", "field", "before", "after")}
            | {"name": _name(known.get(one["factId"]), one["field"])}
            for one in visible_restated(content.restated_facts, facts, minimum)
        ]
        return replace(text, restated=restated)

    def answer(self) -> dict[str, Any]:
        """The document and the facts as fields of an answer."""
        return {"document": shown_document(self.document), "facts": [shown_fact(fact) for fact in self.facts]}


def _name(fact: Fact | None, field: str) -> str | None:
    """What a value of a fact is called, as one text."""
    if fact is None:
        return None
    return "".join(
        part.label if isinstance(part, Subject) else part.text
        for part in figure(fact, field)
        if not isinstance(part, Number)
    )


def shown_fact(fact: Fact) -> dict[str, Any]:
    """A fact as an answer."""
    values = {
        name: None if micro is None else micro / MICRO
        for name, micro in (
            ("value", fact.value_micro),
            ("previous_value", fact.previous_micro),
            ("low", fact.low_micro),
            ("high", fact.high_micro),
        )
    }
    return shown(SummaryFact, fact, **values)


def shown_document(document: Document) -> dict[str, Any]:
    """A document as an answer."""
    return {
        "title": document.title,
        "period": document.period,
        "isDraft": document.is_draft,
        "sections": [
            {"heading": one.heading, "items": [_item(item) for item in one.items]}
            for one in document.sections
        ],
    }


def _item(item: Item) -> dict[str, Any]:
    row: dict[str, Any] = {
        "kind": type(item).__name__.upper(),
        "parts": [],
        "columns": [],
        "rows": [],
        "title": None,
        "unit": None,
        "bars": [],
    }
    match item:
        case Sentence():
            row["parts"] = _parts(item.parts)
        case Table():
            row["columns"] = list(item.columns)
            row["rows"] = [[_parts(cell) for cell in cells] for cells in item.rows]
        case Chart():
            row |= {"title": item.title, "unit": item.unit}
            row["bars"] = [
                {"name": _parts(bar.name), "number": _part(bar.number), "length": bar.length_micro / MICRO}
                for bar in item.bars
            ]
    return row


def _parts(parts: Sequence[Part]) -> list[dict[str, Any]]:
    return [_part(part) for part in parts]


def _part(part: Part) -> dict[str, Any]:
    row: dict[str, Any] = {"text": "", "factId": None, "field": None, "url": None, "isOutside": False}
    match part:
        case Text():
            row["text"] = part.text
        case Number():
            row |= {"text": part.rendered, "factId": part.fact_id, "field": part.field}
        case Subject():
            row |= {"text": part.label, "factId": part.fact_id, "url": part.url, "isOutside": True}
    return row
