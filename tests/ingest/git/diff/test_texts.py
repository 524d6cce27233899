"""Newlines are counted as Python counts them."""

from hypothesis import given
from hypothesis import strategies as st

from ingest.git.diff.texts import count_newlines, split_lines


@given(st.binary(max_size=400) | st.text(alphabet="a\n", max_size=400).map(str.encode))
def test_newlines_are_counted_and_lines_end_with_them(text: bytes) -> None:
    assert count_newlines(memoryview(text)) == text.count(b"\n")
    assert len(split_lines(text)) == text.count(b"\n") + (text[-1:] not in (b"", b"\n"))
