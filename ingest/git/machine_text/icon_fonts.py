"""Lists of icons in a style sheet: a program that makes an icon font writes one rule for each icon.

Add: how another program writes such a rule. Keep out: style sheets that are generated as a whole (`marks`).
"""

import re
from collections.abc import Iterator
from typing import Final

MARK: Final = "a list of the icons of a font"

_ENDINGS: Final = (".css", ".scss", ".sass", ".less", ".styl", ".pcss")
# Fonts keep icons in the areas for private use of Unicode: U+E000 to U+F8FF, and from U+F0000 on.
_SIGN: Final = rb"[\"']?\\(?:[eE][0-9a-fA-F]{3}|[fF][0-8][0-9a-fA-F]{2}|[fF][0-9a-fA-F]{4})\b[\"']?"
_GLYPH: Final = re.compile(rb"(?:\bcontent\s*:\s*|^\s*[$@][\w-]{1,80}\s*:\s*)" + _SIGN)
# Selectors, braces and comments: what stands between two icons.
_FRAME: Final = re.compile(rb"\s*(?:/\*[^*]*\*/|//.*|[^;:{}]*(?:::?[a-z-]+)?\s*[,{]?|[{}]|\})\s*")
_LEAST_ICONS: Final = 20
"""People write rules for some icons by hand; each of eight icon fonts has more than 130."""
_MOST_BETWEEN: Final = 6
"""Lines of selectors and braces between two icons."""


def may_have_icons(path: str, text: bytes) -> bool:
    """Whether the text is a style sheet with so many signs of the areas for private use."""
    return (
        path.endswith(_ENDINGS)
        and text.count(b"\\e") + text.count(b"\\f") + text.count(b"\\F") >= _LEAST_ICONS
    )


def icon_parts(path: str, text: bytes) -> Iterator[tuple[int, int, str]]:
    """First line, line beyond the last and mark of each list. Other declarations between two icons end a list."""
    if not may_have_icons(path, text):
        return
    lines = text.split(b"\n")
    start = stop = icons = 0
    for number, line in enumerate(lines):
        if _GLYPH.search(line) is not None:
            if icons == 0:
                start = _first_of_rule(lines, number)
            icons += 1
            stop = number + 1
        elif icons and (number - stop >= _MOST_BETWEEN or _FRAME.fullmatch(line) is None):
            if icons >= _LEAST_ICONS:
                yield start, _last_of_rule(lines, stop), MARK
            icons = 0
    if icons >= _LEAST_ICONS:
        yield start, _last_of_rule(lines, stop), MARK


def _first_of_rule(lines: list[bytes], number: int) -> int:
    """The first selector of the rule with the first icon."""
    while number and lines[number - 1].rstrip().endswith((b",", b"{", b":before", b":after")):
        number -= 1
    return number


def _last_of_rule(lines: list[bytes], stop: int) -> int:
    return stop + 1 if stop < len(lines) and lines[stop].strip() == b"}" else stop
