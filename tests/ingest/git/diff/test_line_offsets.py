"""Offsets of lines agree with splitting the file."""

from hypothesis import given
from hypothesis import strategies as st

from ingest.git.diff.line_offsets import LineIndex, SplitLines, count_newlines
from ingest.git.diff.texts import split_lines

LINES = st.lists(st.binary(max_size=90).map(lambda line: line.replace(b"\n", b"")), min_size=1, max_size=400)


@given(LINES, st.data())
def test_the_offset_of_a_line_is_the_length_of_all_before_it(lines: list[bytes], data: st.DataObject) -> None:
    text = b"\n".join(lines)
    numbers = sorted(data.draw(st.lists(st.integers(1, len(lines)), max_size=6)))
    assert LineIndex(text).offsets(numbers) == [
        len(b"".join(line + b"\n" for line in lines[: n - 1])) for n in numbers
    ]


def test_a_line_beyond_the_end_begins_at_the_end() -> None:
    assert LineIndex(b"a\nb").offsets([1, 2, 3, 99]) == [0, 2, 3, 3]
    assert LineIndex(b"").offsets([1, 2]) == [0, 0]
    assert LineIndex(b"a\n").offsets([]) == []


@given(LINES)
def test_lines_split_one_by_one_are_those_of_the_file_split_at_once(lines: list[bytes]) -> None:
    text = b"\n".join(lines)
    expected = split_lines(text)
    found = SplitLines(text, len(expected))
    assert [found[at] for at in reversed(range(len(found)))] == expected[::-1]
    assert count_newlines(memoryview(text)) == text.count(b"\n")
