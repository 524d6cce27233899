"""The lines around a change that the compiled engine finds are those that Python finds."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ingest.git import native
from ingest.git.diff.context import REACH, surroundings
from ingest.git.diff.hunks import Hunk
from tests.suite.tiers import examples

INDENTS = (b"", b"", b"  ", b"    ", b"\t", b"  \t ", b"        ", b"\t\t", b"\r ", b"\x0c\t")
TEXTS = (
    b"",
    b"int f(a)",
    b"def g(",
    b"{",
    b"{ // x",
    b"}",
    b"} else {",
    b"label:",
    b"label :\r",
    b"if (a) {",
    b"format(b):",
    b"f(())) {",
    b"@x",
    b"#x",
    b"$h(),  ",
    b"\xc3\xa9(",
    b"--- ;",
    b"a = 1;",
    b"  ",
)


@pytest.fixture(scope="module")
def around() -> Any:
    module = native.load("_changes")
    if module is None:
        pytest.skip(f"no compiled engine: {native.engine().reason}")
    return module.Around()


@st.composite
def changes(draw: st.DrawFn) -> tuple[bytes, list[Hunk]]:
    """A text and hunks in it, in order."""
    lines = draw(st.lists(st.tuples(st.sampled_from(INDENTS), st.sampled_from(TEXTS)), max_size=30))
    text = b"\n".join(indent + line for indent, line in lines) + draw(st.sampled_from((b"", b"\n")))
    count = text.count(b"\n") + (not text.endswith(b"\n") and bool(text))
    hunks: list[Hunk] = []
    at = 0
    for gap, size in draw(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 4)), min_size=1, max_size=4)):
        start, stop = at + gap, min(at + gap + size, count)
        if start > count:
            break
        hunks.append((start + (stop > start), max(0, stop - start), 1, 0))
        at = max(start, stop) + 1
    return text, hunks


@examples(1500)
@given(changes())
@example((b"f(\n" + b" a\n" * 1200 + b"}\n", [(600, 2, 600, 0)]))
@example((b"f(\n" + b" a\n" * 400 + b"b\n" * 400, [(390, 0, 391, 1), (402, 1, 402, 1)]))
def test_both_engines_find_the_same_lines(around: Any, change: tuple[bytes, list[Hunk]]) -> None:
    text, hunks = change
    last = max((start + count for start, count, _, _ in hunks), default=0)
    lines = text.split(b"\n", last + REACH)[: last + REACH]
    assert around.find(text, hunks) == surroundings(lines, hunks, 0)[:3]


@pytest.mark.parametrize("hunk", [(-1, 0, 1, 1), (0, 1, 1, 1), (1, -1, 1, 1), (2**31, 0, 1, 1)])
def test_an_impossible_hunk_is_refused(around: Any, hunk: Hunk) -> None:
    with pytest.raises(ValueError, match="impossible"):
        around.find(b"a\n", [hunk])
