"""Texts within a file that it shows or writes into others: marks in them say nothing of the file itself.

Add: how a language holds texts of several lines. Keep out: the marks (`marks`).
"""

import re
from enum import Enum
from typing import Final

_FENCE: Final = b"```"
_FENCED: Final = re.compile(rb"(?ms)^[ \t]*```.*?(?:^[ \t]*```[ \t]*$|\Z)")
_HERE: Final = b"<<"
# A text up to a line of one word in capitals, as scripts write it. Behind the sign of a comment none begins.
_HERE_BEGINS: Final = (
    rb"(?ms)^(?![ \t]*(?:#|//|\*|--|;))[^\n]*?"
    rb"(?<![<\w])<<[-~<]?[ \t]{0,9}([\"']?)(?P<end>[A-Z][A-Z0-9_]{1,40})\1[^\n]*\n.*?"
)
_HERE_TEXT: Final = re.compile(_HERE_BEGINS + rb"^[ \t]*(?P=end)\b")
_OPEN_HERE_TEXT: Final = re.compile(_HERE_BEGINS + rb"(?:^[ \t]*(?P=end)\b|\Z)")
_QUOTES: Final = re.compile(rb"\"{3}|'{3}")
_QUOTED: Final = re.compile(rb"(?s)=[ \t]*(\"{3}|'{3}).*?(?:\1|\Z)")
# A program fills it in as it writes the mark into another file.
INTERPOLATED: Final = re.compile(rb"[#$]\{|\{\{|\{\w{0,40}\}|(?<![\w%])%[sd]\b")
_SCRIPTS: Final = re.compile(r"\.(?:sh|bash|zsh|ksh|command|bats|php|pl|pm|rb|rake|ya?ml)$|(?:^|/)[^./]+$")


class Samples(Enum):
    """How a file holds texts that are not its own."""

    NONE = 0
    FENCED = 1
    """Documents, between fences."""
    PRINTED = 2
    """Scripts, up to a word."""
    SET = 3
    """Settings in TOML, between three quotes: templates of changelogs and commit messages."""


def samples_of(path: str, *, is_prose: bool) -> Samples:
    """How the file at `path` holds texts that are not its own."""
    if is_prose:
        return Samples.FENCED
    if path.endswith(".toml"):
        return Samples.SET
    return Samples.PRINTED if _SCRIPTS.search(path) is not None else Samples.NONE


def without_samples(text: bytes, samples: Samples, *, is_top: bool, is_whole: bool) -> bytes:
    """The first or last bytes of a file, or the whole file, without the texts that are not its own.

    A script that ends before its text does has no such text: it only looks like one.
    """
    if samples is Samples.FENCED:
        return _FENCED.sub(b"\n", text) if _FENCE in text else text
    if samples is Samples.PRINTED and _HERE in text:
        return (_OPEN_HERE_TEXT if is_top and not is_whole else _HERE_TEXT).sub(b"\n", text)
    if samples is Samples.SET and (quotes := _QUOTES.findall(text)):
        if not is_top and len(quotes) % 2:
            # The last bytes begin inside a text.
            text = _QUOTES.split(text, maxsplit=1)[1]
        return _QUOTED.sub(b"\n", text)
    return text


def is_quoted(part: bytes, at: int) -> bool:
    """Whether a quote stands before the place on its line: a program that writes the mark into other files."""
    line = part[part.rfind(b"\n", 0, at) + 1 : at]
    return any(quote in line for quote in (b'"', b"'", b"`")) and not line.lstrip().startswith(
        (b".\\", b"'\\")
    )
