"""Kinds, logical lines and features of changed lines, against Python's own tokenizer and a naive scanner."""

import ast
import io
import json
import sysconfig
import tokenize
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from ingest.git.lexing.comments import open_comments
from ingest.git.lexing.languages import LANGUAGES, UNKNOWN
from ingest.git.lexing.line_features import (
    BLANK,
    CODE,
    COMMENT,
    Features,
    count_kinds,
    features,
)
from ingest.git.lexing.logical_lines import MAX_PHYSICAL_LINES
from tests.ingest.git.lexing.naive_lexer import c_owners

PYTHON, C, JAVASCRIPT = LANGUAGES["Python"], LANGUAGES["C"], LANGUAGES["JavaScript"]
SOURCES = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[::4]


class TokenizedFile:
    """Kinds and logical lines of a file according to Python's tokenizer and parser."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.kinds = [COMMENT if line.strip() else BLANK for line in self.lines]
        self.inside: list[bytes | None] = [None] * len(self.lines)
        self.depths: dict[int, int] = {}
        docstrings = self._docstrings(text)
        depth = 0
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in {
                tokenize.COMMENT,
                tokenize.NL,
                tokenize.NEWLINE,
                tokenize.INDENT,
                tokenize.DEDENT,
            }:
                continue
            if token.string:
                self._visit(token, depth, is_docstring=token.start in docstrings)
            if token.type == tokenize.OP:
                depth += (token.string in "([{") - (token.string in ")]}")

    def _docstrings(self, text: str) -> set[tuple[int, int]]:
        """Positions of statements that consist only of a string in three quotes."""
        found = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                source = self.lines[node.lineno - 1].encode()[node.col_offset :].lstrip(b"rRuU")
                if source.startswith((b'"""', b"'''")):
                    found.add((node.lineno, node.col_offset))
        return found

    def _visit(self, token: tokenize.TokenInfo, depth: int, *, is_docstring: bool) -> None:
        for row in range(token.start[0], token.end[0] + 1):
            if not is_docstring and self.lines[row - 1].strip():
                self.kinds[row - 1] = CODE
            self.depths.setdefault(row - 1, depth)
            if row > token.start[0]:
                quotes = b'"""' if '"""' in token.string[:5] else b"'''"
                self.inside[row - 1] = quotes if is_docstring else b"=" + quotes

    def owners(self) -> list[int]:
        """The first line of each line's logical line."""
        owners = list(range(len(self.lines)))
        start, length = 0, 0
        for i, kind in enumerate(self.kinds):
            if kind == CODE:
                if length in {0, MAX_PHYSICAL_LINES} or not self.depths[i]:
                    start, length = i, 0
                length += 1
                owners[i] = start
        return owners


def _bytes(lines: list[str]) -> list[bytes]:
    return [line.encode() for line in lines]


def _read(path: Path) -> TokenizedFile | None:
    data = path.read_bytes()
    # Python joins lines with backslashes and breaks them at form feeds; logical lines here do not.
    if b"\\\n" in data or b"\f" in data or b"\r" in data:
        return None
    return TokenizedFile(data.decode())


def test_kinds_logical_lines_and_open_strings_are_those_of_pythons_tokenizer() -> None:
    lines = 0
    for path in SOURCES:
        file = _read(path)
        if file is None:
            continue
        raw = _bytes(file.lines)
        found = features(PYTHON, raw, range(len(raw)))
        assert found.kind == file.kinds, path
        assert found.owner == file.owners(), path
        offsets = [0]
        for line in raw[:-1]:
            offsets.append(offsets[-1] + len(line) + 1)
        assert open_comments(PYTHON, b"\n".join(raw), offsets) == file.inside, path
        lines += len(raw)
    assert lines > 5_000, "the standard library is missing: nothing was compared"


def test_a_hunk_has_the_kinds_of_the_whole_file() -> None:
    for path in SOURCES[:12]:
        file = _read(path)
        if file is None:
            continue
        raw = _bytes(file.lines)
        for first in range(0, len(raw) - 8, 29):
            changed = range(min(first, 6), min(first, 6) + 8)
            window = raw[max(0, first - 6) : first + 14]
            found = features(PYTHON, window, changed, file.inside[max(0, first - 6)])
            assert found.kind == file.kinds[first : first + 8], (path, first)
            assert count_kinds(PYTHON, window, changed, file.inside[max(0, first - 6)]) == (
                found.kind.count(CODE),
                found.kind.count(COMMENT),
                found.kind.count(BLANK),
            )


PIECES = ["f(", ")", "[", "]", "{", "}", "a", ",", '"("', "'['", "// (", "/* ( */", '"', " "]


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=4).map("".join), max_size=24))
def test_lines_are_joined_as_a_naive_scanner_joins_them(source: list[str]) -> None:
    lines = _bytes(source)
    assert features(C, lines, range(len(lines))).owner == c_owners(lines)


def test_a_brace_restores_the_grain_of_lines_where_it_opens_a_block() -> None:
    lines = b"describe(a, () => {\nlet x = f(\n1)\n})".split(b"\n")
    assert features(JAVASCRIPT, lines, range(4)).owner == [0, 1, 1, 3]
    assert features(PYTHON, b"f({\n1: 2,\n})".split(b"\n"), range(3)).owner == [0, 0, 0]


def test_tags_within_parentheses_are_lines_of_their_own() -> None:
    lines = b"return (\n<a\nb={c}>\ntext\n</a>\n)".split(b"\n")
    assert features(JAVASCRIPT, lines, range(6)).owner == [0, 1, 1, 1, 4, 4]


def test_languages_with_parentheses_as_blocks_keep_the_grain_of_lines() -> None:
    for language in (
        LANGUAGES["SQL"],
        LANGUAGES["Clojure"],
        LANGUAGES["YAML"],
        LANGUAGES["Markdown"],
        UNKNOWN,
    ):
        assert features(language, [b"(a", b"b", b"c)"], range(3)).owner == [0, 1, 2]


def test_a_logical_line_has_its_facts_on_the_first_changed_line() -> None:
    lines = b"x = f(a,  # why\n      # because\n\n      b,\n      c)\ny = 1".split(b"\n")
    whole = features(PYTHON, lines, range(6))
    assert whole.kind == [CODE, COMMENT, BLANK, CODE, CODE, CODE]
    assert whole.owner == [0, 1, 2, 0, 0, 5]
    assert whole.token_count == [8, 2, 0, 0, 0, 3]
    part = features(PYTHON, lines, [3, 4])
    assert part.owner == [0, 0]
    assert part.token_count == [3, 0]
    assert part.layout_hash[0] == part.layout_hash[1] == features(PYTHON, [b"b, c)"], [0]).layout_hash[0]


def test_a_comment_at_the_end_of_a_line_of_code_has_no_effect() -> None:
    for language, code, comment in [
        (PYTHON, b'x = f("#")', b"  # some words more"),
        (C, b'x = f("//");', b" // some words more"),
        (C, b"x = y;", b" /* some words more */"),
        (LANGUAGES["Shell"], b"cp $#a b", b" # some words more"),
        (JAVASCRIPT, b"x = `//`", b" // some words more"),
        (LANGUAGES["TOML"], b'a = "#"', b" # some words more"),
    ]:
        one, other = features(language, [code], [0]), features(language, [code + comment], [0])
        for fact in Features.__slots__:
            assert getattr(one, fact) == getattr(other, fact), (language.name, fact)


def test_a_string_of_several_lines_is_code_and_its_words_are_tokens() -> None:
    found = features(PYTHON, [b'x = """one two', b"three # four", b'"""'], range(3))
    assert found.kind == [CODE] * 3
    assert found.token_count == [7, 3, 3]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=30), max_size=12))
def test_carriage_returns_change_nothing(source: list[str]) -> None:
    for language in (PYTHON, C, LANGUAGES["Shell"], LANGUAGES["YAML"], LANGUAGES["Markdown"], UNKNOWN):
        unix = _bytes(source)
        dos = [line + b"\r" for line in unix]
        one, other = (features(language, lines, range(len(lines))) for lines in (unix, dos))
        for fact in Features.__slots__:
            mine, theirs = getattr(one, fact), getattr(other, fact)
            # Joined text keeps its line ends, which affect neither hashes nor tokens.
            assert [str(x).replace("\\r", "") for x in theirs] == [str(x).replace("\\r", "") for x in mine], (
                fact
            )


@given(st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"")), max_size=12))
def test_any_bytes_have_features_in_every_language(lines: list[bytes]) -> None:
    for language in LANGUAGES.values():
        found = features(language, lines, range(len(lines)))
        assert {len(getattr(found, fact)) for fact in Features.__slots__} == {len(lines)}
        assert count_kinds(language, lines, range(len(lines))) == tuple(
            found.kind.count(kind) for kind in (CODE, COMMENT, BLANK)
        )
        for at, owner in enumerate(found.owner):
            assert found.owner[owner] == owner <= at
            assert found.layout_hash[at] == found.layout_hash[owner]


def test_a_removed_side_needs_no_shapes() -> None:
    lines = [b"x = f(", b"1)"]
    bare = features(PYTHON, lines, range(2), with_shapes=False)
    full = features(PYTHON, lines, range(2))
    assert bare.shape_hash == []
    assert all(
        getattr(bare, fact) == getattr(full, fact) for fact in Features.__slots__ if fact != "shape_hash"
    )


def test_no_changed_lines_have_no_features() -> None:
    assert len(features(PYTHON, [b"x"], [])) == 0
    assert count_kinds(PYTHON, [b"x"], []) == (0, 0, 0)


@pytest.mark.parametrize("width", [20, 40, 80, 120])
def test_shape_and_layout_of_a_call_do_not_depend_on_its_width(width: int) -> None:
    arguments = ["alpha", "'two words'", "beta=3", "[x, y]"]
    call = f"result = compute({', '.join(arguments)})"
    lines = [call] if len(call) <= width else ["result = compute(", *(f"    {a}," for a in arguments), ")"]
    found = features(PYTHON, _bytes(lines), range(len(lines)))
    one = features(PYTHON, [call.encode()], [0])
    assert found.layout_hash[0] == one.layout_hash[0]
    assert found.shape_hash[0] == one.shape_hash[0]
    assert sum(found.token_count) == found.token_count[0] == one.token_count[0]


def test_hashes_are_the_same_on_every_machine() -> None:
    found = features(PYTHON, [b"x = foo(a, 'b')"], [0])
    facts = [found.line_hash, found.layout_hash, found.shape_hash]
    # XXH3 of the texts by definition, computed with the reference implementation.
    texts = ['x = foo(a, "b")', 'x=foo(a,"b")', 'a = foo( a " )']
    assert json.dumps(facts) == json.dumps([[xxh3_64_intdigest(text.encode())] for text in texts])
