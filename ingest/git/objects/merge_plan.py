"""Parents from which a merge takes each of its files, found by comparing trees.

Trees are all that a plan needs, so the process that reads a merge makes it. Keep out: line ids (`ownership`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Union

from ingest.git.objects.contents import ObjectProblem
from ingest.git.objects.trees import Entry, TreeReader, decode_path, is_tree

OWN = -1
"""A file that no parent has."""

Origin = Union[int, "FolderPlan"]
"""The position of the parent that has the same file or folder, OWN, or the plan of a folder that none has."""


class FolderPlan(NamedTuple):
    """A folder of a merge, compared with that of its first parent."""

    gone: tuple[str, ...]
    """Names that only the first parent has, or has with another content."""
    come: tuple[tuple[str, Origin], ...]
    """Names that the first parent lacks, or has with another content."""
    same: tuple[int, ...]
    """Later parents with the same tree."""


def plan_merge(trees: TreeReader, tree: str, parents: Sequence[str]) -> Origin:
    """The plan of a merge with `tree`. `parents` are trees (hex ids) in blame order.

    A merge with an unreadable tree keeps the files of its first parent; reading its changes records the problem.
    """
    sides = [bytes.fromhex(parent) for parent in parents]
    try:
        return _plan_folder(trees, bytes.fromhex(tree), sides)
    except ObjectProblem:
        return 0


def _plan_folder(trees: TreeReader, tree: bytes, sides: Sequence[bytes | None]) -> Origin:
    same = tuple(position for position, side in enumerate(sides) if side == tree)
    if same and not any(sides[: same[0]]):
        return same[0]
    changed = [trees.difference(side, tree) for side in sides]
    gone, come = changed[0]
    found = []
    for name, entry in come.items():
        theirs = [old.get(name) if name in new else entry for old, new in changed]
        found.append((decode_path(name), _origin(trees, entry, theirs)))
    return FolderPlan(tuple(map(decode_path, gone)), tuple(found), same)


def _origin(trees: TreeReader, entry: Entry, theirs: Sequence[Entry | None]) -> Origin:
    if is_tree(entry):
        return _plan_folder(trees, entry[1], [side[1] if side and is_tree(side) else None for side in theirs])
    for position, side in enumerate(theirs):
        # Git's blame gives a whole file to the first parent with the same blob, whatever its mode.
        if side is not None and side[1] == entry[1]:
            return position
    return OWN
