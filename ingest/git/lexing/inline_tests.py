"""Lines inside a test construct of the language, such as Rust's `#[cfg(test)]`, in files that are no tests as a whole.

Doctests of Python are docstrings, and so documentation that also runs. Keep out: how the tests of a language begin and
end (`rust_tests`, `indented_tests`).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from ingest.git import native
from ingest.git.lexing.indented_tests import BLOCKS, find_indented_tests
from ingest.git.lexing.rust_tests import RustTests, find_rust_tests, is_test_attribute

Hunk = tuple[int, int, int, int]

RUST: Final = "Rust"
_SIGNS_OF_RUST: Final = (b"test", b"bench", b"quickcheck", b"parameterized")


def mark_tests(language: str, data: bytes, lines: int = sys.maxsize) -> bytes:
    """A byte for each of the first lines of a text, 1 for a line inside a test; empty where none is."""
    if language == RUST:
        found = rust_tests(data, lines).regions
    else:
        found = [region for block in BLOCKS.get(language, ()) for region in find_indented_tests(block, data)]
    if not found:
        return b""
    marks = bytearray(min(lines, _count_lines(data)))
    for first, stop in found:
        marks[first:stop] = b"\1" * (min(stop, len(marks)) - first)
    return bytes(marks)


def mark_added(language: str, data: bytes, hunks: Sequence[Hunk]) -> bytes:
    """The same for the lines that the hunks add, in their order."""
    if language != RUST and language not in BLOCKS:
        return b""
    last = max((start - 1 + count for _, _, start, count in hunks if count), default=0)
    marks = mark_tests(language, data, last)
    if not marks:
        return b""
    added = b"".join(marks[start - 1 : start - 1 + count] for _, _, start, count in hunks if count)
    return added if 1 in added else b""


def rust_tests(data: bytes, lines: int = sys.maxsize) -> RustTests:
    """The tests that begin in the first lines of a file of Rust, by the engine of this process."""
    kernel = native.load("_changes")
    if kernel is not None:
        return RustTests(*kernel.find_rust_tests(data, min(lines, len(data)), is_test_attribute))
    if not any(sign in data for sign in _SIGNS_OF_RUST):
        return RustTests([], [])
    return find_rust_tests(data, min(lines, len(data)))


def _count_lines(data: bytes) -> int:
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
