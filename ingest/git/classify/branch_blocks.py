"""Copies within one branch: blocks of code that a commit adds and an earlier commit of the branch added before.

All commits are searched at once, because most branches have no copy. Keep out: copies of the tree before (`copied`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ingest.git.blame.file_tree import LineIds
from ingest.git.changes.file_lines import FileLines
from ingest.git.classify.block_index import SHAPE_TOKENS, SHAPE_WINDOW, WINDOW, Windows
from ingest.git.diff.hunks import Hunk
from ingest.git.lexing.line_features import CODE

Copies = dict[int, list[tuple[int, int]]]
"""By number of the commit: a line, and the line that it copies."""


@dataclass(frozen=True, slots=True)
class BranchFile:
    """One file that a commit of a branch changed, with the ownership ids of its removed and added lines."""

    lines: FileLines
    hunks: Sequence[Hunk]
    removed: LineIds
    added: LineIds
    path: str = ""


def find_copies(commits: Sequence[Sequence[BranchFile]]) -> tuple[Copies, Copies]:
    """The lines that copy a block of an earlier commit, parents first: literally, and with identifiers abstracted."""
    files = [(number, file) for number, files in enumerate(commits) for file in files]
    spans = _spans(files)
    if len({number for number, _, _ in spans}) < 2:
        return {}, {}
    lines = [file.lines for _, file in files]
    is_code = np.frombuffer(b"".join([one.kinds for one in lines]), np.uint8) == CODE
    is_head = is_code & np.frombuffer(b"".join([one.heads for one in lines]), bool)
    ids = np.concatenate([file.added for _, file in files])
    sizes = np.frombuffer(b"".join([one.sizes for one in lines]), np.uint8)
    texts = np.frombuffer(b"".join([one.line_hashes for one in lines]), np.uint64)
    shapes = np.frombuffer(b"".join([one.shapes for one in lines]), np.uint64)
    return (
        _repeats(_runs(spans, is_code, WINDOW), WINDOW, 0, texts, sizes, ids),
        _repeats(_runs(spans, is_head, SHAPE_WINDOW), SHAPE_WINDOW, SHAPE_TOKENS, shapes, sizes, ids),
    )


def _spans(files: Sequence[tuple[int, BranchFile]]) -> list[tuple[int, int, int]]:
    """Number of the commit, first line and line after the last one of each hunk that may hold a block."""
    hunks = [(number, count) for number, file in files for _, _, _, count in file.hunks]
    stops = accumulate([count for _, count in hunks])
    return [
        (number, stop - count, stop)
        for (number, count), stop in zip(hunks, stops, strict=True)
        if count >= WINDOW
    ]


def _runs(
    spans: Sequence[tuple[int, int, int]], taking_part: NDArray[np.bool_], size: int
) -> list[tuple[int, NDArray[np.int64]]]:
    """Number of the commit and the lines of each hunk that take part, where they are enough for a block."""
    lines = np.flatnonzero(taking_part)
    bounds = np.searchsorted(lines, [span[1:] for span in spans]).tolist()
    return [
        (number, lines[low:high])
        for (number, _, _), (low, high) in zip(spans, bounds, strict=True)
        if high - low >= size
    ]


def _repeats(
    runs: Sequence[tuple[int, NDArray[np.int64]]],
    size: int,
    least_tokens: int,
    values: NDArray[np.uint64],
    sizes: NDArray[np.uint8],
    ids: LineIds,
) -> Copies:
    """The lines of each block whose first occurrence is in an earlier commit."""
    found: Copies = {}
    if not runs:
        return found
    windows = Windows(size)
    for number, run in runs:
        windows.gather(run, number)
    hashed, numbers, is_heavy = windows.hashes(values, sizes, least_tokens)
    heavy = np.flatnonzero(is_heavy)
    _, first, inverse = np.unique(hashed[heavy], return_index=True, return_inverse=True)
    earliest = heavy[first[inverse]]
    copies = numbers[earliest] != numbers[heavy]
    if not copies.any():
        return found
    members = [run[at : at + size] for _, run in runs for at in range(len(run) - size + 1)]
    for mine, theirs in zip(heavy[copies].tolist(), earliest[copies].tolist(), strict=True):
        pairs = zip(ids[members[mine]].tolist(), ids[members[theirs]].tolist(), strict=True)
        found.setdefault(int(numbers[mine]), []).extend(pairs)
    return found
