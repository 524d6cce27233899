"""A summary as Markdown (CommonMark with tables)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from api.presentation.summaries.document import (
    Cell,
    Chart,
    Document,
    Item,
    Number,
    Part,
    Section,
    Sentence,
    Subject,
    Table,
    opening,
)
from api.presentation.summaries.outside import shown

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|~&!$^=]")
# What a line starts a block with: a list, a heading underlined, or code.
_BLOCK = re.compile(r"^(\d{1,9})([.)])(?=\s|$)|^([-+])(?=[\s-]|$)")


def to_markdown(document: Document) -> str:
    """The document as Markdown. Headings are ours alone, and links are those of subjects."""
    title, *draft = opening(document)
    blocks = [f"# {_escaped(title)}", *(f"**{_escaped(line)}**" for line in draft)]
    for place, section in enumerate(document.sections):
        blocks += _section(section, is_first=place == 0)
    return "\n\n".join(blocks) + "\n"


def _section(section: Section, *, is_first: bool) -> Iterator[str]:
    if section.heading:
        yield f"## {_escaped(section.heading)}"
    sentences = [one for one in section.items if isinstance(one, Sentence)]
    if section.heading and len(sentences) == len(section.items) > 1:
        yield "\n".join(f"- {_line(one.parts)}" for one in sentences)
        return
    for place, item in enumerate(section.items):
        text = _item(item)
        yield f"**{text}**" if is_first and not place and isinstance(item, Sentence) else text


def _item(item: Item) -> str:
    if isinstance(item, Sentence):
        return _line(item.parts)
    if isinstance(item, Table):
        return _table(item.columns, item.rows)
    return _chart(item)


def _chart(chart: Chart) -> str:
    rows = ((bar.name, (bar.number,)) for bar in chart.bars)
    return _table((chart.title, chart.unit), rows)


def _table(columns: Iterable[str], rows: Iterable[tuple[Cell, ...]]) -> str:
    names = [_escaped(name) or " " for name in columns]
    ruler = [":--", *("--:" for _ in names[1:])]
    lines = [names, ruler, *([_inline(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _line(parts: Iterable[Part]) -> str:
    return _BLOCK.sub(lambda found: f"{found[1] or ''}\\{found[2] or found[3]}", _inline(parts))


def _inline(parts: Iterable[Part]) -> str:
    return "".join(_part(part) for part in parts)


def _part(part: Part) -> str:
    if isinstance(part, Subject):
        label = _escaped(part.label)
        return f"[{label}](<{part.url.replace('&', '&amp;')}>)" if part.url else label
    return _escaped(part.rendered if isinstance(part, Number) else part.text)


def _escaped(text: str) -> str:
    """Text on one line without meaning for Markdown."""
    return _SPECIAL.sub(r"\\\g<0>", shown(text))
