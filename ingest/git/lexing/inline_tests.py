"""Lines inside a test construct of the language, such as Rust's `#[cfg(test)]`, in files that are no tests as a whole.

Doctests of Python are docstrings, and so documentation that also runs. Keep out: how the tests of a language begin and
end (`rust_tests`, `indented_tests`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ingest.git import native
from ingest.git.lexing.indented_tests import BLOCKS, find_indented_tests
from ingest.git.lexing.rust_tests import RustTests, find_rust_tests, is_test_attribute

Hunk = tuple[int, int, int, int]

RUST: Final = "Rust"
_SIGNS_OF_RUST: Final = (b"test", b"bench", b"quickcheck", b"parameterized")


def mark_tests(language: str, data: bytes) -> bytes:
    """A byte for each line of a text, 1 for a line inside a test; empty where none is."""
    if language == RUST:
        return _mark(data, rust_tests(data).regions)
    found = [region for block in BLOCKS.get(language, ()) for region in find_indented_tests(block, data)]
    if not found:
        return b""
    marks = bytearray(_count_lines(data))
    for first, stop in found:
        marks[first:stop] = b"\1" * (stop - first)
    return bytes(marks)


def mark_added(language: str, data: bytes, hunks: Sequence[Hunk]) -> bytes:
    """The same for the lines that the hunks add, in their order."""
    marks = mark_tests(language, data)
    if not marks:
        return b""
    added = b"".join(marks[start - 1 : start - 1 + count] for _, _, start, count in hunks if count)
    return added if 1 in added else b""


def rust_tests(data: bytes) -> RustTests:
    """The tests of a file of Rust, by the engine of this process."""
    if not any(sign in data for sign in _SIGNS_OF_RUST):
        return RustTests([], [])
    kernel = native.load("_changes")
    return (
        find_rust_tests(data)
        if kernel is None
        else RustTests(*kernel.find_rust_tests(data, is_test_attribute))
    )


def _count_lines(data: bytes) -> int:
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def _mark(data: bytes, regions: Sequence[tuple[int, int]]) -> bytes:
    """The lines whose first text lies in a region."""
    if not regions:
        return b""
    marks = bytearray(_count_lines(data))
    line = before = 0
    for start, stop in regions:
        line += data.count(b"\n", before, start)
        shared = bool(data[data.rfind(b"\n", 0, start) + 1 : start].strip())
        last = line + data.count(b"\n", start, stop - 1)
        first = line + shared
        marks[first : last + 1] = b"\1" * (last + 1 - first)
        line, before = line + data.count(b"\n", start, stop), stop
    return bytes(marks)
