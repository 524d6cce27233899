"""Texts of others, such as titles of commits and issues: one short line in which nothing is hidden.

What a format makes of special characters is the renderer's part. Keep out: names within pictures (charts/texts.py).
"""

import re
import unicodedata

MAX_TITLE = 80
UNTITLED = "(without a title)"
# Invisible, and no program takes two texts with it between them for one address.
JOINER = "\u2060"
# Control, format (such as right-to-left marks), surrogate and private-use characters.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co"})
_MARKS = frozenset({"Mn", "Me"})
# No script needs more marks on one letter; a pile of them covers the lines above.
_MARKS_ON_A_LETTER = 3
_ADDRESS = re.compile(r"https?://[^\s\x00-\x20\x7f-\x9f\"<>\\^`{|}]+", re.IGNORECASE | re.ASCII)
MAX_ADDRESS = 2048
# Characters of a cut word that are left out.
_LONGEST_CUT = 20
_LIKE_ADDRESS = re.compile(r"(?<=\w)(?=\.[^\W\d_]{2})|(?<=:)(?=//)|(?<=@)(?=\S)")


def one_line(text: str | None, limit: int = MAX_TITLE) -> str:
    """The text on one line of at most so many characters, without hidden ones; a fixed text for an empty one."""
    found: list[str] = []
    marks = 0
    # Titles of 10,000 characters occur; what is left out later is not looked at.
    for character in " ".join((text or "")[: 8 * limit].split()):
        kind = unicodedata.category(character)
        marks = marks + 1 if kind in _MARKS else 0
        if kind not in _HIDDEN and marks <= _MARKS_ON_A_LETTER:
            found.append(character)
    line = " ".join("".join(found).split())
    if not line:
        return UNTITLED
    return line if len(line) <= limit else _shortened(line[: limit - 1])


def _shortened(line: str) -> str:
    """The start of a line, up to its last whole word if that is not far."""
    words, _, rest = line.rpartition(" ")
    return f"{words if words and len(rest) <= _LONGEST_CUT else line}…"


def address(url: str | None) -> str | None:
    """The address of a page if a browser may open it: http or https. None for everything else."""
    return url if url and len(url) <= MAX_ADDRESS and _ADDRESS.fullmatch(url) else None


def shown(text: str) -> str:
    """Any text before it is escaped for a format: on one line, nothing hidden, and no part of it becomes a link.

    Programs make links and mentions of what looks like an address, whatever is escaped.
    """
    line = "".join(
        " " if character in "\n\r\t" else character
        for character in text
        if character in "\n\r\t" or unicodedata.category(character) not in _HIDDEN
    )
    return _LIKE_ADDRESS.sub(JOINER, line)
