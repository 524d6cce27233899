"""No text takes long to search for marks, also one that repeats the beginning of a mark and never ends it."""

import importlib
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest

from ingest.git.machine_text import first_versions, mark_words, scaffolds
from ingest.git.machine_text.marks import MARK_BYTES

PARSER = importlib.import_module("re._parser")
GROUPS = ("ANYWHERE", "GENERATED_BY", "PAGES", "TYPES", "EXPORTED", "COMPILERS")
WHOLE = (mark_words.BEGINNINGS, mark_words.META, scaffolds.SCAFFOLDS)
FIRST_VERSIONS = [
    pattern
    for one in (*first_versions.FILES, first_versions.PAGE)
    for pattern in (one.words, one.part, one.known)
]
PATTERNS = sorted({mark.pattern for group in GROUPS for mark in getattr(mark_words, group)})
CLASSES = {
    "SPACE": rb"\s",
    "NOT_SPACE": rb"\S",
    "WORD": rb"\w",
    "NOT_WORD": rb"\W",
    "DIGIT": rb"\d",
    "NOT_DIGIT": rb"\D",
}
MOST_SECONDS = 0.5


def one_of(members: Any, other: bytes) -> bytes:
    """A byte of a class, a space or another one where it may be."""

    def holds(byte: int) -> bool:
        found = is_negated = False
        for kind, value in members:
            match str(kind):
                case "NEGATE":
                    is_negated = True
                case "LITERAL":
                    found |= value == byte
                case "RANGE":
                    found |= value[0] <= byte <= value[1]
                case _:
                    name = str(value).removeprefix("CATEGORY_")
                    found |= re.match(CLASSES[name], bytes([byte])) is not None
        return found != is_negated

    return next(bytes([byte]) for byte in (*other, *range(256)) if holds(byte))


def beginnings(tree: Any) -> Iterator[bytes]:
    """The beginnings of a text that a pattern matches, each one part longer. The last one is the text."""
    text = b""
    for kind, value in tree:
        match str(kind):
            case "LITERAL":
                parts = [bytes([value])]
            case "NOT_LITERAL" | "ANY":
                parts = [b"x"]
            case "IN":
                parts = [one_of(value, b" x0")]
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                parts = [part * max(value[0], 1) for part in beginnings(value[2])]
            case "SUBPATTERN":
                parts = list(beginnings(value[-1]))
            case "BRANCH":
                parts = [part for branch in value[1] for part in beginnings(branch)]
            case _:
                parts = []
        for part in parts:
            yield text + part
        text += parts[-1] if parts else b""


@pytest.mark.parametrize(
    "pattern",
    [*(re.compile(one) for one in PATTERNS), *WHOLE, *FIRST_VERSIONS],
    ids=lambda one: repr(one.pattern[:50]),
)
def test_repeated_beginnings_of_a_mark_take_no_time(pattern: re.Pattern[bytes]) -> None:
    for beginning in {one[:300] for one in beginnings(PARSER.parse(pattern.pattern, pattern.flags))}:
        hostile = (beginning * (MARK_BYTES // len(beginning) + 1))[:MARK_BYTES]
        began = time.process_time()
        pattern.search(hostile)
        assert time.process_time() - began < MOST_SECONDS, beginning
