"""Texts of others: what UTF-8 and a database can hold, and what is harmless to show.

Keep out: names that people choose (`api.control.names`), output to a terminal.
"""

from __future__ import annotations

import re

_HALVES = re.compile("[\ud800-\udfff]")
# Control characters, and those that hide text or turn the direction of writing: they make one name look like another.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)
_LINK = re.compile(r"https?://[^\s\x00-\x20\x7f\"<>\\^`{|}]+", re.IGNORECASE)
MAX_LINK_LENGTH = 2048


def storable(text: str) -> str:
    """The text without NUL, and with a question mark for half of a surrogate pair."""
    return _HALVES.sub("?", text.replace("\x00", ""))


def is_storable(text: str) -> bool:
    """Whether UTF-8 and a database hold the text as it is."""
    return "\x00" not in text and (text.isascii() or _HALVES.search(text) is None)


def shown(text: str, limit: int) -> str:
    """The text on one line, without characters that hide something, at most so many characters."""
    return _HIDDEN.sub(" ", storable(text[: 2 * limit])).strip()[:limit]


def link(text: str) -> str | None:
    """The address of a page if a browser may open it: http or https. None for `javascript:` and everything else."""
    return text if len(text) <= MAX_LINK_LENGTH and _LINK.fullmatch(text) else None
