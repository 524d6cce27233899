"""Lines that a formatter wrote: with the words of the lines that they replace, in a change that mostly lays out lines.

A formatter also adds braces, puts `[…]` for `array(…)` and cuts lines, which alone would be new work in many files. A
line of code whose words and operators stand in the replaced lines of its file in the same order says nothing new, and
a replaced line whose words stand so in new lines is not taken out. This holds where a third of the lines are layout by
themselves (`lexing.token_diff`), and four of five of the others keep their words on both sides: where people change
more, they wrote all of it. Swapped conditions are work beside the layout of any number of files. Formatters add
and take brackets, so that another grouping by brackets alone counts as layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ingest.git.changes.commit_changes import FileChange
from ingest.git.changes.file_lines import FileLines
from ingest.git.changes.rewording.code_words import find_in_order
from ingest.git.changes.rewording.conversions import MOST_BYTES, is_code
from ingest.git.changes.rewording.phrases import Rewordings, changed_lines
from ingest.git.diff.content_cache import Contents
from ingest.git.diff.renames import PathPair
from ingest.git.lexing.line_features import BLANK
from ingest.git.objects.contents import ObjectProblem
from ingest.git.objects.trees import Entry

LEAST_LINES: Final = 200
"""Added lines in changed files below which people lay out what they are working on anyway."""
LEAST_LAYOUT: Final = 1 / 3
"""Share of the layout among these lines."""
LEAST_KEPT: Final = 4 / 5
"""Share of the other added lines without new words, and of the other removed lines whose words stay."""


class ReformattedFiles:
    """Reads the contents of one repository."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents

    def mark(self, pairs: Sequence[PathPair], changes: Sequence[FileChange]) -> None:
        """Mark the lines of a formatter in the changes of one commit; `pairs` are their versions in the same order."""
        changed = [
            (pair, change, change.lines)
            for pair, change in zip(pairs, changes, strict=True)
            if change.lines is not None and change.lines_added and change.lines_deleted and is_code(change)
        ]
        blank = sum(lines.kinds.count(BLANK) for _, _, lines in changed)
        added = sum(len(lines.kinds) for _, _, lines in changed) - blank
        layout = sum(lines.is_layout.count(1) for _, _, lines in changed) - blank
        if added < LEAST_LINES or layout < LEAST_LAYOUT * added:
            return
        found = [
            find_reformatted(
                change.path,
                lines,
                self._changed(pair.old, change, added=False),
                self._changed(pair.new, change, added=True),
            )
            for pair, change, lines in changed
        ]
        came = sum(lines.is_layout.count(0) for _, _, lines in changed)
        gone = sum(lines.removed_layout.count(0) for _, _, lines in changed)
        kept = sum(len(one.kept) for one in found)
        if kept < LEAST_KEPT * gone or sum(len(one.added) for one in found) < LEAST_KEPT * came:
            return
        for (_, change, lines), one in zip(changed, found, strict=True):
            if one.added or one.kept:
                change.lines = lines._replace(reworded=one.added, kept_words=one.kept)

    def _changed(self, entry: Entry | None, change: FileChange, *, added: bool) -> Sequence[bytes]:
        try:
            text = self._contents.read(entry)
        except ObjectProblem:
            return ()
        # Of larger files people change no layout, and each of their words takes memory.
        if text is None or len(text.data) > MOST_BYTES:
            return ()
        found = changed_lines(text.lines(), change.hunks, added=added)
        return [line for line in found if line is not None]


def find_reformatted(
    path: str, lines: FileLines, removed: Sequence[bytes], added: Sequence[bytes]
) -> Rewordings:
    """The lines of a file that only got another layout. `removed` and `added` are its changed lines."""
    if lines.reworded:
        return Rewordings(dict(lines.reworded), list(lines.kept_words))
    left = [number for number in range(len(removed)) if not lines.removed_layout[number]]
    if not left:
        return Rewordings()
    found = find_in_order(path, removed, added)
    changed = {number: origin for number, origin in found.added.items() if not lines.is_layout[number]}
    kept = set(found.kept)
    return Rewordings(changed, [number for number in left if number in kept])
