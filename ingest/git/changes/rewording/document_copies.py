"""Marks the lines of a new document that stands in the tree already, in another markup.

A file of the same name in its folder, at the top or among the documents keeps its words (`README.md` and `README.rst`):
the new one says the same a second time. Only what people wrote as a document is an original: a page that a tool
rendered from the new document takes nothing from it. Keep out: documents that leave in the same commit
(`document_lines`), and translations, which share no words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from ingest.git.changes.commit_changes import FileChange
from ingest.git.changes.file_description import FileDescriber
from ingest.git.changes.rewording.conversions import MOST_BYTES
from ingest.git.changes.rewording.document_lines import is_document
from ingest.git.changes.rewording.phrases import ChangedText, find_phrases
from ingest.git.changes.rewording.rewordings import words_of_documents
from ingest.git.diff.content_cache import Contents
from ingest.git.diff.renames import PathPair
from ingest.git.files.roles import DOCUMENTATION
from ingest.git.lexing.languages import LANGUAGES, UNKNOWN
from ingest.git.objects.contents import ObjectProblem
from ingest.git.objects.trees import Entry, TreeReader

LEAST_LINES: Final = 40
"""Lines of a new document below which it is not compared: it earns half an ETV."""
NOWHERE: Final = ("", 0)
"""The origin of a line that stands in a file which stays."""
_MARKUPS: Final = (".md", ".markdown", ".rst", ".adoc", ".asciidoc", ".org", ".txt", ".pod", "", ".html")
"""Of documents that come together the first is the original: pages are rendered from texts."""
_PERL_DOCUMENT: Final = ".pod"
_FOLDERS: Final = ("", "docs", "doc", "documentation")


class DocumentCopies:
    """Reads the trees and contents of one repository."""

    def __init__(self, trees: TreeReader, contents: Contents, describer: FileDescriber) -> None:
        self._trees, self._contents, self._describer = trees, contents, describer

    def mark(self, pairs: Sequence[PathPair], changes: Sequence[FileChange], tree: bytes) -> None:
        """Mark the lines of the changes of one commit with the tree `tree`; `pairs` are their versions in order."""
        changed = {change.path: change for change in changes}
        for pair, change in zip(pairs, changes, strict=True):
            if change.status != "A" or change.lines_added < LEAST_LINES or not is_document(change):
                continue
            added = self._lines(pair.new)
            for path, entry in self._namesakes(change.path, tree) if added else ():
                original = changed.get(path) or self._described(path, entry, tree)
                is_later = original.status == "A" and _rank(path) > _rank(change.path)
                if is_later or not _is_original(original):
                    continue
                text = ChangedText(path, [*self._lines(entry), None], [*added, None])
                found = dict.fromkeys(find_phrases([text], words_of_documents)[0].added, NOWHERE)
                if found and change.lines is not None:
                    change.lines = change.lines._replace(reworded=found | dict(change.lines.reworded))

    def _namesakes(self, path: str, tree: bytes) -> Iterator[tuple[str, Entry]]:
        folder, _, name = path.rpartition("/")
        stem, ending = _stem_and_ending(name)
        for place in dict.fromkeys((folder, *_FOLDERS)):
            for found, entry in self._trees.files(
                tree, place, [stem + one for one in _MARKUPS if one != ending]
            ):
                yield f"{place}/{found}".lstrip("/"), entry

    def _described(self, path: str, entry: Entry, tree: bytes) -> FileChange:
        """A file of the tree as if it came whole with another change: it stays, so its status is no addition."""
        found = FileChange(path, None, "A", None, None, entry[1].hex())
        with suppress(ObjectProblem):
            text = self._contents.read(entry)
            self._describer.describe(found, text, tree)
        found.status = "M"
        return found

    def _lines(self, entry: Entry | None) -> list[bytes]:
        try:
            text = self._contents.read(entry)
        except ObjectProblem:
            return []
        return [] if text is None or text.is_binary or len(text.data) > MOST_BYTES else list(text.lines())


def _rank(path: str) -> int:
    ending = _stem_and_ending(path.rpartition("/")[2])[1]
    return _MARKUPS.index(ending) if ending in _MARKUPS else len(_MARKUPS)


def _stem_and_ending(name: str) -> tuple[str, str]:
    stem, dot, ending = name.rpartition(".")
    return (stem, dot + ending) if stem else (name, "")


def _is_original(change: FileChange) -> bool:
    """Whether people wrote the file as a document, in a markup that is a language of code elsewhere, too."""
    if change.is_binary or change.is_tool_made or change.is_vendored:
        return False
    is_prose = LANGUAGES.get(change.language, UNKNOWN).is_prose
    return is_prose or change.role == DOCUMENTATION or change.path.endswith(_PERL_DOCUMENT)
