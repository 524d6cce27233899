"""Constants of the compiled modules, written from the Python modules that have them into `constants.pxi`.

Add: a number that a rule has in Python and in Cython. Keep out: limits of the compiled code alone. The modules are
imported by name and only here, because they are layers above this package.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from ingest.git import native

NUMBERS = {
    "objects.trees": "ID_BYTES",
    "machine_text.words": "MOST_WORDS MARKED_BYTES",
    "diff.texts": "BINARY_TEST_BYTES",
    "diff.context": "NEAR MICRO FARTHEST REACH",
    "lexing.languages.model": "MAX_PLAIN MAX_ESCAPES",
    "lexing.comments": "LINE_LIMIT FALSE_LIMIT",
    "lexing.logical_lines": "MAX_PHYSICAL_LINES FOLDS MAX_OPEN",
    "lexing.wrapping": "LOOKED_BACK",
    "lexing.line_features": "BLANK COMMENT_LINE=COMMENT CODE",
    "lexing.token_diff": "TOKEN_LIMIT",
    "lexing.token_edits": "MAX_SKIPPED KEPT_SHARE",
    "lexing.rust_tests": "MAX_ATTRIBUTE_TOKENS",
    "changes.substitutions": "MAX_CANDIDATES",
    "changes.line_reading": "MAX_SIZE",
    "changes.file_lines": "NO_SOURCE",
    "classify.changed_lines": "NO_PLACE",
    "classify.line_table": "LAYOUT MOVED RETURNED COPIED COMMENT NOVEL UNREAD OPEN",
    "classify.classifier": "MAX_RANK",
    "classify.block_index": "FACTOR",
}
"""Names by module; `NAME=OTHER` where the compiled modules need another name than Python."""
POSITIONS = {
    "lexing.languages.model": "Names",
    "changes.native_reading": "CommentRule LITERALS",
}
"""Enumerations and mappings by module: each name in them stands for its position."""

_HEAD = """\
# Numbers that a rule has in Python too. `python -m ingest.git.native.build` writes them from the modules named here.

from libc.stdint cimport uint64_t

"""
_LARGEST_OF_ENUM = 0x7FFFFFFF


def path() -> Path:
    return native.FOLDER / "constants.pxi"


def text() -> str:
    """What the file has to say."""
    written = [_HEAD]
    for source, numbers in [*_numbers(), *_positions()]:
        small = [f"    {name} = {value}\n" for name, value in numbers.items() if value <= _LARGEST_OF_ENUM]
        large = [
            f"cdef uint64_t {name} = {value:#x}\n"
            for name, value in numbers.items()
            if value > _LARGEST_OF_ENUM
        ]
        written += [f"# {source}\n", *(["cdef enum:\n", *small] if small else []), *large, "\n"]
    return "".join(written[:-1])


def refresh() -> None:
    """Write the file where it differs. Raises OSError."""
    wanted = text()
    if not path().exists() or path().read_text() != wanted:
        path().write_text(wanted)


def _numbers() -> Iterator[tuple[str, dict[str, int]]]:
    for module, names in NUMBERS.items():
        found = import_module(f"ingest.git.{module}")
        pairs = [name.partition("=") for name in names.split()]
        yield module, {ours: int(getattr(found, theirs or ours)) for ours, _, theirs in pairs}


def _positions() -> Iterator[tuple[str, dict[str, int]]]:
    for module, lists in POSITIONS.items():
        found = import_module(f"ingest.git.{module}")
        for name in lists.split():
            each = getattr(found, name)
            names = getattr(each, "__members__", each)
            yield f"{module}.{name}", {one: position for position, one in enumerate(names)}
