"""Takes the lines that a program wrote into a file of people out of the facts of its changed lines.

They become layout, as all lines of a generated file are (`line_reading.skim_changed`): they weigh nothing, and no other
line is their copy.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from ingest.git.changes.file_lines import NO_SOURCE, FileLines
from ingest.git.diff.hunks import Hunk
from ingest.git.lexing.line_features import BLANK
from ingest.git.machine_text.machine_parts import Part


def lines_within(hunks: Sequence[Hunk], parts: Sequence[Part]) -> list[int]:
    """Indexes among the added lines of those that lie in one of the parts, which are in order."""
    found: list[int] = []
    index = at = 0
    for _, _, start, count in hunks:
        for line in range(start - 1, start - 1 + count):
            while at < len(parts) and parts[at].stop <= line:
                at += 1
            if at < len(parts) and parts[at].start <= line:
                found.append(index + line - (start - 1))
        index += count
    return found


def without_machine_lines(lines: FileLines, written: Sequence[int]) -> FileLines:
    """The facts with the added lines at the indexes `written` as lines of a program."""
    kinds, heads, is_layout = map(bytearray, (lines.kinds, lines.heads, lines.is_layout))
    tokens, sizes = bytearray(lines.tokens), bytearray(lines.sizes)
    hashes, shapes = array("Q", lines.line_hashes), array("Q", lines.shapes)
    layout_from = array("i", lines.layout_from)
    for i in written:
        kinds[i], is_layout[i] = BLANK, 1
        heads[i] = tokens[i] = sizes[i] = 0
        hashes[i] = shapes[i] = 0
        layout_from[i] = NO_SOURCE
    gone = set(written)
    return lines._replace(
        kinds=bytes(kinds),
        heads=bytes(heads),
        tokens=bytes(tokens),
        sizes=bytes(sizes),
        is_layout=bytes(is_layout),
        line_hashes=hashes.tobytes(),
        shapes=shapes.tobytes(),
        layout_from=layout_from.tobytes(),
        substitutions={i: theirs for i, theirs in lines.substitutions.items() if i not in gone},
    )
