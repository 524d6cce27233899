"""A patch that the compiled engine draws itself is the patch of libgit2, byte by byte."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ingest.git import native
from ingest.git.diff.hunks import make_patch
from tests.ingest.git.native.file_changes import Memory, hunk_of
from tests.suite.tiers import examples

LINES = (
    b"",
    b"  ",
    b"}",
    b"\tif (a) {",
    b"def f(a):  ",
    b"def \xff",
    b"g" * 79 + b"\xc3\xb6",
    b"_b\r",
    b"$" + b"c" * 100,
    b"1 d",
    b"\xff\xfee",
    b"\xef\xbb\xbff",
    b"\x7f",
    b"\x01",
    b"\x1b[0m",
)


@pytest.fixture(scope="module")
def drawer() -> Any:
    module = native.load("_changes")
    if module is None:
        pytest.skip(f"no compiled engine: {native.engine().reason}")
    return module.OneHunk()


@st.composite
def texts(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """Two texts that differ in one place or more."""
    fresh = st.integers(0, 50).map(b"line %d".__mod__)
    some = st.lists(st.sampled_from(LINES) | fresh, max_size=12)
    before, old, new, after = draw(some), draw(some), draw(some), draw(some)
    ends = st.sampled_from((b"\n", b"\n", b""))
    return b"\n".join(before + old + after) + draw(ends), b"\n".join(before + new + after) + draw(ends)


@examples(1500)
@given(texts(), st.sampled_from((0, 1, 6)))
@example((b"", b"a\nb"), 6)
@example((b"a\nb", b"a"), 6)
@example((b"a", b"a\n"), 6)
@example((b"f\n" + b" a\n" * 300, b"f\n" + b" a\n" * 200 + b" b\n" + b" a\n" * 100), 6)
def test_a_drawn_patch_is_that_of_libgit2(drawer: Any, pair: tuple[bytes, bytes], context: int) -> None:
    old, new = pair
    drawn = drawer.draw(old, new, context)
    assert drawn in (None, hunk_of(make_patch(Memory(old), Memory(new), context).data))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(b"a\nb\nc\n", b"a\nx\nc\n", id="replaced"),
        pytest.param(b"a\nc\n", b"a\nb\nc\n", id="added"),
        pytest.param(b"a\nb\nc\n", b"a\nc\n", id="removed"),
        pytest.param(b"a\n" * 5000 + b"b\n", b"a\n" * 5000 + b"c\n" * 2000, id="long"),
    ],
)
def test_a_change_in_one_place_is_drawn(drawer: Any, old: bytes, new: bytes) -> None:
    assert drawer.draw(old, new, 6) == hunk_of(make_patch(Memory(old), Memory(new), 6).data)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(b"a\n", b"a\n", id="equal"),
        pytest.param(b"a\nb\nc\n", b"x\nb\ny\n", id="two places"),
        pytest.param(b"a\n\n", b"a\n\nb\n\n", id="a blank line on either side"),
        pytest.param(b"\x01\x02a\n", b"\x01\x02b\n", id="control characters"),
        pytest.param(b"\xfe\xffa\n", b"\xfe\xffb\n", id="UTF-16"),
        pytest.param(b"a\0\n", b"b\0\n", id="NUL"),
        pytest.param(
            b"f\xff\n" + b" c\n" * 6 + b"a\n",
            b"f\xff\n" + b" c\n" * 6 + b"b\n",
            id="a symbol that libgit2 cuts",
        ),
        pytest.param(b"a\n" * 3000, b"b\n" * 3000, id="too many pairs of lines"),
    ],
)
def test_libgit2_draws_what_could_have_another_hunk_or_none(drawer: Any, old: bytes, new: bytes) -> None:
    assert drawer.draw(old, new, 6) is None
