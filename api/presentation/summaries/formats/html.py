"""A summary as one HTML page, for a browser and as a mail.

Mail programs drop style sheets, so every element has its style, and a sheet adds the dark colours alone. They also drop
SVG: a mail has tables of bars in the place of pictures. No script, and nothing is loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from api.presentation.charts.themes import COLOURS, Theme
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
from api.presentation.summaries.formats.charts import svg
from api.presentation.summaries.outside import shown

_FONT = (
    "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',sans-serif;"
    "font-variant-numeric:tabular-nums"
)
_LIGHT, _DARK = COLOURS[Theme.LIGHT], COLOURS[Theme.DARK]
_INK, _SECOND = f"color:{_LIGHT['ink']}", f"color:{_LIGHT['ink-2']}"
# Pixels: LEDE is the size of the first sentence.
_STYLES = {
    "body": f"margin:0;padding:24px 16px;background:{_LIGHT['ground']};{_INK};font-size:14px;line-height:20px;{_FONT}",
    "main": "max-width:680px;margin:0 auto",
    "h1": "font-size:20px;line-height:28px;font-weight:600;margin:0 0 8px;overflow-wrap:anywhere",
    "h2": "font-size:16px;line-height:24px;font-weight:600;margin:32px 0 8px",
    "lede": "font-size:16px;line-height:24px;margin:0 0 8px;overflow-wrap:anywhere",
    "p": "margin:0 0 8px;overflow-wrap:anywhere",
    "ul": "margin:0 0 16px;padding:0 0 0 20px",
    "li": "margin:0 0 6px;overflow-wrap:anywhere",
    "draft": "font-weight:600;margin:0 0 16px;color:#8a5200",
    "scroll": "overflow-x:auto;margin:8px 0 16px",
    "table": "border-collapse:collapse;width:100%;font-size:13px",
    "head": f"padding:8px 12px 8px 0;font-size:12px;font-weight:500;text-align:left;border-bottom:1px solid "
    f"{_LIGHT['line-2']};{_SECOND}",
    "head-number": f"padding:8px 0 8px 12px;font-size:12px;font-weight:500;text-align:right;border-bottom:1px solid "
    f"{_LIGHT['line-2']};{_SECOND}",
    "cell": f"padding:8px 12px 8px 0;text-align:left;border-bottom:1px solid {_LIGHT['line']};"
    "overflow-wrap:anywhere;min-width:120px",
    "cell-number": f"padding:8px 0 8px 12px;text-align:right;white-space:nowrap;border-bottom:1px solid "
    f"{_LIGHT['line']}",
    "bar": f"height:10px;background:{_LIGHT['maintenance']}",
    "a": f"{_INK};text-decoration:underline",
    "figure": "margin:8px 0 16px;overflow-x:auto",
    "caption": f"font-size:12px;line-height:16px;{_SECOND}",
}
_SHEET = (
    ":root{color-scheme:light dark;"
    + "".join(f"--{name}:{colour};" for name, colour in _LIGHT.items())
    + "}@media (prefers-color-scheme:dark){:root{"
    + "".join(f"--{name}:{colour};" for name, colour in _DARK.items())
    + "}"
    f".body{{background:{_DARK['ground']}!important;color:{_DARK['ink']}!important}}"
    f".a{{color:{_DARK['ink']}!important}}"
    ".draft{color:#f0b35a!important}"
    f".caption{{color:{_DARK['ink-2']}!important}}"
    f".head,.head-number{{color:{_DARK['ink-2']}!important;border-color:{_DARK['line-2']}!important}}"
    f".cell,.cell-number{{border-color:{_DARK['line']}!important}}"
    f".bar{{background:{_DARK['maintenance']}!important}}"
    "}"
)


def to_html(document: Document, *, is_mail: bool = False) -> str:
    """The document as a page. Its charts are inline SVG, and tables of bars in a mail."""
    title, *draft = map(_escaped, opening(document))
    content = [f"<h1{_style('h1')}>{title}</h1>", *(f"<p{_style('draft')}>{line}</p>" for line in draft)]
    for place, section in enumerate(document.sections):
        content += _section(section, is_first=place == 0, is_mail=is_mail)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{title}</title><style>{_SHEET}</style></head>\n"
        f"<body{_style('body')}><main{_style('main')}>\n" + "\n".join(content) + "\n</main></body></html>\n"
    )


def _section(section: Section, *, is_first: bool, is_mail: bool) -> Iterator[str]:
    if section.heading:
        yield f"<h2{_style('h2')}>{_escaped(section.heading)}</h2>"
    sentences = [one for one in section.items if isinstance(one, Sentence)]
    if section.heading and len(sentences) == len(section.items) > 1:
        lines = "".join(f"<li{_style('li')}>{_inline(one.parts)}</li>" for one in sentences)
        yield f"<ul{_style('ul')}>{lines}</ul>"
        return
    for place, item in enumerate(section.items):
        yield _item(item, "lede" if is_first and not place else "p", is_mail=is_mail)


def _item(item: Item, style: str, *, is_mail: bool) -> str:
    if isinstance(item, Sentence):
        return f"<p{_style(style)}>{_inline(item.parts)}</p>"
    if isinstance(item, Table):
        return _table(item.columns, ([_inline(cell) for cell in row] for row in item.rows))
    if is_mail:
        return _bars(item)
    caption = f"<figcaption{_style('caption')}>{_escaped(f'{item.title}: {item.unit}')}</figcaption>"
    return f"<figure{_style('figure')}>{caption}{svg(item, Theme.PAGE)}</figure>"


def _bars(chart: Chart) -> str:
    most = max(bar.length_micro for bar in chart.bars) or 1
    rows = (
        [
            _inline(bar.name),
            f"<div{_style('bar', f'width:{max(0, 100 * bar.length_micro // most)}%')}></div>",
            _inline((bar.number,)),
        ]
        for bar in chart.bars
    )
    return _table((f"{chart.title}: {chart.unit}", "", ""), rows, wide=1)


def _table(columns: Iterable[str], rows: Iterable[list[str]], wide: int | None = None) -> str:
    """Text to the left, numbers to the right; the column `wide` takes the room that the others leave."""
    head = "".join(
        f'<th{_style("head-number" if place else "head")} scope="col">{_escaped(name)}</th>'
        for place, name in enumerate(columns)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{_style('cell-number' if place else 'cell', 'width:60%' if place == wide else '')}>{text}</td>"
            for place, text in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f"<div{_style('scroll')}><table{_style('table')}><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def _inline(parts: Cell) -> str:
    return "".join(map(_part, parts))


def _part(part: Part) -> str:
    if not isinstance(part, Subject):
        return _escaped(words_of([part]))
    # A title may be written from right to left; it turns nothing else.
    label = f"<bdi>{_escaped(part.label)}</bdi>"
    if part.url is None:
        return label
    return f'<a{_style("a")} href="{escape(part.url)}" rel="noopener noreferrer">{label}</a>'


def _escaped(text: str) -> str:
    return escape(shown(text))


def _style(name: str, more: str = "") -> str:
    style = f"{_STYLES[name]};{more}" if more else _STYLES[name]
    return f' class="{name}" style="{escape(style)}"'
