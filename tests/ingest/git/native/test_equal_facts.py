"""The compiled engine finds exactly what Python finds in a changed file."""

from functools import partial
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ingest.git import native
from ingest.git.changes.native_reading import NativeReader, compile_language
from ingest.git.lexing.languages import LANGUAGES
from ingest.git.lexing.token_diff import own_tokens
from tests.ingest.git.native.file_changes import (
    Change,
    pieces,
    random_change,
    read_with_native,
    read_with_python,
)
from tests.ingest.git.native.fuzz import Fuzzer
from tests.suite.tiers import examples, seeds

RECOUNT = [1, 1, 1, 0, -1, 1, 1, 0, 0]
"""Of one removed and one added line, each with the one token."""


@st.composite
def changes(draw: st.DrawFn) -> Change:
    """A file in any language of which some lines are replaced."""
    name = draw(st.sampled_from(sorted(LANGUAGES)))
    text = st.lists(st.sampled_from(pieces(name)), max_size=25).map(b"".join)
    before, old, new, after = draw(text), draw(text), draw(text), draw(text)
    one_sided = draw(st.sampled_from((None, None, None, "old", "new")))
    return Change(
        name,
        None if one_sided == "new" else before + old + after,
        None if one_sided == "old" else before + new + after,
        draw(st.booleans()),
        draw(st.integers(0, 9)) == 0,
    )


@examples(400)
@given(changes())
@example(Change("Python", b'"""\n' * 3 + b"x = 1\n", b'"""\n' * 3 + b"x = 1"))
@example(Change("C", b"/" * 600 + b"/* a\n" + b"b\n" * 20, b"/" * 600 + b"/* a\n" + b"b\n" * 19 + b"c\n"))
@example(Change("Perl", b"=pod\n\n=cut\n\nprint 1;\n", b"=pod\n\n=cut\n\nprint 2;\n=head1\n"))
@example(Change("JSON", None, b'"' + b"a" * 5000 + b'": 1\n'))
@example(Change("Java", None, b'"' + b"\\n" * 300 + b'"\n' + b"'" * 5000))
@example(Change("C#", None, b'@"' + b'""' * 2500 + b'"\n'))
@example(Change("TypeScript", None, b"(" * 700 + b"\n" + b")" * 700))
@example(Change("HTML", b"<a b=" * 50, b"<a c=" * 50))
@example(Change("Text", b"a\n", b"a"))
@example(Change("Julia", b"#= a\nb = 1\n" + b"c\n" * 30, b"#= a\nb = 1\n" + b"c\n" * 29 + b"=# d\n"))
def test_facts_of_a_changed_file_are_equal(reader: NativeReader, change: Change) -> None:
    assert read_with_native(reader, change) == read_with_python(change)


@pytest.mark.parametrize("language", ["C#", "Python", "Markdown", "YAML", "unknown"])
@pytest.mark.parametrize("rest", [b"", b"using B;\r\n"])
def test_a_byte_order_mark_is_no_token(reader: NativeReader, language: str, rest: bytes) -> None:
    plain = b"using A;\r\n" + rest
    marked = b"\xef\xbb\xbf" + plain
    for old, new in ((plain, marked), (marked, plain)):
        for read in (partial(read_with_native, reader), read_with_python):
            found = read(Change(language, old, new))
            assert (found.hunks, found.lines and found.lines.is_layout) == ([(1, 1, 1, 1)], b"\1")
            assert found.lines is not None
            assert found.lines.removed_gone == b"\0"
    for read in (partial(read_with_native, reader), read_with_python):
        with_mark, without = (read(Change(language, None, text)).lines for text in (marked, plain))
        assert with_mark == without


def test_facts_of_hostile_files_are_equal_and_damaged_input_is_survived(reader: NativeReader) -> None:
    fuzzer = Fuzzer(native.load("_changes"))
    for seed in seeds(6000):
        fuzzer.try_one(seed)


@given(st.integers(0, 1 << 40), st.data())
def test_recounts_are_equal(reader: NativeReader, seed: int, data: st.DataObject) -> None:
    lines = read_with_python(random_change(Random(seed))).lines
    module = native.load("_changes")
    assert module is not None
    for recount in [] if lines is None else lines.recounts:
        fresh = bytes(data.draw(st.integers(0, 1)) for _ in range(int.from_bytes(recount[:4], "little")))
        if any(fresh):
            assert list(module.own_tokens(recount, fresh)) == own_tokens(recount, list(map(bool, fresh)))


@pytest.mark.parametrize("name", LANGUAGES)
def test_each_language_is_known_to_the_compiled_engine(reader: NativeReader, name: str) -> None:
    """A new kind of literal in the table of a language has to be written in both."""
    compile_language(native.load("_changes"), LANGUAGES[name])
    every = b"\n".join(pieces(name))
    for change in (Change(name, None, every), Change(name, every, None), Change(name, every, every * 2)):
        assert read_with_native(reader, change) == read_with_python(change)


@pytest.mark.parametrize(
    "patch",
    [
        b"@@ ",
        b"@@ -1",
        b"@@ -1 +1",
        b"@@ -a +1 @@",
        b"@@ -1,+1 @@",
        b"@@ -99999999999 +1 @@",
        b"@@ -1 +1,9999999999 @@",
    ],
)
def test_a_malformed_patch_is_refused(reader: NativeReader, patch: bytes) -> None:
    module = native.load("_changes")
    assert module is not None
    with pytest.raises(ValueError, match=r"hunk|number"):
        module.Reader().hunks(patch)


@pytest.mark.parametrize(
    ("at", "value"),
    [(0, 2), (0, -1), (1, 99), (1, -1), (2, -1), (2, 0), (3, 1), (4, 1), (5, 99), (6, -1), (7, 1)],
)
def test_a_malformed_recount_is_refused(reader: NativeReader, at: int, value: int) -> None:
    module = native.load("_changes")
    assert module is not None
    assert module.own_tokens(_packed(RECOUNT), b"\1") == b"\1"
    with pytest.raises(ValueError, match="recount"):
        module.own_tokens(_packed([*RECOUNT[:at], value, *RECOUNT[at + 1 :]]), b"\1")
    with pytest.raises(ValueError, match="cut off"):
        module.own_tokens(_packed(RECOUNT)[:-1], b"\1")


def _packed(values: list[int]) -> bytes:
    import array

    return array.array("i", values).tobytes()
