"""Files that were converted to another language: a new file in place of a removed one of the same name.

An editor or a tool converts most of it, and people keep the names and texts. So a new line whose words stood in the
removed file is no new line, whatever their order and the words of the languages. `getName()`, `setName(…)` and `name`
are one word, since one language calls what another reads, and one word in four may be new. An import of a name that
the removed file has is no new line either. Measured on 116 such pairs of 25 histories: conversions keep .76 to 1.0 of
their words, files that people wrote anew at most .57. Related languages (JavaScript and TypeScript, C and C++) need no
other words: types that somebody adds and lines that somebody reworks are new. Keep out: files in the same language
(`diff.renames`, `classify`) and documents (`rewordings`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from ingest.git.changes.commit_changes import FileChange
from ingest.git.changes.rewording.code_words import find_in_order
from ingest.git.changes.rewording.phrases import Rewordings, changed_lines
from ingest.git.changes.rewording.removed_words import RemovedWords, words_of
from ingest.git.diff.content_cache import Contents
from ingest.git.diff.renames import PathPair
from ingest.git.lexing.languages import LANGUAGES, UNKNOWN, language_of
from ingest.git.objects.contents import ObjectProblem
from ingest.git.objects.trees import Entry

LEAST_LINES: Final = 20
"""Lines of a new file below which it is not compared. Of a file that Git takes for renamed all lines are."""
LEAST_WORDS: Final = 0.75
"""Share of the new file's words that the removed one has."""
LEAST_KEPT: Final = 0.3
"""Share of the removed file's words that the new one has: whoever takes over less of it writes another file."""
WORDS_PER_NEW: Final = 4
"""Words of a converted line of which one may be new."""
MOST_CANDIDATES: Final = 32
"""Removed files of one name that are looked at for a new one: thousands are called `index.js`."""
MOST_BYTES: Final = 1024 * 1024
"""Bytes of one of the two files above which they are not compared: their words take up to 290 times as much memory."""

_RELATIVES: Final = (
    frozenset({"C", "C++", "Objective-C", "CUDA"}),
    frozenset({"JavaScript", "JSX", "TypeScript", "TSX"}),
    frozenset({"CSS", "SCSS", "Less"}),
)
"""Languages that read most code of each other: people wrote what changes in a file that only gets the other's name."""
_OF_RELATIVES: Final = frozenset({b"any", b"as", b"unknown", b"const", b"let", b"var"})
"""Words that converters between these languages add or exchange alone."""

_Change = tuple[PathPair, FileChange]

_IMPORT: Final = re.compile(
    rb"\s*(?:import|using|use|package|namespace)\s+[\w.\\:]+(?:\s+as\s+\w+)?\s*;?\s*$"
)


class ConvertedFiles:
    """Reads the contents of one repository."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents

    def mark(self, pairs: Sequence[PathPair], changes: Sequence[FileChange]) -> None:
        """Mark the converted lines of the changes of one commit; `pairs` are their versions in the same order."""
        for (gone, old), (come, new) in converted_pairs(list(zip(pairs, changes, strict=True))):
            find = find_renamed if are_relatives(old.language, new.language) else find_conversion
            found = find(old.path, self._lines(gone.old), self._lines(come.new))
            if found is not None and old.lines is not None and new.lines is not None:
                new.lines = new.lines._replace(reworded=found.added)
                old.lines = old.lines._replace(kept_words=found.kept)
        for pair, change in zip(pairs, changes, strict=True):
            if change.lines is not None and _is_renamed_conversion(change):
                found = find_conversion(
                    change.path,
                    self._changed(pair.old, change, added=False),
                    self._changed(pair.new, change, added=True),
                    least_lines=1,
                )
                if found is not None:
                    change.lines = change.lines._replace(reworded=found.added, kept_words=found.kept)

    def _changed(self, entry: Entry | None, change: FileChange, *, added: bool) -> Sequence[bytes]:
        lines = self._lines(entry)
        return (
            [line for line in changed_lines(lines, change.hunks, added=added) if line is not None]
            if lines
            else ()
        )

    def _lines(self, entry: Entry | None) -> Sequence[bytes]:
        try:
            text = self._contents.read(entry)
        except ObjectProblem:
            return ()
        return () if text is None or text.is_binary or len(text.data) > MOST_BYTES else text.lines()


def find_conversion(
    path: str, removed: Sequence[bytes], added: Sequence[bytes], least_lines: int = LEAST_LINES
) -> Rewordings | None:
    """The lines of a new file that say what the removed one at `path` said; None where people wrote it anew."""
    if len(added) < least_lines:
        return None
    new_words = [words_of(line) for line in added]
    old = RemovedWords(removed)
    wanted = Counter(word for words in new_words for word in words)
    shared = sum(min(count, old.left[word]) for word, count in wanted.items())
    if not shared or shared < LEAST_WORDS * wanted.total() or shared < LEAST_KEPT * old.left.total():
        return None
    found = Rewordings()
    imports = {number for number, line in enumerate(added) if _IMPORT.match(line)}
    for number, words in enumerate(new_words):
        if (
            words
            and number not in imports
            and all(old.left[word] >= count for word, count in Counter(words).items())
        ):
            found.added[number] = path, old.take(words)
    # What the code leaves is for lines with few new words, and at last for imports.
    for number in sorted(range(len(added)), key=imports.__contains__):
        words = new_words[number]
        if not words or number in found.added:
            continue
        left = list((Counter(words) & old.left).elements())
        if left and (len(words) - len(left)) * WORDS_PER_NEW <= len(words):
            found.added[number] = path, old.take(left)
        elif number in imports and words[-1] in old.first:
            found.added[number] = path, old.first[words[-1]]
    found.kept += old.taken_lines()
    return found


def find_renamed(path: str, removed: Sequence[bytes], added: Sequence[bytes]) -> Rewordings | None:
    """The same of a file that only got the name of a related language, but for what its converters write."""
    return None if len(added) < LEAST_LINES else find_in_order(path, removed, added, _OF_RELATIVES)


def converted_pairs(changes: Sequence[_Change]) -> Iterator[tuple[_Change, _Change]]:
    """Removed and new files of one name in two languages: of one folder, of folders of one name, and then any."""
    gone = [one for one in changes if one[1].status == "D" and is_code(one[1])]
    come = [one for one in changes if gone and one[1].status == "A" and is_code(one[1])]
    for depth in (None, 1, 0):
        by_key: dict[tuple[str, str], dict[str, _Change]] = defaultdict(dict)
        for old in gone:
            for key in _keys(old[1].path, depth):
                by_key[key][old[1].path] = old
        taken: set[str] = set()
        for new in come:
            candidates = [
                old
                for key in _keys(new[1].path, depth)
                for old in islice(by_key[key].values(), MOST_CANDIDATES)
                if old[1].language != new[1].language
            ]
            if not candidates:
                continue
            folders = set(new[1].path.split("/"))
            best = max(candidates, key=lambda old: (len(folders & set(old[1].path.split("/"))), old[1].path))
            for key in _keys(best[1].path, depth):
                del by_key[key][best[1].path]
            taken |= {best[1].path, new[1].path}
            yield best, new
        gone = [one for one in gone if one[1].path not in taken]
        come = [one for one in come if one[1].path not in taken]


def _keys(path: str, depth: int | None) -> set[tuple[str, str]]:
    """The last folders of a file, all of them without a depth, with each of its names."""
    folders = path.split("/")[:-1]
    folder = "/".join(folders if depth is None else folders[len(folders) - depth :])
    return {(folder, name) for name in _names(path)}


def are_relatives(one: str, other: str) -> bool:
    """Whether one language reads most code of the other."""
    return any({one, other} <= related for related in _RELATIVES)


def _is_renamed_conversion(change: FileChange) -> bool:
    """Whether the file has the name of another language now, and most of its lines."""
    if change.status != "R" or change.previous_path is None or not is_code(change):
        return False
    before = language_of(change.previous_path).name
    if before in (change.language, UNKNOWN.name):
        return False
    if are_relatives(before, change.language):
        return False
    return bool(set(_names(change.path)) & set(_names(change.previous_path)))


def is_code(change: FileChange) -> bool:
    """Whether people wrote the file in a language that is no prose."""
    if change.lines is None or change.is_binary or change.is_tool_made or change.is_vendored:
        return False
    language = LANGUAGES.get(change.language, UNKNOWN)
    return language is not UNKNOWN and not language.is_prose


def _names(path: str) -> tuple[str, ...]:
    """The name of the file with and without its last ending: `build.gradle` becomes `build.gradle.kts`."""
    name = path.rpartition("/")[2]
    return name, name.rpartition(".")[0] or name
