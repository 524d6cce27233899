"""Marks the lines of a new file that stood as a text in a program: styles, pages and queries get files of their own.

The text loses the quotes and escapes of the program and its places for values (`{{` becomes `{`, `{name}` becomes
`var(--name)`), and keeps its words in their order. Keep out: files in the language of the program (`classify`, which
knows lines that moved as they were) and documents (`document_lines`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from ingest.git.changes.commit_changes import FileChange
from ingest.git.changes.rewording.conversions import MOST_BYTES, are_relatives, is_code
from ingest.git.changes.rewording.phrases import (
    ChangedText,
    ChangedWords,
    Rewordings,
    changed_lines,
    find_phrases,
    split_removed,
)
from ingest.git.diff.content_cache import Contents
from ingest.git.diff.renames import PathPair
from ingest.git.lexing.languages import TEMPLATE_LANGUAGES
from ingest.git.objects.contents import ObjectProblem
from ingest.git.objects.trees import Entry

LEAST_LINES: Final = 40
"""Lines of a new file, and lines that leave a program, below which they are not compared."""
LEAST_TAKEN: Final = 0.5
"""Share of the new file's lines whose words stood in the program: whoever writes more of them anew writes a file."""
QUOTED: Final = (
    frozenset({"CSS", "SCSS", "Sass", "Less", "Stylus", "HTML", "SVG", "XML", "SQL", "GraphQL"})
    | TEMPLATE_LANGUAGES
)
"""Languages that programs hold as texts. The files of most of them hold texts of the others, and are no programs."""

_WORD: Final = re.compile(rb"[\w\x80-\xff]+")
_PLACES: Final = frozenset({b"var"})
"""Words that name a place for a value."""


class _Removed(NamedTuple):
    """Programs with what they lost, read and split once for all new files of a commit."""

    programs: Sequence[FileChange]
    texts: Sequence[ChangedText]
    words: Sequence[ChangedWords]


class ExtractedTexts:
    """Reads the contents of one repository."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents

    def mark(self, pairs: Sequence[PathPair], changes: Sequence[FileChange]) -> None:
        """Mark such lines of the changes of one commit; `pairs` are their versions in the same order."""
        come = [
            (pair, change)
            for pair, change in zip(pairs, changes, strict=True)
            if change.status == "A"
            and change.language in QUOTED
            and change.lines_added >= LEAST_LINES
            and _is_open(change)
        ]
        if not come:
            return
        gone = [
            (pair, change)
            for pair, change in zip(pairs, changes, strict=True)
            if change.lines_deleted >= LEAST_LINES and change.language not in QUOTED and _is_open(change)
        ]
        removed: dict[tuple[int, ...], _Removed] = {}
        for pair, change in come:
            others = tuple(
                n for n, one in enumerate(gone) if not are_relatives(one[1].language, change.language)
            )
            if not others:
                continue
            if others not in removed:
                removed[others] = self._removed([gone[n] for n in others])
            self._mark_taken(pair, change, removed[others])

    def _removed(self, programs: Sequence[tuple[PathPair, FileChange]]) -> _Removed:
        texts = [ChangedText(one.path, self._lines(old.old, one, added=False), []) for old, one in programs]
        return _Removed([change for _, change in programs], texts, split_removed(texts, split_words))

    def _mark_taken(self, pair: PathPair, change: FileChange, removed: _Removed) -> None:
        new = ChangedText(change.path, [], self._lines(pair.new, change, added=True))
        found = find_taken(removed.texts, new, removed.words)
        if found is None or change.lines is None:
            return
        change.lines = change.lines._replace(reworded=found[-1].added)
        for program, one in zip(removed.programs, found[:-1], strict=True):
            if program.lines is not None and one.kept:
                kept = sorted({*program.lines.kept_words, *one.kept})
                program.lines = program.lines._replace(kept_words=kept)

    def _lines(self, entry: Entry | None, change: FileChange, *, added: bool) -> Sequence[bytes | None]:
        try:
            text = self._contents.read(entry)
        except ObjectProblem:
            return ()
        if text is None or text.is_binary or len(text.data) > MOST_BYTES:
            return ()
        return changed_lines(text.lines(), change.hunks, added=added)


def find_taken(
    programs: Sequence[ChangedText], new: ChangedText, words: Sequence[ChangedWords] | None = None
) -> list[Rewordings] | None:
    """The lines of a new file that programs held, as the last of the answers, and which lines left each of them.

    `words` are those of the programs' removed lines where they are known. The answer is
    None where most of the new file is new.
    """
    found = find_phrases([*programs, new], split_words, words)
    lines = [line for line in new.added if line is not None]
    with_words = sum(bool(words) for words in split_words(lines))
    return found if found[-1].added and len(found[-1].added) >= LEAST_TAKEN * with_words else None


def split_words(lines: Sequence[bytes]) -> Iterable[list[bytes]]:
    """The words of each line, without names of places for values."""
    for line in lines:
        yield [word for word in _WORD.findall(line.lower()) if word not in _PLACES]


def _is_open(change: FileChange) -> bool:
    return is_code(change) and change.lines is not None and not change.lines.reworded
