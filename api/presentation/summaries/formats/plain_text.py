"""A summary as plain text, for a terminal and as the other half of a mail."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Iterator

from api.presentation.summaries.document import (
    Cell,
    Chart,
    Document,
    Item,
    Part,
    Section,
    Sentence,
    Subject,
    Table,
    opening,
    words_of,
)
from api.presentation.summaries.outside import JOINER, shown

WIDTH = 88


def to_text(document: Document, *, links: bool = True) -> str:
    """The document as lines of at most 88 characters, where words and tables allow; links stand behind subjects."""
    title, *draft = opening(document)
    blocks = [_wrapped(shown(title)), *map(_wrapped, draft)]
    for section in document.sections:
        blocks += _section(section, links=links)
    return "\n\n".join(blocks) + "\n"


def _section(section: Section, *, links: bool) -> Iterator[str]:
    sentences = [one for one in section.items if isinstance(one, Sentence)]
    if section.heading and len(sentences) == len(section.items) > 1:
        lines = (_wrapped(_line(one.parts, links=links), "- ") for one in sentences)
        yield "\n".join([shown(section.heading), *lines])
        return
    texts = [_item(item, links=links) for item in section.items]
    if section.heading:
        texts[0] = f"{shown(section.heading)}\n{texts[0]}"
    yield from texts


def _item(item: Item, *, links: bool) -> str:
    if isinstance(item, Sentence):
        return _wrapped(_line(item.parts, links=links))
    if isinstance(item, Table):
        return _table(item.columns, item.rows)
    return _chart(item)


def _chart(chart: Chart) -> str:
    return _table((chart.title, chart.unit), [(bar.name, (bar.number,)) for bar in chart.bars])


def _table(columns: tuple[str, ...], rows: Iterable[tuple[Cell, ...]]) -> str:
    lines = [[shown(name) for name in columns], *([shown(words_of(cell)) for cell in row] for row in rows)]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    return "\n".join(_row(line, widths) for line in lines)


def _row(cells: list[str], widths: list[int]) -> str:
    """The first column to the left, numbers to the right."""
    padded = [
        " " * (width - _width(text)) + text if place else text + " " * (width - _width(text))
        for place, (text, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(padded).rstrip()


def _width(text: str) -> int:
    """Columns of a terminal."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    none = sum(unicodedata.combining(character) > 0 or character == JOINER for character in text)
    return len(text) + wide - none


def _line(parts: Iterable[Part], *, links: bool) -> str:
    return "".join(_part(part, links=links) for part in parts)


def _part(part: Part, *, links: bool) -> str:
    text = shown(words_of([part]))
    return f"{text} <{part.url}>" if links and isinstance(part, Subject) and part.url else text


def _wrapped(text: str, start: str = "") -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_long_words=False,
        break_on_hyphens=False,
    )
