"""Files that were converted to another language: a new file in place of a removed one of the same name.

An editor or a tool converts most of it, and people keep the names and texts. So a new line whose words all stood in the
removed file is no new line, whatever their order and the words of the languages. Measured on 116 such pairs of 25
histories: conversions keep .76 to 1.0 of their words, files that people wrote anew at most .57. Keep out: files in the
same language (`diff.renames`, `classify`) and documents (`rewordings`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import Final

from ingest.git.changes.commit_changes import FileChange
from ingest.git.changes.rewordings import Rewordings
from ingest.git.diff.content_cache import Contents
from ingest.git.diff.renames import PathPair
from ingest.git.lexing.languages import LANGUAGES, UNKNOWN
from ingest.git.objects.contents import ObjectProblem
from ingest.git.objects.trees import Entry

LEAST_LINES: Final = 50
"""Lines of the new file below which nothing is compared."""
LEAST_WORDS: Final = 0.75
"""Share of the new file's words that the removed one has."""
MOST_BYTES: Final = 4 * 1024 * 1024
"""Bytes of one of the two files above which they are not compared."""

_WORD: Final = re.compile(rb"[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*|\d+")
_LANGUAGE_WORDS: Final = frozenset(
    b"""
    abstract actual any as async await bool boolean break by byte case catch char class companion const constructor
    continue crossinline data def default delete do double else elseif end enum expect export extends extern false
    final finally float for from fun func function get go goto if implements import in infix init inline inner
    instanceof int interface internal is it lateinit lazy let local long mutable namespace native new nil none not null
    number object of open operator or out override package private protected public readonly record reified require
    return sealed self set short static string struct super suspend switch synchronized tailrec then this throw throws
    transient trait true try type typealias typeof undefined union unit unknown unsigned use val var vararg virtual void
    volatile when where while with yield
    """.split()
)


class ConvertedFiles:
    """Reads the contents of one repository."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents

    def mark(self, pairs: Sequence[PathPair], changes: Sequence[FileChange]) -> None:
        """Mark the converted lines of the changes of one commit; `pairs` are their versions in the same order."""
        for (gone, old), (come, new) in _conversions(list(zip(pairs, changes, strict=True))):
            found = find_conversion(old.path, self._lines(gone.old), self._lines(come.new))
            if found is not None and old.lines is not None and new.lines is not None:
                new.lines = new.lines._replace(reworded=found.added)
                old.lines = old.lines._replace(kept_words=found.kept)

    def _lines(self, entry: Entry | None) -> Sequence[bytes]:
        try:
            text = self._contents.read(entry)
        except ObjectProblem:
            return ()
        return () if text is None or text.is_binary or len(text.data) > MOST_BYTES else text.lines()


def find_conversion(path: str, removed: Sequence[bytes], added: Sequence[bytes]) -> Rewordings | None:
    """The lines of a new file that say what the removed one at `path` said; None where people wrote it anew."""
    if len(added) < LEAST_LINES:
        return None
    new_words = [_words(line) for line in added]
    places: dict[bytes, deque[int]] = defaultdict(deque)
    for number, line in enumerate(removed):
        for word in _words(line):
            places[word].append(number)
    wanted = Counter(word for words in new_words for word in words)
    shared = sum(min(count, len(places[word])) for word, count in wanted.items() if word in places)
    if shared < LEAST_WORDS * wanted.total() or not shared:
        return None
    found = Rewordings()
    left = Counter(number for numbers in places.values() for number in numbers)
    for number, words in enumerate(new_words):
        if words and all(len(places.get(word, ())) >= count for word, count in Counter(words).items()):
            origins = [places[word].popleft() for word in words]
            left.subtract(origins)
            found.added[number] = path, origins[0]
    found.kept += sorted(number for number, count in left.items() if not count)
    return found


def _conversions(
    changes: Sequence[tuple[PathPair, FileChange]],
) -> Iterator[tuple[tuple[PathPair, FileChange], tuple[PathPair, FileChange]]]:
    """Removed and new files of one name in two languages, those with most folders in common first."""
    gone: dict[str, list[tuple[PathPair, FileChange]]] = defaultdict(list)
    for one in changes:
        if one[1].status == "D" and _is_code(one[1]):
            for name in _names(one[1].path):
                gone[name].append(one)
    taken: set[str] = set()
    for one in changes if gone else ():
        change = one[1]
        if change.status != "A" or not _is_code(change):
            continue
        candidates = [
            old
            for name in _names(change.path)
            for old in gone.get(name, ())
            if old[1].language != change.language and old[1].path not in taken
        ]
        if candidates:
            folders = set(change.path.split("/"))
            best = max(candidates, key=lambda old: (len(folders & set(old[1].path.split("/"))), old[1].path))
            taken.add(best[1].path)
            yield best, one


def _is_code(change: FileChange) -> bool:
    """Whether people wrote the file in a language that is no prose."""
    if change.lines is None or change.is_binary or change.is_tool_made or change.is_vendored:
        return False
    language = LANGUAGES.get(change.language, UNKNOWN)
    return language is not UNKNOWN and not language.is_prose


def _names(path: str) -> tuple[str, ...]:
    """The name of the file with and without its last ending: `build.gradle` becomes `build.gradle.kts`."""
    name = path.rpartition("/")[2]
    return name, name.rpartition(".")[0] or name


def _words(line: bytes) -> list[bytes]:
    return [word for word in _WORD.findall(line.lower()) if word not in _LANGUAGE_WORDS]
