"""Histograms of classified lines: rows of delivered_lines and line_deaths instead of a row per line."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.git.blame.file_tree import NO_LINES
from ingest.git.blame.ownership import Ownership
from ingest.git.changes.commit_changes import FileChange
from ingest.git.classify.changed_lines import ChangedLines
from ingest.git.classify.line_table import CLASSES, COPIED, CREDIT, LAYOUT, NOVEL, RETURNED, UNREAD, LineTable
from ingest.git.deliveries import Delivery
from ingest.git.lexing.line_features import CODE
from ingest.lake.tables import Row

_NAMES = dict(enumerate(CLASSES)) | {UNREAD: CLASSES[LAYOUT]}
"""Unread lines weigh nothing, as layout does."""


@dataclass(frozen=True, slots=True)
class DeliveryFacts:
    """Rows of one delivery, each with its file; novel lines by path."""

    added: list[tuple[FileChange, Row]]
    removed: list[tuple[FileChange, Row]]
    novel: dict[str, int]


@dataclass(frozen=True, slots=True)
class Credit:
    """Numbers of commits per added line: the credited commit, and the commit that first wrote the line."""

    credited: NDArray[np.int32]
    births: NDArray[np.int32]


def credit(lines: ChangedLines, delivery: Delivery, ownership: Ownership, store: LineTable) -> Credit:
    """A line born in an earlier delivery is credited to the delivery that brought it back."""
    positions, inverse = np.unique(ownership.births(lines.born), return_inverse=True)
    shas = [ownership.born_commits[p] for p in positions]
    brought = set(delivery.commits)
    credited = [store.position(sha if sha in brought else delivery.sha) for sha in shas]
    births = np.asarray([store.position(sha) for sha in shas], np.int32)[inverse]
    for i, source in enumerate(lines.sources):
        if lines.removals[i] >= 0:
            births[i] = store["birth"][source]
    return Credit(np.asarray(credited, np.int32)[inverse], births)


def delivered_rows(
    lines: ChangedLines, changes: Sequence[FileChange], given: Credit, store: LineTable
) -> list[tuple[FileChange, Row]]:
    """Per file and commits involved: credited, birth, removal, replaced, copied_from, histogram."""
    original = store["class"][np.asarray(lines.sources, np.int64)].tolist() if lines.sources else []
    tokens, own, ranks = _carried(lines, store)
    firsts = [original[i] if kind == RETURNED else kind for i, kind in enumerate(lines.classes)]
    places: list[str | None] = [None] * len(firsts)
    for i, place in lines.copied_from.items():
        if lines.classes[i] == COPIED:
            places[i] = place
    columns = (given.credited.tolist(), given.births.tolist(), lines.removals, lines.replaced, places)
    facts = list(zip(*columns, lines.classes, firsts, tokens, own, ranks, strict=True))
    rows = []
    for number, change in enumerate(changes):
        added = lines.added_of(number)
        named = []
        for names, histogram in _grouped(facts[added.start : added.stop], len(columns)):
            shas = tuple(store.commits[k] if k >= 0 else None for k in names[:4])
            counts = [(_NAMES[kind], _NAMES[first], *rest) for kind, first, *rest in histogram]
            named.append((*shas, names[4], counts))
        rows += [(change, row) for row in sorted(named, key=_names)]
    return rows


def _grouped(facts: Sequence[Row], length: int) -> list[tuple[Row, list[Row]]]:
    """Group lines by their first `length` facts; each group counts the combinations of the others."""
    groups: dict[Row, list[Row]] = defaultdict(list)
    for line, count in Counter(facts).items():
        groups[line[:length]].append((*line[length:], count))
    return [(names, sorted(histogram)) for names, histogram in groups.items()]


def _carried(lines: ChangedLines, store: LineTable) -> tuple[list[int], list[int], list[int]]:
    """Tokens, own tokens and rank. A returned line takes those of its first delivery."""
    tokens, own, ranks = list(lines.tokens), list(lines.own_tokens), list(lines.ranks)
    for i, kind in enumerate(lines.classes):
        if kind == RETURNED:
            source = lines.sources[i]
            tokens[i] = int(store["tokens"][source])
            own[i] = int(store["own_tokens"][source])
            ranks[i] = int(store["rank"][source])
    return tokens, own, ranks


def _names(row: Row) -> list[str]:
    """Sort key of the rows of one file: all columns but the histogram, which are text."""
    return [name or "" for name in row[:-1]]


def novel_lines(lines: ChangedLines, number: int) -> int:
    """Novel code lines of one file."""
    return sum(
        lines.classes[i] == NOVEL and lines.kinds[i] == CODE and lines.tokens[i] > 0
        for i in lines.added_of(number)
    )


def death_rows(
    lines: ChangedLines,
    changes: Sequence[FileChange],
    ownership: Ownership,
    store: LineTable,
    delivery_of: Sequence[Delivery],
) -> list[tuple[FileChange, Row]]:
    """Per file and commits involved: remover, origin, birth, delivery of birth, histogram."""
    known = {name: store[name][lines.removed_ids].tolist() for name in CREDIT}
    names = (lines.removers, _line_authors(lines, ownership), known["birth"], known["delivery"])
    at_birth = (known["class"], known["tokens"], known["own_tokens"], known["rank"])
    at_death = (lines.removed_gone, lines.removed_replaced, lines.removed_alive)
    facts = list(zip(*names, *at_birth, *at_death, strict=True))
    rows = []
    for number, change in enumerate(changes):
        removed = lines.removed_of(number)
        named = []
        for (remover, origin, birth, brought), histogram in _grouped(
            facts[removed.start : removed.stop], len(names)
        ):
            born = store.commits[birth]
            wrote = ownership.born_commits[origin] if origin >= 0 else born
            counts = [(_NAMES[kind], *rest) for kind, *rest in histogram]
            named.append((store.commits[remover], wrote, born, delivery_of[brought].sha, counts))
        rows += [(change, row) for row in sorted(named, key=_names)]
    return rows


def _line_authors(lines: ChangedLines, ownership: Ownership) -> list[int]:
    """For each removed line the position of the commit that blame names; -1 where its ownership is unknown."""
    ids = np.concatenate([NO_LINES, *(file.gone for file in lines.files)])
    found: list[int] = np.where(ids >= 0, ownership.births(ids), -1).tolist()
    return found
