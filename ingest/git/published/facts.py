"""Lines that only state a fact: an entry of a list or a table, a constant.

Whoever writes down the same standard writes the same lines, so they do not tell who wrote a text. Lines are read
without white space, as they are compared.
"""

from __future__ import annotations

import re
from typing import Final

_NUMBER: Final = rb"[-+]?(?:0[xob])?[\da-f][\d._a-f]*[ulf]{0,3}%?"
_TEXT: Final = rb"[\w@]{0,3}(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')"
_WORD: Final = rb"[\w$.@:#-]{1,80}"
_VALUE: Final = rb"(?:" + _TEXT + rb"|" + _NUMBER + rb"|true|false|null|none|nil)"
_BETWEEN: Final = rb"[\[\](){},:;|=>]{1,6}"
_COMMENT: Final = rb"(?:(?://|/\*|#|<!--).*)?"
_FACT: Final = re.compile(
    rb"(?i)(?:"
    # A constant, whose name and number stand together here
    rb"#define\w+(?:\(?" + _VALUE + rb"\)?)?"
    # A name with its values, or values alone
    rb"|[\[({.]*(?:"
    + _WORD
    + rb"(?:=>|[:=])[\[({]*)?"
    + _VALUE
    + rb"(?:"
    + _BETWEEN
    + _VALUE
    + rb")*[\])},;:]*"
    # One of several names
    rb"|\w+,(?:\w+,)*"
    rb")" + _COMMENT
)


def is_fact(line: bytes) -> bool:
    """Whether a line without white space only states a fact."""
    return _FACT.fullmatch(line) is not None
