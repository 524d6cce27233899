"""Lines of documents with the words of removed lines: they are moved, whatever markup they have now.

Keep out: finding them (`rewording`).
"""

from __future__ import annotations

from ingest.git.classify.changed_lines import ChangedLines
from ingest.git.classify.line_table import MOVED, OPEN


def claim_reworded(lines: ChangedLines) -> None:
    """Classify reworded lines as moved; the first line from a removed one continues it."""
    if not any(file.lines.reworded or file.lines.kept_words for file in lines.files):
        return
    numbers = {file.path: number for number, file in enumerate(lines.files) if not file.is_unread}
    kept: list[int] = []
    for number, file in enumerate(lines.files):
        first, first_removed = lines.added_starts[number], lines.removed_starts[number]
        kept += [first_removed + at for at in file.lines.kept_words]
        for at, (path, theirs) in sorted(file.lines.reworded.items()):
            if lines.classes[first + at] != OPEN:
                continue
            lines.classes[first + at] = MOVED
            origin = numbers.get(path)
            if origin is None:
                continue
            removed = lines.removed_starts[origin] + theirs
            if not lines.removed_alive[removed]:
                lines.removed_alive[removed] = 1
                lines.sources[first + at] = int(lines.removed_ids[removed])
    for removed in kept:
        lines.removed_alive[removed] = 1
