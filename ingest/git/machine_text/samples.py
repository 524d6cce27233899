"""Texts within a file that it shows or writes into others: marks in them say nothing of the file itself.

Keep out: the marks (`marks`), and quotes on one line, which each mark weighs itself.
"""

import re
from typing import Final

_FENCE: Final = b"```"
_FENCED: Final = re.compile(rb"(?ms)^[ \t]*```.*?(?:^[ \t]*```[ \t]*$|\Z)")
_HERE: Final = b"<<"
# A text up to a line of one word in capitals, as scripts write it.
_HERE_TEXT: Final = re.compile(
    rb"(?ms)(?<![<\w])<<[-~<]?[ \t]{0,9}([\"']?)(?P<end>[A-Z][A-Z0-9_]{1,40})\1[^\n]*\n.*?(?:^[ \t]*(?P=end)\b|\Z)"
)
# A program fills it in as it writes the mark into another file.
INTERPOLATED: Final = re.compile(rb"[#$]\{|\{\{|\{\w{0,40}\}|(?<![\w%])%[sd]\b")
_SCRIPTS: Final = re.compile(r"\.(?:sh|bash|zsh|ksh|command|bats|php|pl|pm|rb|rake|ya?ml)$|(?:^|/)[^./]+$")


def is_script(path: str) -> bool:
    """Whether the language of the file has texts that go on over lines up to a word."""
    return _SCRIPTS.search(path) is not None


def without_samples(text: bytes, *, is_prose: bool, is_script: bool) -> bytes:
    """The text without samples between fences of a document, and without what a script prints from its own lines."""
    if is_prose:
        return _FENCED.sub(b"\n", text) if _FENCE in text else text
    return _HERE_TEXT.sub(b"\n", text) if is_script and _HERE in text else text
