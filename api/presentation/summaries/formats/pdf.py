"""A summary as PDF pages, set by Typst. The fonts are in its wheel, and it loads nothing.

A page takes 50 ms, during which other threads go on; a chart is drawn before (charts.py).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typst

from api.presentation.charts.themes import Theme
from api.presentation.summaries.document import (
    Cell,
    Document,
    Item,
    Section,
    Sentence,
    Subject,
    Table,
    opening,
    words_of,
)
from api.presentation.summaries.formats.charts import svg
from api.presentation.summaries.outside import JOINER, shown

TEMPLATE = Path(__file__).with_name("summary.typ")


def to_pdf(document: Document) -> bytes:
    """The document as PDF with tags for screen readers. Its texts are data of the template and never a part of it."""
    return typst.compile(TEMPLATE, format="pdf", sys_inputs={"document": json.dumps(_data(document))})


def _data(document: Document) -> dict[str, Any]:
    title, *draft = map(_text, opening(document))
    return {
        "title": title,
        "draft": draft[0] if draft else None,
        "footer": title,
        "sections": [_section(one) for one in document.sections],
    }


def _section(section: Section) -> dict[str, Any]:
    sentences = [one for one in section.items if isinstance(one, Sentence)]
    return {
        "heading": _text(section.heading) if section.heading else None,
        "is_list": bool(section.heading) and len(sentences) == len(section.items) > 1,
        "items": [_item(one) for one in section.items],
    }


def _item(item: Item) -> dict[str, Any]:
    if isinstance(item, Sentence):
        return {"kind": "sentence", "parts": _parts(item.parts)}
    if isinstance(item, Table):
        rows = [[_parts(cell) for cell in row] for row in item.rows]
        return {"kind": "table", "columns": [_text(name) for name in item.columns], "rows": rows}
    bars = "; ".join(f"{words_of(bar.name)} {bar.number.rendered}" for bar in item.bars)
    caption = f"{item.title}: {item.unit}"
    return {
        "kind": "chart",
        "caption": _text(caption),
        "svg": svg(item, Theme.LIGHT),
        "alt": _text(f"{caption}; {bars}"),
    }


def _parts(cell: Cell) -> list[dict[str, Any]]:
    return [
        {"text": _text(words_of([part])), "url": part.url if isinstance(part, Subject) else None}
        for part in cell
    ]


def _text(text: str) -> str:
    """Pages have no program that makes links, and the joiner has no glyph."""
    return shown(text).replace(JOINER, "")
