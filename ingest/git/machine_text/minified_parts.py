"""Lines that a program minified, within a file of people: a library or the path of a drawing in a page.

Keep out: files that are minified as a whole (`provenance.is_minified`).
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

MARK: Final = "long lines without blanks"

_ENDINGS: Final = re.compile(
    r"\.(?:html?|xhtml|vue|svelte|astro|php|phtml|erb|ejs|hbs|mustache|twig|jsp|aspx|cshtml"
    r"|js|mjs|cjs|jsx|ts|tsx|css|scss|less)$",
    re.IGNORECASE,
)
# Minifiers break lines at 500 bytes or not at all; lines of people seldom reach 200.
_LONG: Final = 200
# Long lines of minified files in eleven histories have 1 to 3 % blanks and 23 to 29 % signs (medians), those of other
# files 6 to 11 % and 2 to 13 %. The rule also finds paths of drawings, which programs write as well.
_MOST_BLANKS: Final = 0.06
_LEAST_SIGNS: Final = 0.12
_NO_SIGN: Final = bytes(c for c in range(256) if c not in b"(){}[];:,=!&|?.")
_NO_BLANK: Final = bytes(c for c in range(256) if c not in b" \t")
_LEAST_BYTES: Final = 1_000
"""Of the minified lines of a part."""
_GAP: Final = 2
"""Lines between two minified ones that belong to the library as well."""


def may_be_minified(path: str, text: bytes) -> bool:
    """Whether the text has a line that is long enough for a part."""
    if not _has_pages(path):
        return False
    at, size = 0, len(text)
    while at + _LONG <= size:
        newline = text.rfind(b"\n", at, at + _LONG)
        if newline < 0:
            return True
        at = newline + 1
    return False


@lru_cache(maxsize=65_536)
def _has_pages(path: str) -> bool:
    return _ENDINGS.search(path) is not None


def minified_parts(path: str, text: bytes) -> Iterator[tuple[int, int, str]]:
    """First line, line beyond the last and mark of each part."""
    if not may_be_minified(path, text):
        return
    start = stop = size = 0
    for number, line in enumerate(text.split(b"\n")):
        if len(line) < _LONG or not _is_minified(line.strip()):
            continue
        if size and number - stop > _GAP:
            if size >= _LEAST_BYTES:
                yield start, stop, MARK
            size = 0
        start = start if size else number
        stop = number + 1
        size += len(line)
    if size >= _LEAST_BYTES:
        yield start, stop, MARK


def _is_minified(line: bytes) -> bool:
    length = len(line)
    return (
        length >= _LONG
        and len(line.translate(None, _NO_BLANK)) < _MOST_BLANKS * length
        and len(line.translate(None, _NO_SIGN)) >= _LEAST_SIGNS * length
    )
