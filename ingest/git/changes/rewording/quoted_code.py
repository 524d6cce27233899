"""Marks the lines of code in a document that the same commit adds as code: a plan quotes what it asks for.

Blocks of six lines are copies anyway (`classify`); in a plan the code stands in smaller pieces between its steps. Keep
out: code that stands in the tree before, and blocks of which half is not added as code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ingest.git.changes.commit_changes import FileChange
from ingest.git.changes.rewording.conversions import MOST_BYTES
from ingest.git.changes.rewording.document_copies import NOWHERE
from ingest.git.changes.rewording.document_lines import is_document
from ingest.git.diff.content_cache import Contents
from ingest.git.diff.hunks import Hunk
from ingest.git.diff.renames import PathPair
from ingest.git.diff.texts import Text
from ingest.git.lexing.languages import LANGUAGES, UNKNOWN
from ingest.git.objects.contents import ObjectProblem
from ingest.git.objects.trees import Entry

LEAST_LINES: Final = 40
"""Added lines of a document below which it is not compared: it earns half an ETV."""
LEAST_KNOWN: Final = 0.5
"""Share of the lines of a block that have to be added as code, or it shows how to use it."""
_FENCE: Final = re.compile(rb"\s{0,12}(?:[-*] +|\d+\. +)?(`{3,}|~{3,})")
_WORD: Final = re.compile(rb"\w")

Block = list[tuple[int, bytes]]
"""The added lines of a block of code, each with its number among the added lines of the file."""


class QuotedCode:
    """Reads the contents of one repository."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents

    def mark(self, pairs: Sequence[PathPair], changes: Sequence[FileChange]) -> None:
        """Mark such lines of the changes of one commit; `pairs` are their versions in the same order."""
        documents = [
            (change, text)
            for pair, change in zip(pairs, changes, strict=True)
            if change.lines_added >= LEAST_LINES and is_document(change)
            if (text := self._read(pair.new)) is not None and (b"```" in text.data or b"~~~" in text.data)
        ]
        if not documents:
            return
        code = frozenset(self._code(pairs, changes))
        for change, text in documents if code else ():
            found = dict.fromkeys(quoted_lines(text.lines(), change.hunks, code), NOWHERE)
            if found and change.lines is not None:
                change.lines = change.lines._replace(reworded=found | dict(change.lines.reworded))

    def _code(self, pairs: Sequence[PathPair], changes: Sequence[FileChange]) -> Iterator[bytes]:
        """The added lines of code, without their blanks."""
        for pair, change in zip(pairs, changes, strict=True):
            is_read = change.lines is not None and not (
                change.is_binary or change.is_tool_made or change.is_vendored
            )
            if not is_read or not change.lines_added or LANGUAGES.get(change.language, UNKNOWN).is_prose:
                continue
            text = self._read(pair.new)
            lines = text.lines() if text is not None else ()
            for _, _, start, count in change.hunks if lines else ():
                yield from map(_squeezed, lines[start - 1 : start - 1 + count])

    def _read(self, entry: Entry | None) -> Text | None:
        try:
            text = self._contents.read(entry)
        except ObjectProblem:
            return None
        return None if text is None or text.is_binary or len(text.data) > MOST_BYTES else text


def quoted_lines(lines: Sequence[bytes], hunks: Sequence[Hunk], code: frozenset[bytes]) -> Iterator[int]:
    """The numbers, among the added lines, of those that quote the code: the known lines and brackets of such blocks."""
    for block in _blocks(lines, hunks):
        spoken = [(number, _squeezed(line)) for number, line in block if _WORD.search(line) is not None]
        known = [number for number, text in spoken if text in code]
        if known and len(known) >= LEAST_KNOWN * len(spoken):
            yield from known
            yield from (number for number, line in block if _WORD.search(line) is None)


def _blocks(lines: Sequence[bytes], hunks: Sequence[Hunk]) -> Iterator[Block]:
    """The blocks of code between fences, with their added lines."""
    places = (line for _, _, start, count in hunks for line in range(start - 1, start - 1 + count))
    numbers = {line: number for number, line in enumerate(places)}
    fence: bytes | None = None
    block: Block = []
    for at, line in enumerate(lines):
        match = _FENCE.match(line)
        if fence is None:
            fence, block = (None if match is None else match[1]), []
        elif match is not None and match[1].startswith(fence) and not line[match.end() :].strip():
            yield block
            fence = None
        elif at in numbers:
            block.append((numbers[at], line))


def _squeezed(line: bytes) -> bytes:
    return b" ".join(line.split())
