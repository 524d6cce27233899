"""Line ownership: the commit that wrote each line, carried forwards, parents first.

A file version is an array of line ids, one per physical line. A change copies its parent's array with its hunks
spliced in, so a line keeps its id for life. Ids are assigned commit by commit, so an id determines its commit of
birth. Versions are stored in nested dictionaries shaped like Git's trees: a merge shares every folder that it took
unchanged from a parent.

Oracle: `git blame` without -M and -C. At a merge, lines go to the first of the parents that has them, in the given
order.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import is_

import numpy as np
from numpy.typing import NDArray

from ingest.git.blame.file_tree import NO_LINES, Draft, LineIds, Node, lookup
from ingest.git.blame.line_edits import line_edits
from ingest.git.diff.hunks import Hunk
from ingest.git.objects.commit_graph import Commit
from ingest.git.objects.merge_plan import OWN, FolderPlan, Origin, plan_merge
from ingest.git.objects.trees import TreeReader


@dataclass(frozen=True, slots=True)
class PathChange:
    """The change of one file by one commit. `lines_after` is 0 for files without text."""

    path: str
    previous_path: str | None
    status: str
    hunks: Sequence[Hunk]
    lines_after: int
    other_sides: Sequence[tuple[str, str, Sequence[Hunk]]] = ()
    """For a merge: a further parent, its path, the hunks against it."""


class Ownership:
    """Line ids of every file at the commits that later commits still need.

    A commit's files are dropped once all its children among the `delivered` commits are taken in, unless `hold`
    keeps them.
    """

    def __init__(self, trees: TreeReader, commits: Mapping[str, Commit], delivered: Iterable[str]) -> None:
        self._trees = trees
        self._commits = commits
        self._roots: dict[str, Node] = {}
        self._waiting = Counter(p for sha in delivered for p in set(commits[sha].parents))
        self._edits = line_edits()
        self._first_ids = array("i")
        self._births: list[str] = []
        self.next_id = 0

    def root(self, sha: str) -> Node:
        return self._roots[sha]

    def hold(self, sha: str) -> None:
        """Keep the files of `sha` until `release` has been called as often as `hold`."""
        self._waiting[sha] += 1

    def release(self, sha: str) -> None:
        self._waiting[sha] -= 1
        if self._waiting[sha] <= 0:
            self._roots.pop(sha, None)

    def birth(self, line_id: int) -> str:
        """Commit in which a line was born."""
        return self._births[bisect_right(self._first_ids, line_id) - 1]

    def births(self, ids: LineIds) -> NDArray[np.int64]:
        """Positions in `born_commits` of the commits of birth."""
        return np.searchsorted(np.frombuffer(self._first_ids, np.int32), ids, side="right") - 1

    @property
    def born_commits(self) -> list[str]:
        return self._births

    def reserve(self, sha: str, lines: int) -> LineIds:
        """New ids born in `sha`."""
        self._note_birth(sha)
        ids = np.arange(self.next_id, self.next_id + lines, dtype=np.int32)
        self.next_id += lines
        return ids

    def _note_birth(self, sha: str) -> None:
        if not self._births or self._births[-1] != sha:
            self._births.append(sha)
            self._first_ids.append(self.next_id)

    def advance(
        self, sha: str, changes: Sequence[PathChange], parents: Sequence[str], plan: Origin | None = None
    ) -> list[tuple[str, LineIds]]:
        """Take in one commit after all its `parents`, which are listed in blame order.

        `plan` is that of a merge for these parents; without one it is made here. Returns the lines that a non-merge
        commit removed, by path before the change.
        """
        if len(parents) > 1:
            self._merge(sha, changes, parents, plan)
            removed: list[tuple[str, LineIds]] = []
        else:
            removed = self._apply(sha, changes, self._roots[parents[0]] if parents else {})
        for parent in set(self._commits[sha].parents):
            self.release(parent)
        return removed

    def _apply(self, sha: str, changes: Sequence[PathChange], before: Node) -> list[tuple[str, LineIds]]:
        draft = Draft(dict(before))
        removed, added = [], []
        for change in changes:
            source = change.previous_path or change.path
            old = NO_LINES if change.status == "A" else lookup(before, source)
            gone, ids = self._edit(sha, old, change.hunks)
            if len(ids) != change.lines_after:
                # The difference is unreadable (binary, too large, missing): all lines are new.
                gone, ids = old, self.reserve(sha, change.lines_after)
            if gone.size:
                removed.append((source, gone))
            if change.status in ("D", "R"):
                draft.remove(source)
            if change.status != "D":
                added.append((change.path, ids))
        for path, ids in added:
            draft.put(path, ids)
        self._roots[sha] = draft.root
        return removed

    def _edit(self, sha: str, old: LineIds, hunks: Sequence[Hunk]) -> tuple[LineIds, LineIds]:
        """Lines removed, and the new version."""
        self._note_birth(sha)
        gone, ids = self._edits.edit(old, hunks, self.next_id)
        self.next_id += len(ids) - (len(old) - len(gone))
        return gone, ids

    def _merge(
        self, sha: str, changes: Sequence[PathChange], parents: Sequence[str], plan: Origin | None
    ) -> None:
        if plan is None:
            trees = [self._commits[parent].tree for parent in parents]
            plan = plan_merge(self._trees, self._commits[sha].tree, trees)
        own = {c.path: self._combine(sha, c, parents) for c in changes if c.status != "D"}
        roots = [self._roots[parent] for parent in parents]
        self._roots[sha] = roots[plan] if isinstance(plan, int) else _follow(plan, roots, own, "")

    def _combine(self, sha: str, change: PathChange, parents: Sequence[str]) -> LineIds:
        """A file that a merge itself changed: each line goes to the first parent that has it."""
        sides = {parent: (path, hunks) for parent, path, hunks in change.other_sides}
        if change.status != "A":
            sides[self._commits[sha].parents[0]] = change.previous_path or change.path, change.hunks
        ids = np.full(change.lines_after, -1, np.int32)
        # Git's blame gives a whole file to the parent that has it under another name.
        for parent in sorted(parents, key=lambda p: p not in sides or bool(sides[p][1])):
            if parent in sides:
                path, hunks = sides[parent]
                _inherit(ids, lookup(self._roots[parent], path), hunks)
        fresh = ids < 0
        ids[fresh] = self.reserve(sha, int(fresh.sum()))
        return ids


def _inherit(ids: LineIds, old: LineIds, hunks: Sequence[Hunk]) -> None:
    """Fill the unset positions of `ids` with the lines of `old` that no hunk touches."""
    if len(ids) - sum(h[3] for h in hunks) != len(old) - sum(h[1] for h in hunks):
        return  # the old version is unreadable
    old_at = new_at = 0
    for old_start, old_lines, new_start, new_lines in [*hunks, (len(old) + 1, 1, len(ids) + 1, 1)]:
        new_stop = new_start - 1 if new_lines else new_start
        length = new_stop - new_at
        piece = ids[new_at:new_stop]
        np.copyto(piece, old[old_at : old_at + length], where=piece < 0)
        old_at = (old_start - 1 if old_lines else old_start) + old_lines
        new_at = new_stop + new_lines


def _follow(plan: FolderPlan, nodes: Sequence[Node | None], own: Mapping[str, LineIds], prefix: str) -> Node:
    """The node of a folder of a merge. `nodes` are those of the folder in the parents, None without one."""
    result: Node = dict(nodes[0] or {})
    for name in plan.gone:
        result.pop(name, None)
    for name, origin in plan.come:
        if isinstance(origin, FolderPlan):
            result[name] = _follow(origin, [_child(n, name) for n in nodes], own, f"{prefix}{name}/")
        elif origin == OWN:
            result[name] = own.get(prefix + name, NO_LINES)
        elif (found := (nodes[origin] or {}).get(name)) is not None:
            result[name] = found
    whole = next((nodes[position] for position in plan.same if nodes[position] is not None), None)
    if whole is not None and all(map(is_, map(result.get, whole), whole.values())):
        return whole  # shared, unless an earlier parent provides one of its files
    return result


def _child(node: Node | None, name: str) -> Node | None:
    child = node.get(name) if node is not None else None
    return child if isinstance(child, dict) else None
