"""Lines of a regularity that no person keeps: all keys sorted, all lines with one beginning, or of shapes known before.

Keep out: records and rows, and what a pattern means in which language (`content`).
"""

import re
from collections import Counter
from typing import Final

from ingest.git.lexing.languages import Language

_WITH_KEYS: Final = frozenset({"YAML", "JSON"})
# Lines of a source file that begin alike. Of the files of 62 repositories from 200 lines on, the share is above .95 in
# four, which programs wrote, and .88 in the next one, which a person did.
_ALIKE_LINES, _ALIKE_BYTES, _ALIKE_SHARE, _ALIKE_SHARE_SAID = 200, 16, 0.95, 0.6
# Sorted siblings, at so many depths, without one out of order: 110 of 110 files that have them are exports.
_ALL_SORTED_PAIRS, _ALL_SORTED_DEPTHS = 100, 3
# Source has so many predictable lines in tables alone, such as those of Unicode, of entities and of the words of a
# language. Of some 10,000 files of 22 histories and of packages none above was a program; a person's test has .89.
_SOURCE_TABLE: Final = (400, 0.95)

# A packager lists the files of a package. People list patterns, or some files in an order of their own.
_PATH_LINES, _PATH_SHARE, _IN_FOLDERS = 40, 0.95, 0.5
_PATH: Final = re.compile(rb"(?:[\w.@+-]{1,100}/){0,20}[\w.@+-]{1,100}\r?")

_SAID: Final = re.compile(
    rb"(?i)\b(?:is|are|was|were) (?:auto-?|automatically )?generated\b|\bgenerated (?:by|with|using|from)\b"
)
_KEY_OR_BRACKET: Final = re.compile(
    rb"^(\s*)((?:- +)*)(?:\"?([\w.$/-]+)\"?\s*:(?:\s|$)|([\[\]{}],?\s*$|---|-))"
)
_DIGITS: Final = re.compile(rb"[0-9]+")
_LETTERS: Final = re.compile(rb"[A-Za-z\x80-\xff]+")
_BLANKS: Final = re.compile(rb"[ \t]+")
_JOINED: Final = re.compile(rb"[a0](?:[ _.\-/:][a0])+")


def begin_alike(whole: list[bytes]) -> str | None:
    """What says that a program wrote a source file, because its lines begin alike."""
    if len(whole) < _ALIKE_LINES:
        return None
    share = _ALIKE_SHARE_SAID if _SAID.search(b"\n".join(whole[:12])) else _ALIKE_SHARE
    # A few lines show that most files are none.
    some = Counter(line.strip()[:_ALIKE_BYTES] for line in whole[:: max(1, len(whole) // 40)])
    begin = some.most_common(1)[0][0]
    if len(begin) < _ALIKE_BYTES or some[begin] < 0.7 * share * some.total():
        return None
    lines = [line.strip() for line in whole if line and not line.isspace()]
    count = sum(line.startswith(begin) for line in lines)
    if len(lines) < _ALIKE_LINES or count < share * len(lines):
        return None
    words = begin.decode("utf-8", "replace")
    return f"{count:,} of {len(lines):,} lines begin with `{words}`"


def paths_in_order(language: Language, lines: list[bytes]) -> str | None:
    """What says that a program listed files: each line is a path, and all stand in the order of the alphabet."""
    if len(lines) < _PATH_LINES or not (language.is_prose or language.name == "unknown"):
        return None
    count = in_order = in_folders = 0
    before, before_folded = b"", b""
    for number, line in enumerate(lines):
        # Nearly every text ends here.
        if number == _PATH_LINES and count < _PATH_SHARE * number:
            return None
        if _PATH.fullmatch(line) is not None:
            folded = line.lower()
            count += 1
            in_order += before <= line or before_folded <= folded
            in_folders += b"/" in line and b"." in line
            before, before_folded = line, folded
    if min(count, in_order) < _PATH_SHARE * len(lines) or in_folders < _IN_FOLDERS * len(lines):
        return None
    return f"{count:,} of {len(lines):,} lines are paths in the order of the alphabet"


def all_sorted(language: Language, lines: list[bytes]) -> str | None:
    """What says that all keys of a nested text are sorted; None where one is not, which early lines mostly show."""
    if language.name not in _WITH_KEYS or len(lines) < _ALL_SORTED_PAIRS:
        return None
    last: dict[int, bytes] = {}
    depths: Counter[int] = Counter()
    for line in lines:
        match = _KEY_OR_BRACKET.match(line)
        if match is None:
            continue
        key = match[3]
        depth = len(match[1]) + len(match[2])
        # A new item, document or bracket begins new siblings.
        beyond = len(match[1]) if match[2] or (match[4] or b"").startswith(b"-") else depth
        for deeper in [one for one in last if one > beyond or (one == depth and beyond < depth)]:
            del last[deeper]
        if match[4] == b"---":
            last.clear()
        if key is None:
            continue
        if depth in last:
            if last[depth] > key:
                return None
            depths[depth] += 1
        last[depth] = key
    if depths.total() < _ALL_SORTED_PAIRS or len(depths) < _ALL_SORTED_DEPTHS:
        return None
    return f"all {depths.total():,} neighbouring keys stand in the order of the alphabet"


def predictable(lines: list[bytes], least: float) -> int | None:
    """The number of lines that follow a line of the same shape as earlier in the text; None for less than `least`."""
    pairs: set[tuple[bytes, bytes]] = set()
    before, left = b"", len(lines)
    for line in lines:
        shape = shape_of(line)
        if (before, shape) not in pairs:
            left -= 1
            if left < least:
                return None
            pairs.add((before, shape))
        before = shape
    return left


def shape_of(line: bytes) -> bytes:
    """The line with words and numbers as one sign each, and joined ones as one."""
    text = _LETTERS.sub(b"a", _DIGITS.sub(b"0", line.strip()))
    return _JOINED.sub(b"a", _BLANKS.sub(b" ", text))


def source_table(whole: list[bytes]) -> str | None:
    """What says that a source file is a table; None where people may have written a program."""
    if len(whole) < _SOURCE_TABLE[0]:
        return None
    lines = [line for line in whole if line and not line.isspace()]
    count = predictable(lines, _SOURCE_TABLE[1] * len(lines)) if len(lines) >= _SOURCE_TABLE[0] else None
    return None if count is None else follow_each_other(count, lines)


def follow_each_other(count: int, lines: list[bytes]) -> str:
    """The words for so many predictable lines."""
    return f"{count:,} of {len(lines):,} lines follow the line before them as earlier in the file"
