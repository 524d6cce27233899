"""Lines of code whose words and operators stand in removed lines in the same order: nothing but layout is new.

Keep out: which lines are compared (`conversions`, `reformatting`), and words without an order (`removed_words`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from ingest.git.changes.rewording.phrases import ChangedText, Rewordings, find_phrases

_WORD: Final = re.compile(rb"[\w\x80-\xff]+|[!&|^~<>=+*/%?-]")
# Formatters wrap comments anew, and take the sign before a text of Python away.
_COMMENT_SIGNS: Final = re.compile(rb"^[ \t]*(?://+|/\*+|\*+/?)|(?<!\*)\*+/[ \t\r]*$|(?<![\w\"'])u(?=[\"'])")
_SIGNS_IN_WORDS: Final = frozenset({b"array"})
"""Words that formatters write as signs."""


def find_in_order(
    path: str, removed: Sequence[bytes], added: Sequence[bytes], left_out: frozenset[bytes] = frozenset()
) -> Rewordings:
    """The added lines that say what removed lines of the file at `path` said, and those removed lines.

    Lines without words say nothing of their own. Words that are `left_out` (lower case) are not compared.
    """

    def split(lines: Sequence[bytes]) -> Iterable[list[bytes]]:
        return ([word for word in _words_of(line) if word not in left_out] for line in lines)

    if not removed:
        return Rewordings()
    found = find_phrases([ChangedText(path, [*removed, None], [*added, None])], split)[0]
    for number, words in enumerate(split(added)):
        if not words:
            found.added[number] = path, 0
    found.kept += [number for number, words in enumerate(split(removed)) if not words]
    return found


def _words_of(line: bytes) -> list[bytes]:
    plain = _COMMENT_SIGNS.sub(b"", line.lower())
    return [word for word in _WORD.findall(plain) if word not in _SIGNS_IN_WORDS]
