"""Formats of a summary, read by parsers that we did not write: no text from outside adds a heading, link or element."""

from __future__ import annotations

import io
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from xml.etree.ElementTree import Element

import html5lib
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from pypdf import PdfReader

from api.presentation.summaries.composing import compose
from api.presentation.summaries.document import Document, Subject, parts_of
from api.presentation.summaries.facts import Fact
from api.presentation.summaries.formats.html import to_html
from api.presentation.summaries.formats.mails import MAX_PAGE_BYTES, to_mail
from api.presentation.summaries.formats.markdown import to_markdown
from api.presentation.summaries.formats.pdf import to_pdf
from api.presentation.summaries.formats.plain_text import to_text
from api.presentation.summaries.formats.renderers import RENDERERS, Format, render
from api.presentation.summaries.outside import JOINER
from api.presentation.summaries.verification import verify
from tests.api.presentation.summaries.invented_facts import HOSTILE, PLAIN_TITLES, URLS, fact, facts_of
from tests.api.presentation.summaries.test_numbers import read_numbers
from tests.suite.tiers import fewer

XHTML = "{http://www.w3.org/1999/xhtml}"
hostile = st.sampled_from(("week", "month", "quarter")).flatmap(lambda one: facts_of(one, HOSTILE, URLS))
plain = st.sampled_from(("week", "month", "quarter")).flatmap(lambda one: facts_of(one, PLAIN_TITLES))
# Pictures and pages take 60 ms each.
slow = settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def links(document: Document) -> Counter[str]:
    """The links that a document has: those of its subjects."""
    parts = (part for one in document.sections for item in one.items for part in parts_of(item))
    return Counter(part.url for part in parts if isinstance(part, Subject) and part.url)


def headings(document: Document) -> list[str]:
    """The headings under the title."""
    return [one.heading for one in document.sections if one.heading]


def test_a_subject_links_to_pages_alone() -> None:
    facts = [
        fact(f"delivery.{place}", unit="ETV", value=1, subject_title="x", url=url)
        for place, url in enumerate(URLS, 1)
    ]
    assert list(links(compose(facts, "scope"))) == [URLS[1]]


def tokens(markdown: str) -> Iterator[Token]:
    """All tokens of a text, with what programs make of addresses."""
    parser = MarkdownIt("gfm-like", {"html": True, "linkify": False}).enable("table")
    for token in parser.parse(markdown):
        yield token
        yield from token.children or ()


@settings(max_examples=fewer(60), deadline=None)
@given(hostile, st.sampled_from(HOSTILE))
def test_markdown_has_our_headings_and_links_alone(facts: list[Fact], name: str) -> None:
    document = compose(facts, name)
    found = list(tokens(to_markdown(document)))
    assert verify(document, facts) == ()
    titles = [after.content for one, after in pairwise(found) if one.type == "heading_open"]
    assert len(titles) == 1 + len(headings(document))
    assert titles[1:] == headings(document)
    assert Counter(str(one.attrs["href"]) for one in found if one.type == "link_open") == links(document)
    known = {"inline", "text", "text_special", "softbreak"} | {
        f"{kind}_{end}"
        for kind in ("heading", "paragraph", "strong", "link", "bullet_list", "list_item")
        for end in ("open", "close")
    }
    assert {one.type for one in found if not re.match("table|thead|tbody|tr_|th_|td_", one.type)} <= known


@settings(max_examples=fewer(60), deadline=None)
@given(hostile, st.sampled_from(HOSTILE))
def test_plain_text_has_no_control_characters(facts: list[Fact], name: str) -> None:
    text = to_text(compose(facts, name))
    assert not [one for one in text if one not in "\n\u2060" and unicodedata.category(one)[0] == "C"]
    assert "://evil" not in text


def elements(page: str) -> list[Element]:
    """The elements of a page as a browser makes them. Raises for a page that is not well formed."""
    return list(html5lib.HTMLParser(strict=True).parse(page).iter())


@slow
@given(hostile, st.sampled_from(HOSTILE))
def test_a_page_has_our_elements_and_links_alone(facts: list[Fact], name: str) -> None:
    document = compose(facts, name)
    for page in (to_html(document), to_html(document, is_mail=True)):
        found = elements(page)
        names = Counter(str(one.tag).removeprefix(XHTML) for one in found)
        assert names["h1"] == 1
        assert names["h2"] == len(headings(document))
        assert Counter(one.get("href") for one in found if one.tag == f"{XHTML}a") == links(document)
        assert not names.keys() & {"script", "img", "iframe", "object", "form", "input", "b", "base"}
        assert not [one for each in found for one in each.attrib if one.startswith("on") or one == "src"]
        assert "url(" not in page
    assert "<svg" not in to_html(document, is_mail=True)


@slow
@given(hostile, st.sampled_from(HOSTILE))
def test_a_mail_has_the_links_of_the_summary_and_two_of_ours(facts: list[Fact], name: str) -> None:
    document = compose(facts, name)
    ours = ("https://eas.example/s", "https://eas.example/u")
    mail = to_mail(document, *ours)
    found = Counter(one.get("href") for one in elements(mail.page) if one.tag == f"{XHTML}a")
    assert found == links(document) + Counter(ours)
    assert [one for one in ours if f"<{one}>" not in mail.text] == []
    assert "://evil" not in mail.text


def visible_text(page: str) -> str:
    """What a reader of a page sees."""
    body = next(one for one in elements(page) if one.tag == f"{XHTML}body")
    return " ".join(_texts(body))


def _texts(element: Element) -> Iterator[str]:
    name = str(element.tag).rpartition("}")[2]
    if name in {"title", "desc"}:
        return
    yield element.text or ""
    for child in element:
        yield from _texts(child)
        yield child.tail or ""


def pages(pdf: bytes) -> PdfReader:
    """The pages of a PDF."""
    return PdfReader(io.BytesIO(pdf))


def text_of(pdf: bytes) -> str:
    """The text of all pages on one line, without their feet."""
    texts = (page.extract_text() for page in pages(pdf).pages)
    return re.sub(r"\s+", " ", re.sub(r"\b\d+ / \d+\b", "", " ".join(texts)))


@slow
@given(plain)
def test_every_number_of_a_page_is_a_fact(facts: list[Fact]) -> None:
    document = compose(facts, "scope")
    for text in (visible_text(to_html(document)), visible_text(to_html(document, is_mail=True))):
        assert read_numbers(text, facts) == [], text
    text = text_of(to_pdf(document))
    assert read_numbers(text, facts) == [], text
    assert [one for one in headings(document) if one not in text] == []


@slow
@given(hostile, st.sampled_from(HOSTILE))
def test_pdf_pages_show_markup_as_text_and_have_our_links_alone(facts: list[Fact], name: str) -> None:
    document = compose(facts, name)
    reader = pages(to_pdf(document))
    found = {
        annotation.get_object()["/A"]["/URI"]
        for page in reader.pages
        for annotation in page.get("/Annots", [])
    }
    assert found == set(links(document))


def test_markup_is_text_in_a_pdf() -> None:
    title = '#image("/etc/passwd") *bold* $a^2$ = b'
    facts = [fact("delivery.1", unit="ETV", value=12.5, subject_title=title)]
    assert title in text_of(to_pdf(compose(facts, "#scope")))


@pytest.mark.parametrize("to_format", [to_markdown, to_text, to_html])
def test_a_draft_says_so_in_every_format(to_format: Callable[[Document], str]) -> None:
    facts = [fact("etv", unit="ETV", value=1, is_draft=True)]
    assert "DRAFT: the week is not over" in to_format(compose(facts, "scope"))
    final = [fact("etv", unit="ETV", value=1)]
    assert "DRAFT" not in to_format(compose(final, "scope"))


def test_a_draft_says_so_in_a_pdf() -> None:
    facts = [fact("etv", unit="ETV", value=1, is_draft=True)]
    assert "DRAFT: the week is not over" in text_of(to_pdf(compose(facts, "scope")))


def test_a_quarter_has_1200_objectives_in_every_format() -> None:
    names = [f"Objective {''.join(chr(97 + int(digit)) for digit in str(place))}." for place in range(1200)]
    facts = [
        fact(f"objective.{place}", "quarter", unit="ETV", value=1200 - place, subject_title=name)
        for place, name in enumerate(names, 1)
    ]
    document = compose(facts, "scope")
    for text in (to_markdown(document), to_text(document), to_html(document)):
        assert [one for one in names if one not in text.replace(JOINER, "").replace("\\", "")] == []
    mail = to_mail(document, "https://eas.example/s", "https://eas.example/u")
    assert len(mail.page.encode()) <= MAX_PAGE_BYTES
    for text in (mail.text, visible_text(mail.page)):
        assert "Only the first rows fit into a mail" in text
        kept = [one for one in names if one in text.replace(JOINER, "")]
        assert 75 < len(kept) < 1200
        assert kept == names[: len(kept)]
    # Reading all pages takes five seconds.
    found = pages(to_pdf(document)).pages
    assert names[0] in found[0].extract_text()
    assert names[-1] in found[-1].extract_text()


@pytest.mark.parametrize("name", list(Format))
def test_each_format_is_what_its_media_type_says(name: Format) -> None:
    document = compose([fact("etv", unit="ETV", value=12.5)], "scope")
    starts = {
        Format.MARKDOWN: b"# scope",
        Format.HTML: b"<!doctype",
        Format.TEXT: b"scope",
        Format.PDF: b"%PDF-",
    }
    assert render(document, name).startswith(starts[name])
    assert RENDERERS.keys() == set(Format)
