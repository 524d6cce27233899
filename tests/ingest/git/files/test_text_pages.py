"""A page of HTML that holds mostly sentences is a document; a page of a program is source, whatever it says."""

import time

import pytest

from ingest.git.files.text_pages import is_text_page
from tests.ingest.git.files.test_description import described

SENTENCES = (
    "The shop keeps each order in its own row, so that a refund finds the price of that day.",
    "Whoever changes a price later leaves the orders of the past as they were written.",
    "A courier reads the label, and the label has no more than the street and the number.",
    "The report of a month is closed on its third day, after the last parcel was counted.",
    "When a customer moves, the old address stays with the orders that were sent to it.",
    "Two people can work on one order, as long as they look at different lines of it.",
)
TEXT = "".join(f"  <p>{sentence} It <b>must</b> do so.</p>\n" for sentence in SENTENCES)
PAGE = f"<html>\n<head><title>The shop</title></head>\n<body>\n<h1>How the shop works</h1>\n{TEXT}</body>\n</html>\n"


@pytest.mark.parametrize(
    "path", ["web/tutorial.html", "src/main/webapp/html/tutorial.htm", "pages/orders.html"]
)
def test_a_page_of_sentences_is_a_document(path: str) -> None:
    assert described(path, PAGE).role == "documentation"
    assert described(path, "---\ntitle: Orders\n---\n" + TEXT).role == "documentation"


@pytest.mark.parametrize(
    "page",
    [
        # A page of a product says a sentence here and there.
        "<body>\n"
        + "".join(
            f'<section class="row col-{n} hero-{n} padded"><div class="card shadow-lg rounded" id="c{n}">'
            f'<img src="img/{n}.png" alt="{n}" width="300"><p class="lead text-muted">{sentence}</p></div></section>\n'
            for n, sentence in enumerate(SENTENCES)
        ),
        # Templates, and pages on which somebody acts
        PAGE.replace("refund", "{{ refund }}"),
        PAGE.replace("refund", "<%= refund %>"),
        PAGE.replace("<h1>", "<h1 v-if='open'>"),
        PAGE.replace("<h1>", "<h1 onclick='go()'>"),
        PAGE.replace("</body>", '<form action="/orders"></form></body>'),
        "@(orders: List[Order])\n" + TEXT,
        # What a browser runs or hides is no text.
        f"<html><script>\n{TEXT}</script></html>\n",
        f"<html><!--\n{TEXT}--></html>\n",
        "<ul>\n" + "".join(f"<li>Order {n}: a parcel of the shop</li>\n" for n in range(80)) + "</ul>\n",
        "<p>" + SENTENCES[0] + "</p>\n" + "<hr>\n" * 200,
    ],
)
def test_a_page_of_a_program_is_source(page: str) -> None:
    assert described("web/orders.html", page).role == "source"


def test_the_page_of_a_component_is_source() -> None:
    assert described("web/about.component.html", PAGE).role == "source"
    assert described("web/about.vue", PAGE).role == "source"


@pytest.mark.parametrize("part", [b"<!--", b"<script ", b"<head", b"<p>a ", b"---\n", b"<", b"{ {", b"a."])
def test_hostile_pages_take_little_time(part: bytes) -> None:
    page = (b"<html>\n" + part * 4_096)[:4_096]
    began = time.process_time()
    for _ in range(10):
        is_text_page("web/a.html", page)
    assert time.process_time() - began < 2
