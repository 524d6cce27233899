"""The syntax of a language, as far as the lexer needs it.

Add: fields that several languages need. Keep out: the languages themselves (one module per family), and
anything that reads a whole file or knows paths.
"""

from dataclasses import dataclass
from enum import Enum, auto

# Patterns of string literals that end on the line where they begin: bytes, without groups.
# Bounded and without backtracking, so that lines full of quotes take linear time.
MAX_PLAIN = 2000
"""Bytes between two escapes of a literal."""
MAX_ESCAPES = 250
DOUBLE = rb'"[^"\\\n]{0,%d}+(?:\\.[^"\\\n]{0,%d}+){0,%d}+"' % (MAX_PLAIN, MAX_PLAIN, MAX_ESCAPES)
SINGLE = DOUBLE.replace(b'"', b"'")
RAW_DOUBLE = rb'"[^"\n]{0,%d}+"' % MAX_PLAIN
RAW_SINGLE = rb"'[^'\n]{0,%d}+'" % MAX_PLAIN
# In languages where `'` also marks lifetimes, primes or symbols, only a character literal counts.
CHARACTER = rb"'(?:[^'\\\n]|\\[^\n]{1,8}?)'"
ATTRIBUTES = rb"(?<==)" + RAW_DOUBLE + rb"|(?<==)" + RAW_SINGLE


class Names(Enum):
    """The names that a shape keeps; every other name is abstracted."""

    CALLS = auto()
    """Names that are called: `open(`."""
    COMMANDS = auto()
    """Names that are called, and the first word of the line: `git push`, `mov eax`, `validates :name`."""
    NESTED_COMMANDS = auto()
    """The same, and the first word within a bracket or after a pipe: `[llength $x]`, `(map f x)`, `| sort`."""
    KEYS = auto()
    """Names that something is assigned to: `color:`, `timeout =`."""
    TAGS = auto()
    """Names of tags and attributes: `<div class=`."""


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """Syntax of one language, as far as kinds, logical lines and shapes of lines need it.

    Instances are compared by identity; `ingest.git.lexing.languages.LANGUAGES` has them by name.
    """

    name: str
    line_comments: tuple[bytes, ...] = ()
    comment_needs_space: bool = False
    """A line comment begins only at the start of a line or after white space (`$#` in a shell)."""
    comment_is_whole_line: bool = False
    """A line comment begins only at the start of a line (`"` in Vim script)."""
    block_comments: tuple[tuple[bytes, bytes], ...] = ()
    """Opening and closing delimiter; a leading newline means that it counts at the start of a line only."""
    long_strings: tuple[tuple[bytes, bytes], ...] = ()
    """Delimiters of the string literals that may run over several lines."""
    docstrings: tuple[bytes, ...] = ()
    """Opening delimiters among `long_strings` that make a comment where a statement begins."""
    strings: bytes = DOUBLE + b"|" + SINGLE
    """Pattern of the string literals that end on their line; empty where there are none."""
    keywords: frozenset[bytes] = frozenset()
    names: Names = Names.CALLS
    is_prose: bool = False
    """Text for people: a line's shape is the line itself."""
    joins_lines: bool = True
    """Physical lines are joined to logical ones while the innermost open bracket is `(` or `[`."""
    braces_are_blocks: bool = True
    """`{` holds statements and restores line grain; otherwise it joins lines as `(` does."""
    has_markup: bool = False
    """Lines that begin with a tag start a logical line of their own (JSX within parentheses)."""


def words(text: str) -> frozenset[bytes]:
    """The words of `text` as keywords."""
    return frozenset(text.encode().split())


def any_case(text: str) -> frozenset[bytes]:
    """The words of `text` in lower, upper and title case: keywords of a language that ignores case."""
    return words(text.lower()) | words(text.upper()) | words(text.title())
