"""No page keeps a session where a script could read it, or brings a script or a style of its own."""

import re

from ingest.settings import CHECKOUT
from tests.api.web.chromium.vendored import ORIGINALS

FILES = sorted(
    path
    for path in (CHECKOUT / "api").rglob("*")
    # The copies of other projects are theirs.
    if path.suffix in {".py", ".html", ".js"} and path.name not in ORIGINALS
)
STORAGE = re.compile(r"\b(localStorage|sessionStorage|indexedDB|document\.cookie)\b")
INLINE = re.compile(r"<script(?![^>]*\bsrc=)|<style\b|<[^>]*\s(style|on[a-z]+)=|unsafe-(inline|eval)")


def test_no_script_keeps_anything_in_the_browser() -> None:
    assert len(FILES) > 100
    assert [path.name for path in FILES if STORAGE.search(path.read_text())] == []


def test_no_page_has_a_script_or_a_style_within() -> None:
    # Mails and printed files have their style within: they are read elsewhere.
    pages = [path for path in FILES if not {"presentation", "printing.py"} & set(path.parts)]
    assert [path.name for path in pages if INLINE.search(path.read_text())] == []
