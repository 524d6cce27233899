"""A summary as a value: sections of sentences, tables and charts, in which every number cites a fact.

Keep out: wording (composing/), formats.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from api.presentation.summaries.facts import Fact
from api.presentation.summaries.outside import MAX_TITLE, address, one_line
from api.presentation.summaries.values import rendered


class Kind(StrEnum):
    """The kinds of summaries."""

    WEEKLY = "WEEKLY"
    MONTHLY = "MONTHLY"
    QUARTERLY = "QUARTERLY"


# What the label DRAFT means.
DRAFTS = {
    Kind.WEEKLY: "the week is not over, and its numbers will change.",
    Kind.MONTHLY: "the month is not over, and its numbers will change.",
    Kind.QUARTERLY: "the quarter is not over, and its numbers will change.",
}

# What stands before the number of a pull request, after the name of its repository: `acme/web#12`.
NUMBER_SIGNS = ("#", "!")


@dataclass(frozen=True, slots=True)
class Text:
    """Words of our own, without digits."""

    text: str


@dataclass(frozen=True, slots=True)
class Number:
    """A field of a fact, as it reads."""

    fact_id: str
    field: str
    rendered: str


@dataclass(frozen=True, slots=True)
class Subject:
    """What a fact is about, with a link: text from outside on one line."""

    fact_id: str
    title: str
    reference: str | None = None
    url: str | None = None

    @property
    def label(self) -> str:
        """Title and reference: `Fix the parser (web#12)`. Titles of squashed commits have a part of it already."""
        if self.reference is None:
            return self.title
        own = self.reference[max(0, *(self.reference.rfind(sign) for sign in NUMBER_SIGNS)) :]
        if f"({own})" in self.title:
            return self.title.replace(f"({own})", f"({self.reference})")
        return f"{self.title} ({self.reference})"


Part = Text | Number | Subject
Cell = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, or a few that belong together."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under column names. Every row has a cell per column."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a chart: its name, its value, and the length, in millionths."""

    name: Cell
    number: Number
    length_micro: int


@dataclass(frozen=True, slots=True)
class Chart:
    """Horizontal bars of one unit, each with its value, so that the picture has no number that no fact has."""

    title: str
    unit: str
    bars: tuple[Bar, ...]


Item = Sentence | Table | Chart


@dataclass(frozen=True, slots=True)
class Section:
    """Items under a heading; the first section of a document has none and says the most important thing."""

    heading: str | None
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A summary. `title` is the name of its scope, a text from outside; `period` has the digits of its label."""

    kind: Kind
    title: str
    period: str
    is_draft: bool
    sections: tuple[Section, ...]

    def to_json(self) -> dict[str, Any]:
        """The document as values of JSON."""
        return {
            "kind": self.kind.value,
            "title": self.title,
            "period": self.period,
            "is_draft": self.is_draft,
            "sections": [
                {"heading": one.heading, "items": [_item_json(item) for item in one.items]}
                for one in self.sections
            ],
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Document:
        """The inverse of `to_json`. Raises KeyError, TypeError or ValueError for anything else."""
        sections = tuple(
            Section(one["heading"], tuple(_item(item) for item in one["items"])) for one in stored["sections"]
        )
        return cls(
            Kind(stored["kind"]), stored["title"], stored["period"], bool(stored["is_draft"]), sections
        )


def number(fact: Fact, field: str = "value") -> Number:
    """A field of a fact as a part of a sentence."""
    return Number(fact.fact_id, field, rendered(fact, field))


def subject(fact: Fact, limit: int = MAX_TITLE) -> Subject:
    """What a fact is about as a part of a sentence; its title has at most so many characters."""
    reference = one_line(fact.subject_reference) if fact.subject_reference else None
    return Subject(fact.fact_id, one_line(fact.subject_title, limit), reference, address(fact.url))


def opening(document: Document) -> list[str]:
    """The lines above the sections: what is summed up, and that it is not final."""
    title = f"{document.title}: {document.period}"
    return [title, f"DRAFT: {DRAFTS[document.kind]}"] if document.is_draft else [title]


def words_of(parts: Iterable[Part]) -> str:
    """The parts as they read, without links."""
    return "".join(_words(part) for part in parts)


def _words(part: Part) -> str:
    if isinstance(part, Text):
        return part.text
    return part.rendered if isinstance(part, Number) else part.label


def parts_of(item: Item) -> Iterator[Part]:
    """Every part of an item, in reading order."""
    if isinstance(item, Sentence):
        yield from item.parts
    elif isinstance(item, Table):
        for row in item.rows:
            for cell in row:
                yield from cell
    else:
        for bar in item.bars:
            yield from bar.name
            yield bar.number


def _part_json(part: Part) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"text": part.text}
    if isinstance(part, Number):
        return {"fact_id": part.fact_id, "field": part.field, "rendered": part.rendered}
    return {"subject": part.fact_id, "title": part.title, "reference": part.reference, "url": part.url}


def _part(stored: Mapping[str, Any]) -> Part:
    if "text" in stored:
        return Text(stored["text"])
    if "subject" in stored:
        return Subject(stored["subject"], stored["title"], stored["reference"], stored["url"])
    return Number(stored["fact_id"], stored["field"], stored["rendered"])


def _cell_json(cell: Cell) -> list[dict[str, Any]]:
    return [_part_json(part) for part in cell]


def _cell(stored: Sequence[Mapping[str, Any]]) -> Cell:
    return tuple(_part(part) for part in stored)


def _item_json(item: Item) -> dict[str, Any]:
    if isinstance(item, Sentence):
        return {"sentence": _cell_json(item.parts)}
    if isinstance(item, Table):
        rows = [[_cell_json(cell) for cell in row] for row in item.rows]
        return {"table": {"columns": list(item.columns), "rows": rows}}
    bars = [
        {"name": _cell_json(bar.name), "number": _part_json(bar.number), "length_micro": bar.length_micro}
        for bar in item.bars
    ]
    return {"chart": {"title": item.title, "unit": item.unit, "bars": bars}}


def _item(stored: Mapping[str, Any]) -> Item:
    if "sentence" in stored:
        return Sentence(_cell(stored["sentence"]))
    if "table" in stored:
        rows = tuple(tuple(_cell(cell) for cell in row) for row in stored["table"]["rows"])
        return Table(tuple(stored["table"]["columns"]), rows)
    chart = stored["chart"]
    bars = tuple(
        Bar(_cell(one["name"]), _number(one["number"]), one["length_micro"]) for one in chart["bars"]
    )
    return Chart(chart["title"], chart["unit"], bars)


def _number(stored: Mapping[str, Any]) -> Number:
    return Number(stored["fact_id"], stored["field"], stored["rendered"])
