"""Marks the lines of a new document that stands in the tree already, in another markup.

A file of the same name in its folder, at the top or among the documents keeps its words (`README.md` and `README.rst`):
the new one says the same a second time. Keep out: documents that leave in the same commit (`document_lines`), and
translations, which share no words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ingest.git.changes.commit_changes import FileChange
from ingest.git.changes.rewording.document_lines import is_document
from ingest.git.changes.rewording.phrases import ChangedText, find_phrases
from ingest.git.changes.rewording.rewordings import MOST_BYTES, words_of_documents
from ingest.git.diff.content_cache import Contents
from ingest.git.diff.renames import PathPair
from ingest.git.objects.contents import ObjectProblem
from ingest.git.objects.trees import Entry, TreeReader

LEAST_LINES: Final = 40
"""Lines of a new document below which it is not compared: it earns half an ETV."""
NOWHERE: Final = ("", 0)
"""The origin of a line that stands in a file which stays."""
_MARKUPS: Final = (".md", ".markdown", ".rst", ".adoc", ".asciidoc", ".org", ".txt", ".pod", ".html", "")
_FOLDERS: Final = ("", "docs", "doc", "documentation")


class DocumentCopies:
    """Reads the trees and contents of one repository."""

    def __init__(self, trees: TreeReader, contents: Contents) -> None:
        self._trees, self._contents = trees, contents

    def mark(self, pairs: Sequence[PathPair], changes: Sequence[FileChange], tree: bytes) -> None:
        """Mark the lines of the changes of one commit with the tree `tree`; `pairs` are their versions in order."""
        came = {change.path for change in changes if change.status == "A"}
        for pair, change in zip(pairs, changes, strict=True):
            if change.status != "A" or change.lines_added < LEAST_LINES or not is_document(change):
                continue
            added = self._lines(pair.new)
            for path, entry in self._namesakes(change.path, tree) if added else ():
                # Of two that come together the first is the original.
                if path in came and path > change.path:
                    continue
                text = ChangedText(path, [*self._lines(entry), None], [*added, None])
                found = dict.fromkeys(find_phrases([text], words_of_documents)[0].added, NOWHERE)
                if found and change.lines is not None:
                    change.lines = change.lines._replace(reworded=found | dict(change.lines.reworded))

    def _namesakes(self, path: str, tree: bytes) -> Iterator[tuple[str, Entry]]:
        folder, _, name = path.rpartition("/")
        stem, dot, ending = name.rpartition(".")
        stem, ending = (stem, dot + ending) if stem else (name, "")
        for place in dict.fromkeys((folder, *_FOLDERS)):
            for found, entry in self._trees.files(
                tree, place, [stem + one for one in _MARKUPS if one != ending]
            ):
                yield f"{place}/{found}".lstrip("/"), entry

    def _lines(self, entry: Entry | None) -> list[bytes]:
        try:
            text = self._contents.read(entry)
        except ObjectProblem:
            return []
        return [] if text is None or text.is_binary or len(text.data) > MOST_BYTES else list(text.lines())
