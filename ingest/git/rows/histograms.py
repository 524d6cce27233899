"""Histograms of classified lines: rows of delivered_lines and line_deaths instead of a row per line."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from ingest.git import native
from ingest.git.blame.file_tree import LineIds
from ingest.git.blame.ownership import Ownership
from ingest.git.changes.commit_changes import FileChange
from ingest.git.classify.branch_credit import BranchCredit
from ingest.git.classify.changed_lines import ChangedLines
from ingest.git.classify.line_table import (
    CLASSES,
    COMMENT,
    COPIED,
    CREDIT,
    LAYOUT,
    NOVEL,
    RETURNED,
    SUBSTITUTED,
    UNREAD,
    LineTable,
)
from ingest.git.deliveries import Delivery
from ingest.lake.tables import Row

Histogram = list[Row]
Labels = Mapping[int, object] | None
Column = Union["array[int]", bytes, bytearray, NDArray[Any]]

_NAMES = dict(enumerate(CLASSES)) | {UNREAD: CLASSES[LAYOUT]}
"""Unread lines weigh nothing, as layout does."""
_FLAGS = {0: False, 1: True}
WEIGHING = np.isin(np.arange(256), (SUBSTITUTED, COMMENT, NOVEL))
"""By class: whether its lines may weigh. The others explain what a commit did, and stay with it."""


@dataclass(frozen=True, slots=True)
class DeliveryFacts:
    """Rows of one delivery, each with its file."""

    added: list[tuple[FileChange, Row]]
    removed: list[tuple[FileChange, Row]]
    squashed: list[tuple[FileChange, Row]]


@dataclass(frozen=True, slots=True)
class Credit:
    """Per added line: numbers of the credited commit and of the one that first wrote it, ownership id of the holder."""

    credited: NDArray[np.int32]
    births: NDArray[np.int32]
    holders: LineIds


def credit(
    lines: ChangedLines,
    delivery: Delivery,
    ownership: Ownership,
    store: LineTable,
    branch: BranchCredit | None = None,
) -> Credit:
    """The credit of the lines that weigh follows the `branch`; other lines are credited to their commit of birth.

    A line born in an earlier delivery is credited to the delivery that brought it back.
    """
    born = ownership.births(lines.born)
    sources = branch.sources(lines.born) if branch is not None else None
    positions = holders = born.tolist()
    if sources is not None:
        weighs = WEIGHING[np.frombuffer(lines.classes, np.uint8)]
        holders = np.where(weighs, ownership.births(sources), born).tolist()
    shas = {p: ownership.born_commits[p] for p in sorted({*positions, *holders})}
    brought = set(delivery.commits)
    named = {p: store.position(sha if sha in brought else delivery.sha) for p, sha in shas.items()}
    births = _mapped(positions, {p: store.position(sha) for p, sha in shas.items()})
    returned = np.frombuffer(lines.removals, np.int32) >= 0
    if returned.any():
        births[returned] = store["birth"][np.frombuffer(lines.sources, np.int32)[returned]]
    return Credit(_mapped(holders, named), births, lines.born if sources is None else sources)


def _mapped(keys: Sequence[int], values: Mapping[int, int]) -> NDArray[np.int32]:
    """The value of each key."""
    if len(values) == 1:  # the usual case: one commit wrote all lines
        (value,) = values.values()
        return np.full(len(keys), value, np.int32)
    return np.fromiter(map(values.__getitem__, keys), np.int32, len(keys))


def delivered_rows(
    lines: ChangedLines, changes: Sequence[FileChange], given: Credit, store: LineTable, paths: Sequence[str]
) -> list[tuple[FileChange, Row]]:
    """Per file and commits involved: novel lines of the file, credited, birth, removal, replaced, copied_from,
    histogram.

    `paths` are those that `copied_from` numbers.
    """
    if not len(lines.added_ids):
        return []
    names: list[Column] = [
        given.credited,
        given.births,
        lines.removals,
        lines.replaced,
        _places(lines, paths),
    ]
    labels: list[Labels] = [_NAMES, _NAMES, None, None, None, _FLAGS]
    facts = tally(names, [lines.classes, *_carried(lines, store)], labels, lines.added_starts)
    rows = []
    for change, groups in zip(changes, facts, strict=True):
        novel = _count_novel(groups)
        named = [
            (
                *[store.commits[number] if number >= 0 else None for number in numbers],
                paths[place] if place >= 0 else None,
                histogram,
            )
            for (*numbers, place), histogram in groups
        ]
        rows += [(change, (novel, *row)) for row in _in_order(named)]
    return rows


def tally(
    names: Sequence[Column], facts: Sequence[Column], labels: Sequence[Labels], starts: Sequence[int]
) -> list[list[tuple[Row, Histogram]]]:
    """Histograms of the lines of each file, one for each combination of names.

    `names` are columns of 32-bit numbers, `facts` columns of bytes. A histogram is a sorted list of the combinations
    of facts, each with its number of lines; where a column has labels, they stand for its values.
    """
    kernel = native.load("_delivery")
    if kernel is not None:
        found: list[list[tuple[Row, Histogram]]] = kernel.tally(
            list(names), list(facts), list(labels), starts
        )
        return found
    return tally_plainly(names, facts, labels, starts)


def tally_plainly(
    names: Sequence[Column], facts: Sequence[Column], labels: Sequence[Labels], starts: Sequence[int]
) -> list[list[tuple[Row, Histogram]]]:
    """The same in Python."""
    columns = [np.frombuffer(c, np.int32).tolist() for c in names] + [bytes(c) for c in facts]
    lines = list(zip(*columns, strict=True))
    return [_tally_file(lines[start:stop], len(names), labels) for start, stop in pairwise(starts)]


def _tally_file(lines: Sequence[Row], names: int, labels: Sequence[Labels]) -> list[tuple[Row, Histogram]]:
    groups: dict[Row, Counter[Row]] = defaultdict(Counter)
    for line in lines:
        groups[line[:names]][line[names:]] += 1
    return [
        (
            key,
            [
                (*(v if label is None else label[v] for v, label in zip(facts, labels, strict=True)), count)
                for facts, count in sorted(histogram.items())
            ],
        )
        for key, histogram in groups.items()
    ]


def _places(lines: ChangedLines, paths: Sequence[str]) -> array[int]:
    """Numbers of the paths from which lines were copied, one number for each path."""
    if COPIED not in lines.classes:
        return lines.copied_from
    first: dict[str, int] = {}
    return array("i", [first.setdefault(paths[p], p) if p >= 0 else p for p in lines.copied_from])


def _carried(lines: ChangedLines, store: LineTable) -> list[Column]:
    """First class, tokens, own tokens, rank and test. A returned line takes those of its first delivery."""
    own: list[Column] = [lines.classes, lines.tokens, lines.own_tokens, lines.ranks, lines.in_tests]
    if RETURNED not in lines.classes:
        return own
    returned = np.frombuffer(lines.classes, np.uint8) == RETURNED
    sources = np.frombuffer(lines.sources, np.int32)[returned]
    carried: list[Column] = []
    for name, column in zip(("class", "tokens", "own_tokens", "rank", "in_test"), own, strict=True):
        values = np.frombuffer(column, np.uint8).copy()
        values[returned] = store[name][sources]
        carried.append(values)
    return carried


def _in_order(rows: list[Row]) -> list[Row]:
    """The rows of one file in the order of their texts, which are all columns but the last."""
    return sorted(rows, key=_texts) if len(rows) > 1 else rows


def _texts(row: Row) -> list[str]:
    return [value or "" for value in row[:-1]]


def _count_novel(groups: Sequence[tuple[Row, Histogram]]) -> int:
    """Novel code lines of a file that have new tokens. A comment is never novel."""
    return sum(
        count
        for _, histogram in groups
        for name, _, tokens, *_, count in histogram
        if tokens and name == CLASSES[NOVEL]
    )


def death_rows(
    lines: ChangedLines,
    changes: Sequence[FileChange],
    ownership: Ownership,
    store: LineTable,
    delivery_of: Sequence[Delivery],
) -> list[tuple[FileChange, Row]]:
    """Per file and commits involved: remover, origin, birth, delivery of birth, histogram."""
    if not len(lines.removed_ids):
        return []
    known = {name: store[name][lines.removed_ids] for name in CREDIT}
    names: list[Column] = [lines.removers, _line_authors(lines, ownership), known["birth"], known["delivery"]]
    birth: list[Column] = [known[name] for name in ("class", "tokens", "own_tokens", "rank", "in_test")]
    death: list[Column] = [lines.removed_gone, lines.removed_replaced, lines.removed_alive]
    labels: list[Labels] = [_NAMES, None, None, None, _FLAGS, _FLAGS, _FLAGS, _FLAGS]
    facts = tally(names, [*birth, *death], labels, lines.removed_starts)
    rows = []
    for change, groups in zip(changes, facts, strict=True):
        named = []
        for (remover, origin, birth_commit, brought), histogram in groups:
            born = store.commits[birth_commit]
            wrote = ownership.born_commits[origin] if origin >= 0 else born
            named.append((store.commits[remover], wrote, born, delivery_of[brought].sha, histogram))
        rows += [(change, row) for row in _in_order(named)]
    return rows


def _line_authors(lines: ChangedLines, ownership: Ownership) -> NDArray[np.int32]:
    """For each removed line the position of the commit that blame names; -1 where its ownership is unknown."""
    ids = np.concatenate([file.gone for file in lines.files])
    found = ownership.births(ids).astype(np.int32)
    found[ids < 0] = -1
    return found
