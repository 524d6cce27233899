"""The formats by name: one way to render a summary, whoever asks.

Pictures hold the interpreter for 20 to 60 ms each, so a server renders HTML and PDF in a process of its own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from api.presentation.summaries.document import Document
from api.presentation.summaries.formats.html import to_html
from api.presentation.summaries.formats.markdown import to_markdown
from api.presentation.summaries.formats.pdf import to_pdf
from api.presentation.summaries.formats.plain_text import to_text


class Format(StrEnum):
    """The formats of a summary."""

    MARKDOWN = "MARKDOWN"
    HTML = "HTML"
    TEXT = "TEXT"
    PDF = "PDF"


@dataclass(frozen=True, slots=True)
class Renderer:
    """A format: its media type, the end of the name of its files, and how a document becomes bytes."""

    media_type: str
    suffix: str
    render: Callable[[Document], bytes]


RENDERERS: Mapping[Format, Renderer] = {
    Format.MARKDOWN: Renderer("text/markdown; charset=utf-8", ".md", lambda one: to_markdown(one).encode()),
    Format.HTML: Renderer("text/html; charset=utf-8", ".html", lambda one: to_html(one).encode()),
    Format.TEXT: Renderer("text/plain; charset=utf-8", ".txt", lambda one: to_text(one).encode()),
    Format.PDF: Renderer("application/pdf", ".pdf", to_pdf),
}


def render(document: Document, name: Format) -> bytes:
    """The document in a format. A function of a module, so that another process can be asked for it."""
    return RENDERERS[name].render(document)
