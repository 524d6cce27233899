"""Block comments and long strings are found where they are, and nowhere else."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.git.lexing.comments import open_comment, open_comments
from ingest.git.lexing.languages import LANGUAGES
from ingest.git.lexing.line_features import BLANK, CODE, COMMENT, features
from tests.ingest.git.lexing.naive_lexer import c_kinds_and_states, javascript_kinds_and_states

C, PYTHON, JAVASCRIPT = LANGUAGES["C"], LANGUAGES["Python"], LANGUAGES["JavaScript"]

PIECES = [
    "/*",
    "*/",
    "//",
    '"',
    "'",
    "\\",
    "a",
    " ",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    '"/*"',
    "'*/'",
    "x /* y */ z",
]
C_SOURCES = st.lists(st.lists(st.sampled_from(PIECES), max_size=6).map("".join), max_size=8)
JAVASCRIPT_SOURCES = st.lists(
    st.lists(st.sampled_from([*PIECES, "`", "`", "`/*`"]), max_size=6).map("".join), max_size=8
)


@given(C_SOURCES)
def test_the_state_and_kind_of_every_line_of_c_are_those_of_a_naive_scanner(source: list[str]) -> None:
    lines = [line.encode() for line in source]
    kinds, states = c_kinds_and_states(lines)
    assert features(C, lines, range(len(lines))).kind == kinds
    assert open_comments(C, b"\n".join(lines), _offsets(lines)) == states


@given(JAVASCRIPT_SOURCES)
def test_the_state_and_kind_of_every_line_of_javascript_are_those_of_a_naive_scanner(
    source: list[str],
) -> None:
    lines = [line.encode() for line in source]
    kinds, states = javascript_kinds_and_states(lines)
    assert features(JAVASCRIPT, lines, range(len(lines))).kind == kinds
    assert open_comments(JAVASCRIPT, b"\n".join(lines), _offsets(lines)) == states


@given(JAVASCRIPT_SOURCES, st.integers(0, 7))
def test_reading_from_the_middle_with_its_state_equals_reading_from_the_top(
    source: list[str], cut: int
) -> None:
    lines = [line.encode() for line in source]
    cut = min(cut, max(0, len(lines) - 1))
    state = open_comment(JAVASCRIPT, b"\n".join(lines), _offsets(lines)[cut] if lines else 0)
    whole = features(JAVASCRIPT, lines, range(len(lines)))
    rest = features(JAVASCRIPT, lines[cut:], range(len(lines) - cut), state)
    assert rest.kind == whole.kind[cut:]


def _offsets(lines: list[bytes]) -> list[int]:
    offsets = [0]
    for line in lines[:-1]:
        offsets.append(offsets[-1] + len(line) + 1)
    return offsets[: len(lines)]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("JavaScript", 'glob("src/**/*.js")\n', None),
        ("JavaScript", "// see src/*\n", None),
        ("JavaScript", "x = /* http://a.b\n", b"*/"),
        ("JavaScript", "x = `a\n", b"=`"),
        ("Python", '"""Doc\n', b'"""'),
        ("Python", "def f():\n    r'''Doc\n", b"'''"),
        ("Python", 'x = """text\n', b'="""'),
        ("Python", 'f(\n    """text\n', b'="""'),
        ("Python", "# '''\n", None),
        ("Python", 'x = \'"""\'\n', None),
        ("Python", 'x = """a\\"""\n', b'="""'),
        ("Python", 'x = """a"""\n', None),
        ("HTML", "<!-- a\n", b"-->"),
        ("SQL", "select '/*'\n", None),
        ("CSS", "a { } /* b\n", b"*/"),
        ("Ruby", "x\n=begin\n", b"\n=end"),
        ("Ruby", "x\n=begin\n=end\n", None),
        ("Ruby", "x =begin\n", None),
        ("Lua", "--[[ a\n", b"]]"),
        ("Haskell", "{- a\n", b"-}"),
        ("Elixir", '  @doc """\n', b'"""'),
        ("YAML", "/* a\n", None),
    ],
)
def test_open_constructs_at_the_end_of_a_text_are_found(
    language: str, text: str, expected: bytes | None
) -> None:
    assert open_comment(LANGUAGES[language], text.encode(), len(text)) == expected


@pytest.mark.parametrize(
    ("language", "source", "kinds"),
    [
        ("Python", 'def f():\n    r"""Doc\n\n    more"""\n    x = """a\n# b"""\n', [2, 1, 0, 1, 2, 2, 0]),
        ("Python", 'f(a,\n  """text\n  more""")', [2, 2, 2]),
        ("Ruby", "=begin\ntext\n=end\nx", [1, 1, 1, 2]),
        ("Perl", "x;\n=head1 A\n\ntext\n=cut\ny;", [2, 1, 0, 1, 1, 2]),
        ("Kotlin", 'val s = """\n// text\n"""', [2, 2, 2]),
        ("Go", "s := `\n// text\n`", [2, 2, 2]),
        ("Lua", "--[[\ntext\n]]\nx = [[\n-- a\n]]", [1, 1, 1, 2, 2, 2]),
        ("HTML", "<!--\n<p>\n--><p>", [1, 1, 2]),
        ("HTML", "{{#if a}}\n<p>\n{{/if}}\n{{!--\n<p>\n--}}", [2, 2, 2, 1, 1, 1]),
        ("HTML", "{% comment %}\n<p>\n{% endcomment %}\n<p>", [1, 1, 2, 2]),
        ("Templates", "{{#if a}}\n<p>\n{{/if}}", [2, 2, 2]),
        ("HTML", '{% comment "why" %}\n<p>\n{% endcomment %}\n<p>', [1, 1, 2, 2]),
        ("HTML", "{%- comment %}\n<p>\n{%- endcomment %}\n{% comments %}\n<p>", [1, 1, 2, 2, 2]),
        ("Jinja", "{% comment 'why' %}\n<p>\n{% endcomment %}\n<p>", [1, 1, 2, 2]),
        (
            "Templates",
            "@media print {* { color: black !important; }\n<p>\n{{--i }\n<p>\n-# a",
            [2, 2, 2, 2, 1],
        ),
        ("Smarty", "{* a\n<p>\n*}\n{{--i }\n<p>", [1, 1, 1, 2, 2]),
        ("Blade", "@media print {* { }\n<p>\n{{--\n<p>\n--}}\n// a\n{{ $a --$b }}", [2, 2, 1, 1, 1, 1, 2]),
        ("Jinja", "{#\n<p>\n#}\n<p>", [1, 1, 1, 2]),
        ("JSX", "{/* note */}\n{ /* note */ a }", [1, 2]),
        ("TOML", 'a = """\n# text\n"""', [2, 2, 2]),
    ],
)
def test_constructs_of_several_lines_have_the_kind_of_each_line(
    language: str, source: str, kinds: list[int]
) -> None:
    assert [BLANK, COMMENT, CODE] == [0, 1, 2]
    lines = source.encode().split(b"\n")
    assert features(LANGUAGES[language], lines, range(len(lines))).kind == kinds


@pytest.mark.parametrize("language", ["C", "JavaScript", "Python", "Lua", "Vue", "HTML"])
@pytest.mark.parametrize(
    "unit",
    [b"{{! ", b'"/*" ', b'\'"""\' ', b"/*", b"\\", b'"""', b"`", b"((((", b"<a", b"--[[", b'"\\', b"# ''' "],
)
def test_hostile_lines_take_time_in_proportion_to_their_length(language: str, unit: bytes) -> None:
    data = unit * (300_000 // len(unit))
    start = time.process_time()
    open_comment(LANGUAGES[language], data, len(data))
    features(LANGUAGES[language], [data], [0])
    # Below a second on a quiet machine; time that grows with the square of the length is minutes.
    assert time.process_time() - start < 12
