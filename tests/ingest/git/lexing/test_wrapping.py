"""Brackets that only wrap: without them every program stays the same for Python's own parser."""

import ast
import io
import subprocess
import sys
import sysconfig
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.git.lexing.languages import LANGUAGES
from ingest.git.lexing.line_features import Features, features
from ingest.git.lexing.wrapping import Wrapping
from tests.suite.tiers import seeds

SOURCES = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[::5]
_BEGINS_TEXT = {getattr(tokenize, name, None) for name in ("FSTRING_START", "TSTRING_START")}
_ENDS_TEXT = {getattr(tokenize, name, None) for name in ("FSTRING_END", "TSTRING_END")}

Span = tuple[tuple[int, int], tuple[int, int]]
"""First row and column, and those after the last."""


def formatted(source: bytes, width: int) -> str:
    """A module as a formatter lays it out."""
    command = [
        sys.executable,
        "-m",
        "ruff",
        "format",
        "--isolated",
        f"--line-length={width}",
        "--stdin-filename=x.py",
    ]
    return subprocess.run([*command, "-"], input=source, capture_output=True, check=True).stdout.decode()


def texts_and_comments(source: str) -> Iterator[tuple[bool, Span]]:
    """Positions of the literals of a module, and of its comments."""
    begun: list[tuple[int, int]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in _BEGINS_TEXT:
            begun.append(token.start)
        elif token.type in _ENDS_TEXT:
            yield True, (begun.pop(), token.end)
        elif token.type in (tokenize.STRING, tokenize.COMMENT):
            yield token.type == tokenize.STRING, (token.start, token.end)


class Module:
    """A module without comments; in `code` every sign of a literal is a quote."""

    def __init__(self, source: str) -> None:
        lines = source.split("\n")
        code = list(lines)
        self.goes_on: set[int] = set()
        """Lines that end within a literal."""
        for is_text, ((row, start), (last, stop)) in sorted(texts_and_comments(source), reverse=True):
            for at in range(row - 1, last):
                first, end = start if at == row - 1 else 0, stop if at == last - 1 else len(lines[at])
                code[at] = code[at][:first] + '"' * (end - first if is_text else 0) + code[at][end:]
                if not is_text:
                    lines[at] = lines[at][:first]
            self.goes_on |= set(range(row - 1, last - 1))
        self.lines, self.code = lines, "\n".join(code)

    def without(self, found: Wrapping) -> str:
        """The module without the brackets found: the lines within them continue with a backslash."""
        kept: list[str] = []
        depth = 0
        indent: str | None = None
        for at, line in enumerate(self.lines):
            text = line
            if at in found.closed:
                text = text.replace(")", "", 1)
                kept[-1] = kept[-1].removesuffix(" \\").removesuffix(",") + " \\"
                depth -= 1
            if at in found.opened:
                text = text.rstrip().removesuffix("(")
                depth += 1
            if depth and at not in self.goes_on:
                if not text.strip():
                    indent = indent or text
                    continue
                text += " \\"
            kept.append(text if indent is None else indent + text.lstrip())
            indent = None
        assert not depth
        return "\n".join(kept)


@pytest.mark.parametrize(("width", "modules"), [(30, len(seeds(len(SOURCES)))), (60, len(SOURCES))])
def test_a_program_without_the_brackets_that_only_wrap_is_the_same_program(width: int, modules: int) -> None:
    pairs = 0
    for path in SOURCES[:modules]:
        source = formatted(path.read_bytes(), width)
        module = Module(source)
        found = Wrapping(module.code.encode())
        assert len(found.opened) == len(found.closed)
        assert ast.dump(ast.parse(module.without(found))) == ast.dump(ast.parse(source)), path
        pairs += len(found.opened)
    assert pairs > 200, "nothing wraps: nothing was compared"


def read(language: str, code: str) -> Features:
    lines = code.encode().split(b"\n")
    return features(LANGUAGES[language], lines, range(len(lines)))


def taken_away(language: str, code: str) -> str:
    """The signs that are missing after removing layout characters."""
    side = read(language, code)
    signs = Counter(b"".join(side.text)) - Counter(b"".join(side.bare))
    return "".join(sorted(chr(sign) for sign in signs.elements() if not chr(sign).isspace()))


@pytest.mark.parametrize(
    ("language", "code", "signs"),
    [
        ("Python", "x = (\n    a or b\n)", "()"),
        ("Python", "x += (  # why\n    a\n    or b\n)  # because", "()"),
        ("Python", "return (\n    a,\n    b,\n)", "()"),
        ("Python", "from m import (\n    a,\n)", "()"),
        ("Python", "f(\n    (\n        a\n        if b\n        else c\n    ),\n)", "()"),
        ("Python", "for x in (\n    a or b\n):\n    pass", "()"),
        ("Python", "assert (\n    a == b\n), (\n    c\n)", "(())"),
        ("Python", "x = a or \\\n    b", "\\"),
        ("JavaScript", "return (\n  <a>\n    text\n  </a>\n);", "()"),
        ("JavaScript", "const f = (a) => a + 1;", "()"),
        ("JavaScript", "const f = () =>\n  a && (\n    <b />\n  );", "()"),
        ("JavaScript", "x = a ? (\n  <b />\n) : (\n  <c />\n);", "(())"),
    ],
)
def test_characters_that_formatters_add_are_layout(language: str, code: str, signs: str) -> None:
    assert taken_away(language, code) == signs


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("Python", "x = f(\n    a\n)"),
        ("Python", "x = (\n    a,\n)"),
        ("Python", "x = a * (\n    b + c\n)"),
        ("Python", "x = (\n    a + b\n) * c"),
        ("Python", "x = (\n    a or b\n).c"),
        ("Python", "x = not (\n    a or b\n)"),
        ("Python", "x = (\n    f(y)\n    for y in z\n)"),
        ("Python", "f(\n    (\n        a,\n        b,\n    )\n)"),
        ("Python", "f(\n    (\n        a\n        or b\n    )\n    + c\n)"),
        ("Python", "if x in (\n    a,\n    b,\n):\n    pass"),
        ("Python", "assert x == (\n    a or b\n)"),
        ("Python", "x = (a or b)"),
        ("Python", "x = (\n    a or b"),
        ("Python", "    a or b\n)"),
        ("Python", "x = '(\\n', ')'"),
        ("JavaScript", "f((a, b) => a);"),
        ("JavaScript", "foo (\n  a\n);"),
        ("C", "x = (int)\n  y;"),
        ("Shell", "x=(\n  a b\n)"),
    ],
)
def test_brackets_that_mean_something_stay(language: str, code: str) -> None:
    assert taken_away(language, code) == ""


def test_no_brackets_however_many_take_long() -> None:
    code = b"x = (\n" * 20_000 + b")\n" * 20_000
    assert len(Wrapping(code).opened) < 1_000
