"""Blocks of neighbouring lines that stand elsewhere too."""

from collections.abc import Sequence
from typing import Any

from ingest.git.lexing.line_features import CODE
from tests.ingest.git.naive.lines import Added, Line


def windows(lines: Sequence[Any], *, by_shape: bool) -> list[Sequence[Any]]:
    """Every six neighbouring lines of code; by shape every eight logical lines that have forty tokens."""
    size, least = (8, 40) if by_shape else (6, 0)
    members = [line for line in lines if _fact(line).kind == CODE and (_fact(line).is_head or not by_shape)]
    windows = [members[start : start + size] for start in range(len(members) - size + 1)]
    return [window for window in windows if sum(_fact(line).size for line in window) >= least]


def _fact(line: Any) -> Line:
    fact: Line = line if isinstance(line, Line) else line.line
    return fact


def text_of(block: Sequence[Any], *, by_shape: bool) -> tuple[int, ...]:
    """The key under which two blocks are the same."""
    return tuple(_fact(line).shape if by_shape else _fact(line).words for line in block)


def standing_blocks(tree: dict[str, list[Line]], *, by_shape: bool) -> dict[tuple[int, ...], set[str]]:
    """Every block of every file of the tree, with the paths that it stands in."""
    standing: dict[tuple[int, ...], set[str]] = {}
    for path, lines in tree.items():
        for block in windows(lines, by_shape=by_shape):
            standing.setdefault(text_of(block, by_shape=by_shape), set()).add(path)
    return standing


def spread_copied(run: list[Added]) -> None:
    """The continuation lines of a copied logical line are copied too."""
    for line in run:
        if line.head is not None and line.head.klass == "copied" and line.is_open and line.line.kind == CODE:
            line.klass = "copied"
            line.copied_from |= line.head.copied_from
