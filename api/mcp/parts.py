"""Long texts: one in parts, each of which fits into an answer, and names and titles cut.

Keep out: which texts are long (tools.py).
"""

import re
from typing import Any

# Bytes of UTF-8: with its frame of JSON a part stays below 2,000 tokens.
PART = 5_000
# Characters of a name, a title or a subject, which people and machines write outside.
MAX_TEXT = 300
CUT = "… (cut; `evidence` has all of it)"
PARAGRAPH = re.compile(r"(?<=\n\n)")


def parts_of(text: str) -> list[str]:
    """The parts, which make the text again. They end with a paragraph, or with a line of one that is too long."""
    parts = [""]
    for paragraph in PARAGRAPH.split(text):
        pieces = [paragraph] if _fits(paragraph) else paragraph.splitlines(keepends=True)
        for piece in pieces:
            if parts[-1] and not _fits(parts[-1] + piece):
                parts.append("")
            parts[-1] += piece
    return parts


def _fits(text: str) -> bool:
    return len(text.encode()) <= PART


def shorten(found: Any, path: str) -> None:
    """Cut the texts at a path such as `commits.subject`, in place. A title may have a million characters."""
    name, _, below = path.partition(".")
    for one in found if isinstance(found, list) else [found]:
        value = one.get(name) if isinstance(one, dict) else None
        if below:
            shorten(value, below)
        elif isinstance(value, str) and len(value) > MAX_TEXT:
            one[name] = value[:MAX_TEXT] + CUT
