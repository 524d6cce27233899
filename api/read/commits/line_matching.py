"""Single lines with their weights: the lines of a change, read from a clone, held against the stored classes.

The stored numbers of lines decide. A line that reads as another class than these say gets one of theirs, and is
marked: only the whole history tells that a line had been removed before or stands elsewhere. Keep out: reading the
clone (ingest/git/single_lines), the stored classes (explanation.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from api.snapshot.build import Row

DEDUCTION, REMOVED = "TAKEN_BACK", "REMOVED"


class AddedLine(Protocol):
    """An added line as the clone tells it."""

    @property
    def number(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def tokens(self) -> int: ...
    @property
    def rank(self) -> int: ...


class RemovedLine(Protocol):
    """A removed line as the clone tells it."""

    @property
    def number(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def is_gone(self) -> bool: ...


@dataclass(slots=True)
class _Pool:
    """The lines of one stored class that no line has taken yet."""

    group: Row
    left: int

    def take(self) -> Row:
        self.left -= 1
        return self.group


def matched(
    added: Sequence[AddedLine], removed: Sequence[RemovedLine], groups: Sequence[Row]
) -> tuple[list[Row], list[Row]]:
    """The lines in the order of the file, and the classes of which no line is known.

    The points of both add up to those of the classes.
    """
    pools = [_Pool(group, group["lines"]) for group in groups]
    taken = _added_groups(added, [one for one in pools if one.group["class"] not in (DEDUCTION, REMOVED)])
    gone = _removed_groups(removed, [one for one in pools if one.group["class"] == REMOVED])
    new = [_row("NEW", line, *found) for line, found in zip(added, taken, strict=True)]
    old = [_row("OLD", line, group, True) for line, group in zip(removed, gone, strict=True)]
    rest = [
        one.group | {"lines": one.left, "pointsMicros": one.left * (one.group["weightMicros"] or 0)}
        if one.left < one.group["lines"]
        else one.group
        for one in pools
        if one.left
    ]
    return [*old, *new], rest


def _added_groups(lines: Sequence[AddedLine], pools: Sequence[_Pool]) -> list[tuple[Row | None, bool]]:
    """The class of each line, and whether the clone tells the same."""
    found: list[tuple[Row | None, bool]] = []
    for line in lines:
        pool = _first(pools, line, ("class", "tokens", "rank"))
        found.append((pool.take(), True) if pool else (None, False))
    for names in (("tokens", "rank"), ("tokens",), ("class",), ()):
        for at, line in enumerate(lines):
            if found[at][0] is None and (pool := _first(pools, line, names)):
                found[at] = pool.take(), False
    return found


def _first(pools: Sequence[_Pool], line: AddedLine, names: Sequence[str]) -> _Pool | None:
    wanted = {"class": line.name.upper(), "tokens": line.tokens, "rank": line.rank}
    for pool in pools:
        if pool.left and all(pool.group[name] == wanted[name] for name in names):
            return pool
    return None


def _removed_groups(lines: Sequence[RemovedLine], pools: Sequence[_Pool]) -> list[Row | None]:
    """The class of each removed line. Where not all lines that are gone earn the same, nobody knows which earn."""
    gone = sum(line.is_gone for line in lines)
    if len(pools) != 1 or pools[0].left != gone:
        return [None] * len(lines)
    return [pools[0].take() if line.is_gone else None for line in lines]


def _row(side: str, line: AddedLine | RemovedLine, group: Row | None, is_certain: bool) -> Row:
    known = group or {}
    return {
        "side": side,
        "number": line.number,
        "text": line.text,
        "class": known.get("class"),
        "tokens": known.get("tokens"),
        "rank": known.get("rank"),
        "weightMicros": known.get("weightMicros"),
        "note": known.get("note"),
        "isCertain": is_certain and group is not None,
    }
