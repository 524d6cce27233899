"""A summary as a mail: a page for mail programs, and the same as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from api.presentation.summaries.document import Document, Kind, Section, Sentence, Subject, Text
from api.presentation.summaries.formats.html import to_html
from api.presentation.summaries.formats.plain_text import to_text
from api.presentation.summaries.outside import one_line

# Gmail shows 102 kB of a mail and hides the rest: https://developers.google.com/gmail/markup/faq
MAX_PAGE_BYTES = 100_000
KINDS = {Kind.WEEKLY: "weekly", Kind.MONTHLY: "monthly", Kind.QUARTERLY: "quarterly"}


@dataclass(frozen=True, slots=True)
class MailBody:
    """The two texts of a mail, which say the same."""

    text: str
    page: str


def to_mail(document: Document, link: str, subscription_link: str) -> MailBody:
    """The document with where it comes from and how to end the mails. Where it is too long for a mail, its longest
    sections are left out, and a line says so.
    """
    closing = Section(None, tuple(_closing(document, link, subscription_link)))
    kept, left_out = list(document.sections), list[Section]()
    page = _page(document, [*kept, closing])
    while len(page.encode()) > MAX_PAGE_BYTES and kept:
        longest = max(kept, key=lambda one: len(_page(document, [one])))
        kept.remove(longest)
        left_out.append(longest)
        page = _page(document, [*kept, _left_out(left_out), closing])
    note = [_left_out(left_out)] if left_out else []
    return MailBody(to_text(replace(document, sections=(*kept, *note, closing))), page)


def _page(document: Document, sections: Sequence[Section]) -> str:
    return to_html(replace(document, sections=tuple(sections)), is_mail=True)


def _left_out(sections: Sequence[Section]) -> Section:
    named = ", ".join(one.heading for one in sections if one.heading)
    which = f"“{named}”" if named else "The rest"
    return Section(None, (Sentence((Text(f"{which} is too long for a mail; the whole summary has it."),)),))


def _closing(document: Document, link: str, subscription_link: str) -> Iterator[Sentence]:
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
            Text("To end these mails, send DELETE to the address of "),
            Subject("", "your subscription", None, subscription_link),
            Text("."),
        )
    )
