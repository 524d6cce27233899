"""Judged lines as rows of delivered_lines and line_deaths: small histograms, not a row per line."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.git.changes import FileChange
from ingest.git.deliveries import Delivery
from ingest.git.judged_lines import JudgedLines
from ingest.git.lexing import CODE
from ingest.git.line_store import CLASSES, COPIED, CREDIT, LAYOUT, NOVEL, RETURNED, UNREAD, LineStore
from ingest.git.origins import Origins
from ingest.git.tables import Row

_NAMES = dict(enumerate(CLASSES)) | {UNREAD: CLASSES[LAYOUT]}
"""Lines that could not be read weigh nothing, as layout does."""


@dataclass(frozen=True, slots=True)
class Credit:
    """Numbers of commits per added line: who gets the credit, and where the line was first written."""

    credited: NDArray[np.int32]
    births: NDArray[np.int32]


def credit(lines: JudgedLines, delivery: Delivery, origins: Origins, store: LineStore) -> Credit:
    """A line born in an earlier delivery is credited to the delivery that brought it back."""
    positions, inverse = np.unique(origins.births(lines.born), return_inverse=True)
    shas = [origins.born_commits[p] for p in positions]
    brought = set(delivery.commits)
    credited = [store.position(sha if sha in brought else delivery.sha) for sha in shas]
    births = np.asarray([store.position(sha) for sha in shas], np.int32)[inverse]
    for i, source in enumerate(lines.sources):
        if lines.removals[i] >= 0:
            births[i] = store["birth"][source]
    return Credit(np.asarray(credited, np.int32)[inverse], births)


def delivered_rows(
    lines: JudgedLines, changes: Sequence[FileChange], given: Credit, store: LineStore
) -> list[tuple[FileChange, Row]]:
    """Per file and commits involved: credited, birth, removal, replaced, copied_from, histogram."""
    original = store["class"][np.asarray(lines.sources, np.int64)].tolist() if lines.sources else []
    tokens, own, ranks = _carried(lines, store)
    credited, births = given.credited.tolist(), given.births.tolist()
    rows = []
    for number, change in enumerate(changes):
        groups: dict[tuple[object, ...], Counter[Row]] = defaultdict(Counter)
        for i in lines.added_of(number):
            kind = lines.classes[i]
            first = original[i] if kind == RETURNED else kind
            place = lines.copied_from.get(i) if kind == COPIED else None
            key = (credited[i], births[i], lines.removals[i], lines.replaced[i], place)
            groups[key][kind, first, tokens[i], own[i], ranks[i]] += 1
        for names, counts in sorted(groups.items(), key=lambda g: _sort_key(g[0], store)):
            histogram = [(_NAMES[c], _NAMES[f], *rest, n) for (c, f, *rest), n in sorted(counts.items())]
            shas = tuple(store.commits[k] if isinstance(k, int) and k >= 0 else None for k in names[:4])
            rows.append((change, (*shas, names[4], histogram)))
    return rows


def _carried(lines: JudgedLines, store: LineStore) -> tuple[list[int], list[int], list[int]]:
    """Tokens, own tokens and rank; a returned line has those of its first delivery."""
    tokens, own, ranks = list(lines.tokens), list(lines.own_tokens), list(lines.ranks)
    for i, kind in enumerate(lines.classes):
        if kind == RETURNED:
            source = lines.sources[i]
            tokens[i] = int(store["tokens"][source])
            own[i] = int(store["own_tokens"][source])
            ranks[i] = int(store["rank"][source])
    return tokens, own, ranks


def _sort_key(key: tuple[object, ...], store: LineStore) -> tuple[str, ...]:
    shas = [store.commits[k] if isinstance(k, int) and k >= 0 else "" for k in key[:4]]
    return (*shas, str(key[4] or ""))


def novel_lines(lines: JudgedLines, number: int) -> int:
    """Novel code lines of one file."""
    return sum(
        lines.classes[i] == NOVEL and lines.kinds[i] == CODE and lines.tokens[i] > 0
        for i in lines.added_of(number)
    )


def death_rows(
    lines: JudgedLines,
    changes: Sequence[FileChange],
    store: LineStore,
    delivery_of: Sequence[Delivery],
) -> list[tuple[FileChange, Row]]:
    """Per file and commits involved: remover, birth, delivery of birth, histogram."""
    ids = lines.removed_ids
    columns = {name: store[name][ids].tolist() for name in CREDIT}
    rows = []
    for number, change in enumerate(changes):
        groups: dict[tuple[str, str, str], Counter[Row]] = defaultdict(Counter)
        for i in lines.removed_of(number):
            facts = (
                columns["class"][i],
                columns["tokens"][i],
                columns["own_tokens"][i],
                columns["rank"][i],
                lines.removed_gone[i],
                lines.removed_replaced[i],
                lines.removed_alive[i],
            )
            remover, birth = store.commits[lines.removers[i]], store.commits[columns["birth"][i]]
            groups[remover, birth, delivery_of[columns["delivery"][i]].sha][facts] += 1
        for key, counts in sorted(groups.items()):
            histogram = [(_NAMES[c], *rest, n) for (c, *rest), n in sorted(counts.items())]
            rows.append((change, (*key, histogram)))
    return rows
