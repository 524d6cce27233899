"""A summary as a mail: a page for mail programs, and the same as plain text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from api.presentation.summaries.document import Document, Item, Kind, Section, Sentence, Subject, Table, Text
from api.presentation.summaries.formats.html import to_html
from api.presentation.summaries.formats.plain_text import to_text
from api.presentation.summaries.outside import one_line

# Gmail shows 102 kB of a mail and hides the rest: https://developers.google.com/gmail/markup/faq
MAX_PAGE_BYTES = 100_000
CUT = "Only the first rows fit into a mail; the whole summary has all of them."
WHY = "Why do you get this mail?"
KINDS = {Kind.WEEKLY: "weekly", Kind.MONTHLY: "monthly", Kind.QUARTERLY: "quarterly"}


@dataclass(frozen=True, slots=True)
class MailBody:
    """The two texts of a mail, which say the same."""

    text: str
    page: str


def to_mail(document: Document, link: str, unsubscribe_link: str) -> MailBody:
    """The document with where it comes from and how to end the mails. Where it is too long for a mail, its tables have
    their first rows alone, and say so.
    """
    closing = Section(WHY, tuple(_closing(document, link, unsubscribe_link)))
    whole = replace(document, sections=(*document.sections, closing))
    seen, page = whole, to_html(whole, is_mail=True)
    limit = max((len(item.rows) for item in _items(whole) if isinstance(item, Table)), default=0)
    while len(page.encode()) > MAX_PAGE_BYTES and limit > 1:
        limit = limit * 3 // 4
        seen = _with_rows(whole, limit)
        page = to_html(seen, is_mail=True)
    return MailBody(to_text(seen), page)


def _items(document: Document) -> Iterator[Item]:
    return (item for section in document.sections for item in section.items)


def _with_rows(document: Document, limit: int) -> Document:
    """The document with so many rows of each table."""
    sections = (
        replace(one, items=tuple(part for item in one.items for part in _first_rows(item, limit)))
        for one in document.sections
    )
    return replace(document, sections=tuple(sections))


def _first_rows(item: Item, limit: int) -> Iterator[Item]:
    if isinstance(item, Table) and len(item.rows) > limit:
        yield replace(item, rows=item.rows[:limit])
        yield Sentence((Text(CUT),))
    else:
        yield item


def _closing(document: Document, link: str, unsubscribe_link: str) -> Iterator[Sentence]:
    scope = one_line(document.title)
    yield Sentence((Text(f"You subscribed to the {KINDS[document.kind]} summaries of {scope}."),))
    yield Sentence(
        (
            Text("Over the API, "),
            Subject("", "this summary", None, link),
            Text(" comes as a page, PDF, Markdown, plain text or data."),
        )
    )
    yield Sentence(
        (
            Text("One button "),
            Subject("", "ends these mails", None, unsubscribe_link),
            Text("."),
        )
    )
