"""Offsets of lines are those that splitting the file gives."""

from hypothesis import given
from hypothesis import strategies as st

from ingest.git.offsets import line_offsets


@given(
    st.lists(st.binary(max_size=90).map(lambda line: line.replace(b"\n", b"")), min_size=1, max_size=40),
    st.data(),
)
def test_the_offset_of_a_line_is_the_length_of_all_before_it(lines: list[bytes], data: st.DataObject) -> None:
    text = b"\n".join(lines)
    numbers = sorted(data.draw(st.lists(st.integers(1, len(lines)), max_size=6)))
    assert line_offsets(text, numbers) == [
        len(b"".join(line + b"\n" for line in lines[: n - 1])) for n in numbers
    ]


def test_a_line_beyond_the_end_begins_at_the_end() -> None:
    assert line_offsets(b"a\nb", [1, 2, 3, 99]) == [0, 2, 3, 3]
    assert line_offsets(b"", [1, 2]) == [0, 0]
    assert line_offsets(b"a\n", []) == []
