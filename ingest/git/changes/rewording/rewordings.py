"""Lines of documents that only got another markup, another wrapping or another file, by the words of one commit.

A document that moves from one markup to another, or that is cut into parts, keeps its words: each of its new lines
says what removed lines said, in the same order. Addresses, tags and roles belong to the markup. Keep out: lines that
stand unchanged elsewhere (`classify`), and code, whose words repeat too often.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ingest.git.changes.rewording.phrases import ChangedText, Rewordings, find_phrases

LEAST_LINES = 100
"""Removed and added lines of documents below which a commit edits them: as new lines they earn about one ETV.

With 40, a history with many documents took 8 % longer to extract.
"""
MOST_BYTES = 4 * 1024 * 1024
"""Changed text of one commit above which nothing is searched: its phrases take thirty times as much memory."""

_MARKUP = re.compile(
    rb"(?:https?|ftp)://[^\s<>\"'`)\]]+|</?[A-Za-z][^<>\n]*>|:[\w:+-]{1,40}:(?=`)|\{[\w:+-]{1,40}\}(?=`)"
)
"""Addresses, tags, and roles of reStructuredText and MyST."""
_PLAIN = bytes(c if chr(c).isalnum() or c >= 0x80 or c == 0x0A else 0x20 for c in range(256)).lower()
"""Letters in lower case, digits and ends of lines stay; every other sign stands between words."""


def find_rewordings(documents: Sequence[ChangedText]) -> list[Rewordings]:
    """The reworded lines of each document of a commit.

    Their words are compared without markup (`phrases`). Commits with few lines take no part, nor those with very many.
    """
    gone = [line for one in documents for line in one.removed if line is not None]
    come = [line for one in documents for line in one.added if line is not None]
    if min(len(gone), len(come)) < LEAST_LINES or sum(map(len, gone)) + sum(map(len, come)) > MOST_BYTES:
        return [Rewordings() for _ in documents]
    return find_phrases(documents, words_of_documents)


def words_of_documents(lines: Sequence[bytes]) -> Iterable[list[bytes]]:
    """The words of each of some lines, without markup."""
    return map(bytes.split, _MARKUP.sub(b" ", b"\n".join(lines)).translate(_PLAIN).split(b"\n"))
