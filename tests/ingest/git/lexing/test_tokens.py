"""Tokens, hashes and shapes agree with their definitions in words."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from ingest.git.lexing.languages import LANGUAGES
from ingest.git.lexing.tokens import (
    LINES,
    Shapes,
    count_tokens,
    layout_hash,
    line_hash,
    tokens_of,
    words_substituted,
)

PYTHON = Shapes(LANGUAGES["Python"])
ASCII_TEXT = st.text(st.characters(max_codepoint=126), max_size=40)
WORD = st.from_regex(r"[a-z][a-z_0-9]{0,6}", fullmatch=True)


def digest(text: str) -> int:
    return xxh3_64_intdigest(text.encode())


def naive_tokens(text: str) -> list[bytes]:
    """Character by character: runs of letters, digits and underscores; other printed signs but the comma."""
    tokens, word = [], ""
    for character in text + " ":
        if character in string.ascii_letters + string.digits + "_":
            word += character
            continue
        if word:
            tokens.append(word)
            word = ""
        if character in string.punctuation and character != ",":
            tokens.append('"' if character == "'" else character)
    return [token.encode() for token in tokens]


@given(ASCII_TEXT)
def test_tokens_are_words_and_single_signs(text: str) -> None:
    assert tokens_of(text.encode()) == naive_tokens(text)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("naïve_été = 1", 3),
        ("имя = значение", 3),
        ("漢字です", 4),
        ("한국어 text", 4),
        ("x = '漢'", 5),
        ("caf\udce9 x".encode("utf-8", "surrogateescape"), 3),
    ],
)
def test_other_scripts_have_words_or_a_token_per_character(text: str | bytes, tokens: int) -> None:
    assert count_tokens(text.encode() if isinstance(text, str) else text) == tokens


@given(
    st.lists(WORD, min_size=1, max_size=6),
    st.sampled_from([" ", "  ", "\t", " \t "]),
    st.sampled_from(["", "\r"]),
)
def test_the_hash_of_a_line_ignores_indentation_and_the_width_of_white_space(
    words: list[str], space: str, end: str
) -> None:
    line = (space + space.join(words) + end).encode()
    assert line_hash(line) == line_hash(" ".join(words).encode())
    assert line_hash(line) == digest(" ".join(words))
    assert line_hash(line + b"x") != line_hash(line)


@pytest.mark.parametrize(
    ("line", "formatted"),
    [
        ("const a = require('./b');", 'const a = require("./b")'),
        ("  });", "})"),
        ("'x', ", '"x"'),
        ("color: red ;", "color: red"),
        ("it's\t'q';", "it's 'q'"),
    ],
)
def test_signs_that_formatters_change_make_no_other_line(line: str, formatted: str) -> None:
    assert line_hash(line.encode()) == line_hash(formatted.encode())
    assert layout_hash(line.encode()) == layout_hash(formatted.encode())


def test_a_line_of_such_signs_alone_and_inner_ones_count() -> None:
    assert len({line_hash(line) for line in (b";", b",", b"a; b", b"a b", b"a, b")}) == 5


@given(st.lists(WORD, min_size=1, max_size=6))
def test_layout_is_free_of_white_space_quotes_and_trailing_commas(words: list[str]) -> None:
    plain = f"f({', '.join(words)}, 'x')".encode()
    broken = ("f(\n    " + ",\n    ".join(words) + ',\n    "x",\n)').encode()
    assert layout_hash(plain) == layout_hash(broken)
    assert layout_hash(plain) != layout_hash(plain.replace(b"'x'", b"'y'"))
    assert layout_hash(b"[a, b]") != layout_hash(b"[ab]")


@pytest.mark.parametrize(
    ("old", "new"),
    [(rb"'it\'s'", b'"it\'s"'), (b"{a: 1,}", b"{ a: 1 }"), (b"a,\r", b"a"), (b"x=1", b"\tx = 1")],
)
def test_changes_of_formatters_are_layout(old: bytes, new: bytes) -> None:
    assert layout_hash(old) == layout_hash(new)


def test_the_facts_of_a_blank_line_are_zero() -> None:
    assert LINES[b""] == (0, 0, 0)


@pytest.mark.parametrize(
    ("code", "shape"),
    [
        (b"x = foo(a, 1)", b"a = foo( a 0 )"),
        (b"y=foo( bb,22 )", b"a = foo( a 0 )"),
        (b"self.x.foo_12(1)", b"self . a . foo_0( 0 )"),
        (b"if(x): return None", b"if ( a ) : return None"),
        (b'print("', b'print( "'),
        (b"a.b += -c", b"a . a + = - a"),
    ],
)
def test_a_shape_keeps_keywords_operators_and_called_names(code: bytes, shape: bytes) -> None:
    assert PYTHON.shape(code) == shape


@pytest.mark.parametrize(
    ("language", "one", "other", "is_same"),
    [
        ("CSS", b"color: #333;", b"color: #444;", True),
        ("CSS", b"color: #333;", b"width: #333;", False),
        ("JSON", b'"name": "a b",', b'"name": "c"', True),
        ("JSON", b'"name": "a"', b'"size": "a"', False),
        ("YAML", b"port: 80", b"port: 8080", True),
        ("YAML", b"port: 80", b"host: 80", False),
        ("HTML", b'<a href=">', b'<a href=">', True),
        ("HTML", b"<p>one two", b"<b>one two", False),
        ("HTML", b"Some text", b"More text", False),
        ("Shell", b"cp a b", b"cp c d", True),
        ("Shell", b"cp a b", b"mv a b", False),
        ("Shell", b"x=1", b"y=1", True),
        ("Shell", b"cat a | sort", b"cat b | sort", True),
        ("Shell", b"cat a | sort", b"cat a | uniq", False),
        ("Tcl", b"set x [llength $y]", b"set z [llength $w]", True),
        ("Tcl", b"set x [llength $y]", b"set x [lindex $y]", False),
        ("Clojure", b"(map f xs)", b"(map g ys)", True),
        ("Clojure", b"(map f xs)", b"( filter f xs)", False),
        ("Assembly", b"mov r1, r2", b"mov r3, r4", True),
        ("Assembly", b"mov r1, r2", b"add r1, r2", False),
        ("SQL", b"SELECT a FROM b", b"SELECT c FROM d", True),
        ("SQL", b"select a from b", b"select a into b", False),
        ("Translation", b'"close": "Fenster zu!"', b'"open": "Fenster auf!"', True),
        ("Markdown", b"Some text.", b"More text.", False),
        ("Markdown", b"Some  text.", b"Some text.", True),
    ],
)
def test_the_language_determines_which_names_a_shape_keeps(
    language: str, one: bytes, other: bytes, is_same: bool
) -> None:
    shapes = Shapes(LANGUAGES[language])
    assert (shapes.hash(one) == shapes.hash(other)) is is_same


@given(st.lists(WORD, min_size=2, max_size=6), st.data())
def test_renaming_a_name_that_is_not_called_keeps_the_shape(words: list[str], data: st.DataObject) -> None:
    keywords = {word.decode() for word in LANGUAGES["Python"].keywords}
    words = [word if word not in keywords else "x" for word in words]
    renamed = [data.draw(WORD.filter(lambda w: w not in keywords)) for _ in words]
    assert PYTHON.hash(" + ".join(words).encode()) == PYTHON.hash(" + ".join(renamed).encode())


@given(ASCII_TEXT, st.dictionaries(WORD, WORD, max_size=3))
def test_a_replacement_of_words_is_seen_and_named_by_its_distinct_pairs(
    text: str, names: dict[str, str]
) -> None:
    line = text.replace("\n", " ").replace("\r", " ")
    changed = re.sub(r"[0-9A-Za-z_]+", lambda m: names.get(m[0], m[0]), line)
    words = re.findall(r"[0-9A-Za-z_]+", line)
    pairs = {(word, names[word]) for word in words if names.get(word, word) != word}
    expected = sorted(digest(f"{old}\0{new}") for old, new in pairs)
    assert words_substituted(line.encode(), changed.encode()) == tuple(expected)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"a b", b"a b"),
        (b"a b", b"a  c"),
        (b"a b", b"a"),
        (b"a+b", b"a-b"),
        (b"f(a)", b"f(a, b)"),
        (b"", b"a"),
    ],
)
def test_another_change_is_no_replacement_of_words(old: bytes, new: bytes) -> None:
    assert words_substituted(old, new) == ()


def test_a_replacement_inside_strings_comments_and_other_scripts_counts() -> None:
    assert words_substituted(b'x("old name")  # old', b'x("new name")  # new') == (digest("old\0new"),)
    assert words_substituted("été = 1".encode(), b"hiver = 1") == (digest("été\0hiver"),)
    assert words_substituted(b"a\r", b"b") == words_substituted(b"  a", b"b\r")
