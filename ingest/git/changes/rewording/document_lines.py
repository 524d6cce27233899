"""Marks the added lines of documents whose words stand in removed lines of the same commit.

Keep out: how words are compared (`rewordings`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ingest.git.changes.commit_changes import FileChange
from ingest.git.changes.rewording.phrases import ChangedText, changed_lines
from ingest.git.changes.rewording.rewordings import LEAST_LINES, find_rewordings
from ingest.git.diff.content_cache import Contents
from ingest.git.diff.renames import PathPair
from ingest.git.files.roles import DOCUMENTATION
from ingest.git.lexing.languages import LANGUAGES, UNKNOWN
from ingest.git.objects.contents import ObjectProblem
from ingest.git.objects.trees import Entry

_PAGES = "HTML"


class DocumentLines:
    """Reads the contents of one repository."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents

    def mark(self, pairs: Sequence[PathPair], changes: Sequence[FileChange]) -> None:
        """Mark the reworded lines of the changes of one commit; `pairs` are their versions in the same order."""
        documents = [
            (pair, change) for pair, change in zip(pairs, changes, strict=True) if is_document(change)
        ]
        fewest = min(
            sum(change.lines_added for _, change in documents),
            sum(change.lines_deleted for _, change in documents),
        )
        if fewest < LEAST_LINES:
            return
        read = [
            ChangedText(
                change.path,
                self._lines(pair.old, change, added=False),
                self._lines(pair.new, change, added=True),
            )
            for pair, change in documents
        ]
        for (_, change), found in zip(documents, find_rewordings(read), strict=True):
            if change.lines is not None and (found.added or found.kept):
                change.lines = change.lines._replace(reworded=found.added, kept_words=found.kept)

    def _lines(self, entry: Entry | None, change: FileChange, *, added: bool) -> list[bytes | None]:
        if not (change.lines_added if added else change.lines_deleted):
            return []
        try:
            text = self._contents.read(entry)
        except ObjectProblem:
            return []
        if text is None or text.is_binary:
            return []
        return changed_lines(text.lines(), change.hunks, added=added)


def is_document(change: FileChange) -> bool:
    """Whether people wrote the file as prose, or as a page among the documents."""
    if change.lines is None or change.is_binary or change.is_tool_made or change.is_vendored:
        return False
    language = LANGUAGES.get(change.language, UNKNOWN)
    return language.is_prose or (language.name == _PAGES and change.role == DOCUMENTATION)
