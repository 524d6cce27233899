"""Changes of files that are hard to read, and what each engine makes of them.

Add: pieces of text that a reader may get wrong. Keep out: expectations; Python is the oracle.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import NamedTuple

from ingest.git.changes.commit_changes import FileChange
from ingest.git.changes.file_lines import FileLines, KindCounts
from ingest.git.changes.line_reading import count_changed, read_changed, skim_changed
from ingest.git.changes.native_reading import NativeReader
from ingest.git.diff.hunks import CONTEXT, Hunk, TextDiff, compare_texts, make_patch
from ingest.git.diff.texts import Text
from ingest.git.lexing.constructs import constructs_of
from ingest.git.lexing.languages import LANGUAGES, Language
from ingest.git.messages.references import may_hold_reference

ANYWHERE = (
    b"\n", b"\n", b"\n", b"\n", b"\n", b"\n\n", b" ", b" ", b"  ", b"\t", b"\r\n", b"\r", b"\f", b"\v", b"\0", b"\\",
    b"\\\\", b"(", b")", b"(", b")", b"[", b"]", b"{", b"}", b"(\n", b"\n)", b"),\n", b"()", b",", b",)", b";", b":",
    b"=", b"==", b"=>", b"= (\n", b"return (\n", b"for x in (\n", b"&& (\n<b", b"(x) =>", b"( y ) =>", b".", b"-", b"+",
    b"*", b"/", b"%", b"<", b">", b"</a", b"<a b=", b"@", b"#", b"$", b"&", b"|", b"!", b"?", b"'", b'"', b"`", b"''",
    b'""', b"'x'", b'"y z"', b"'\\n'", b'"\\""', b'@"a""b"', b"a", b"b", b"x", b"foo", b"bar(", b"if", b"if (", b"else",
    b"for", b"return", b"import ", b"in", b"and", b"0", b"17", b"x1", b"9abc", b"_", b"FOO-12", b"a#3", b"https://a.b/1",
    b"\xc3\xa9", b"gr\xc3\xb6\xc3\x9fe", b"\xe3\x81\x82", b"\xe6\xbc\xa2\xe5\xad\x97", b"\xf0\x9f\x98\x80", b"\x80",
    b"\xff", b"\xc3", b"\xe3\x81", b"\xed\xa0\x80", b"\xee\x80", b"key:", b"'key' :", b"key = 1", b"a.b-c=", b"doc",
    b"@doc", b"r", b"\x7f", b"\x85", b"\xc2\xa0", b"\xef\xbb\xbf", b"\xef\xbb", b"\n\xef\xbb\xbf",
)  # fmt: skip


class Facts(NamedTuple):
    """All that an engine finds in one changed file."""

    hunks: list[Hunk]
    symbols: list[str]
    counts: KindCounts
    lines: FileLines | None
    content_hash: str | None
    references: Sequence[bytes]


class Memory(Text):
    """A text that is in no repository."""

    def __init__(self, data: bytes) -> None:
        super().__init__("", len(data), None)
        self._data = data

    @property
    def blob(self) -> bytes:  # type: ignore[override]  # libgit2 compares bytes too
        return self.data


def hunk_of(patch: bytes) -> bytes:
    """A patch from its first hunk on; empty for two equal texts and for what libgit2 takes for binary."""
    _, mark, rest = patch.partition(b"@@ ")
    return mark + rest


class Change(NamedTuple):
    """Both versions of a file; None for no file."""

    language: str
    old: bytes | None
    new: bytes | None
    is_delivered: bool = True
    is_tool_made: bool = False


@cache
def pieces(name: str) -> tuple[bytes, ...]:
    """Pieces of text of a language: its delimiters and comments more often than the others."""
    language = LANGUAGES[name]
    own = [d for pair in (*language.block_comments, *language.long_strings) for d in pair]
    own += [*language.line_comments, *constructs_of(language).delimiters, *sorted(language.keywords)[:12]]
    own += [b"\n" + mark for mark in language.line_comments]
    return (*ANYWHERE, *(own * 3))


def random_change(random: Random) -> Change:
    """A change of a file in any language."""
    name = random.choice(sorted(LANGUAGES))
    pool = pieces(name)
    if random.random() < 0.9:
        pool = tuple(piece for piece in pool if piece != b"\0")  # libgit2 does not compare binary files
    old = _random_text(random, pool)
    while random.random() < 0.3:  # changes so far apart that they are several blocks
        old += b"a\n" * random.randint(1, 16) + _random_text(random, pool, 20)
    if random.random() < 0.15:
        is_new = random.random() < 0.5
        return Change(name, None if is_new else old, old if is_new else None, random.random() < 0.9)
    lines = old.splitlines(keepends=True)
    for _ in range(random.choice((1, 1, 2, 4, 8))):
        at = random.randint(0, len(lines))
        kind = random.random()
        if kind < 0.4:
            lines[at:at] = _random_text(random, pool, 12).splitlines(keepends=True)
        elif kind < 0.7:
            lines[at : at + random.randint(1, 4)] = _random_text(random, pool, 12).splitlines(keepends=True)
        elif lines:
            at = random.randrange(len(lines))
            line = lines[at]
            cut = random.randint(0, len(line))
            lines[at] = random.choice(
                (
                    line[:cut] + random.choice(pool) + line[cut:],
                    b"  " + line,
                    line.replace(b"x", b"foo").replace(b"a", b"b"),
                    line[:cut],
                )
            )
    return Change(name, old, b"".join(lines), random.random() < 0.9, random.random() < 0.05)


def _random_text(random: Random, pool: Sequence[bytes], most: int = 60) -> bytes:
    count = random.randint(0, most)
    text = b"".join(random.choices(pool, k=count))
    kind = random.random()
    if kind < 0.01:
        text *= random.randint(2, 120)
    elif kind < 0.02:
        text += random.choice(pool) * random.randint(100, 3000)
    return text


def read_with_python(change: Change) -> Facts:
    language = LANGUAGES[change.language]
    old, new = _text(change.old), _text(change.new)
    diff = compare_texts(old, new, _context(change))
    lines, counts, content = _lines(change, diff, language, old, new)
    added = [block.new_lines[position] for block in diff.blocks for position in block.new_changed]
    wanted = [] if change.is_tool_made or language.is_prose else added
    references = [line for line in wanted if may_hold_reference(line)]
    return Facts(diff.hunks, list(dict.fromkeys(diff.symbols)), counts, lines, content, references)


def _lines(
    change: Change, diff: TextDiff, language: Language, old: Memory | None, new: Memory | None
) -> tuple[FileLines | None, KindCounts, str | None]:
    if change.is_tool_made:
        lines, counts = skim_changed(diff)
        return lines if change.is_delivered else None, counts, None
    if change.is_delivered:
        return read_changed(diff, language, old, new)
    return None, count_changed(diff, language, old, new), None


def read_with_native(reader: NativeReader, change: Change) -> Facts:
    old, new = _text(change.old), _text(change.new)
    patch = None
    if old is not None and new is not None:
        patch = make_patch(old, new, _context(change)).data
    read = FileChange("a", None, "M", None, None, None, language=change.language)
    references = reader.read(
        read, patch, old, new, delivered=change.is_delivered, is_tool_made=change.is_tool_made
    )
    return Facts(read.hunks, read.symbols, read.counts, read.lines, read.content_hash, list(references))


def _context(change: Change) -> int:
    return 0 if change.is_tool_made else CONTEXT


def _text(data: bytes | None) -> Memory | None:
    return None if data is None else Memory(data)
