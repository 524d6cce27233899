"""Pairs of files between two trees, changed or renamed, with renames paired as Git pairs them.

Oracles: `git log --raw -M`, and `git blame` for changes that a merge itself made. Keep out: texts (`hunks`).
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass

import pygit2

from ingest.git.diff.exact_renames import exact_renames, file_kind
from ingest.git.diff.similarity import similarity
from ingest.git.objects.trees import SUBMODULE_MODE, Entry, PathChange, TreeReader

RENAME_PAIRS = 1000 * 1000
"""Git gives up inexact renames above `diff.renameLimit` squared (1000 by default since 2.34)."""

MERGED_RENAME_PAIRS = 10_000
"""The same limit for files that a merge itself changed: one merge of two long branches took seconds."""

THRESHOLD = 50
"""Minimum similarity of a rename in percent, as for `-M`."""
_LOOSE = 30
"""The same limit for libgit2's own measure: low, because each candidate is measured again with Git's."""

_SYMLINK_MODE = b"120000"
_RENAMES = pygit2.enums.DiffFind.FIND_RENAMES
_EXACT = pygit2.enums.DiffFind.FIND_EXACT_MATCH_ONLY


@dataclass(frozen=True, slots=True)
class PathPair:
    """A file before and after, renames joined; `similarity` is set for a rename."""

    old_path: bytes | None
    new_path: bytes | None
    old: Entry | None
    new: Entry | None
    similarity: int | None = None

    @property
    def path(self) -> bytes:
        return self.new_path or self.old_path or b""

    @property
    def status(self) -> str:
        if self.old is None or self.new is None:
            return "A" if self.old is None else "D"
        if self.similarity is not None:
            return "R"
        return "T" if file_kind(self.old[0]) != file_kind(self.new[0]) else "M"


def is_submodule(pair: PathPair) -> bool:
    return any(e is not None and e[0] == SUBMODULE_MODE for e in (pair.old, pair.new))


def pair_paths(
    repo: pygit2.Repository, trees: TreeReader, old: bytes | None, new: bytes | None
) -> list[PathPair]:
    """Changed files between two trees with renames detected as `-M` does, in path order."""
    changes = list(trees.changes(old, new))
    renames = _find_renames(repo, changes, old, new)
    sources = {source for source, _ in renames.values()}
    deleted = {c.path: c for c in changes if c.new is None}
    pairs = []
    for change in changes:
        if change.old is None and change.path in renames:
            source, similarity = renames[change.path]
            pairs.append(PathPair(source, change.path, deleted[source].old, change.new, similarity))
        elif change.new is not None or change.path not in sources:
            has_old, has_new = change.old is not None, change.new is not None
            old_path, new_path = change.path if has_old else None, change.path if has_new else None
            pairs.append(PathPair(old_path, new_path, change.old, change.new))
    return sorted(pairs, key=lambda p: p.path)


def _find_renames(
    repo: pygit2.Repository, changes: list[PathChange], old: bytes | None, new: bytes | None
) -> dict[bytes, tuple[bytes, int]]:
    """New path → (old path, similarity)."""
    added = [c for c in changes if c.old is None and c.new and c.new[0] != SUBMODULE_MODE]
    deleted = [c for c in changes if c.new is None and c.old and c.old[0] != SUBMODULE_MODE]
    if not added or not deleted or old is None or new is None:
        return {}
    moved = exact_renames(added, deleted)
    taken = {source for source, _ in moved.values()}
    left = sum(c.path not in taken for c in deleted)
    inexact = len(added) - len(moved)
    if not inexact or not left:
        return moved
    flags = _RENAMES if inexact * left <= RENAME_PAIRS else _RENAMES | _EXACT
    try:
        found = _confirmed(repo, _detect(repo, old, new, flags))
    except (KeyError, pygit2.GitError):
        return moved  # a blob of the candidates is missing or damaged
    return {path: pair for path, pair in found.items() if pair[0] not in taken} | moved


def _confirmed(repo: pygit2.Repository, diff: pygit2.Diff) -> dict[bytes, tuple[bytes, int]]:
    """The rename candidates of libgit2 that Git accepts too, with Git's similarity."""
    found = {}
    for delta in diff.deltas:
        if delta.status == pygit2.enums.DeltaStatus.RENAMED:
            score = _score(repo, delta)
            if score >= THRESHOLD:
                found[delta.new_file.raw_path] = delta.old_file.raw_path, score
    return found


def _score(repo: pygit2.Repository, delta: pygit2.DiffDelta) -> int:
    if delta.old_file.id == delta.new_file.id:
        return 100
    old, new = repo[delta.old_file.id], repo[delta.new_file.id]
    assert isinstance(old, pygit2.Blob)
    assert isinstance(new, pygit2.Blob)
    return similarity(
        memoryview(old).tobytes(), memoryview(new).tobytes(), is_text=not (old.is_binary or new.is_binary)
    )


def rename_sources(
    repo: pygit2.Repository, trees: TreeReader, old: bytes, new: bytes, wanted: Collection[bytes]
) -> dict[bytes, PathPair]:
    """The old paths of those `wanted` new paths that are renames, paired as if no other file were new.

    `git blame` follows renames this way. Between branches that diverged long ago it is much less work.
    """
    changes = list(trees.changes(old, new))
    deleted = {c.path: c.old for c in changes if c.new is None and c.old and c.old[0] != SUBMODULE_MODE}
    added = {
        c.path: c.new
        for c in changes
        if c.old is None and c.new and c.new[0] != SUBMODULE_MODE and c.path in wanted
    }
    if not deleted or not added:
        return {}
    before, index = repo[pygit2.Oid(raw=old)], pygit2.Index()
    assert isinstance(before, pygit2.Tree)
    index.read_tree(before)
    for path in deleted:
        index.remove(os.fsdecode(path))
    for path, (mode, blob) in added.items():
        kind = pygit2.enums.FileMode.LINK if mode == _SYMLINK_MODE else pygit2.enums.FileMode.BLOB
        index.add(pygit2.IndexEntry(os.fsdecode(path), pygit2.Oid(raw=blob), kind))
    flags = _RENAMES if len(added) * len(deleted) <= MERGED_RENAME_PAIRS else _RENAMES | _EXACT
    diff = before.diff_to_index(index, context_lines=0)
    try:
        diff.find_similar(flags=flags, rename_threshold=_LOOSE, rename_limit=1000)
    except (KeyError, pygit2.GitError):
        # A blob of the candidates is missing or corrupt: exact renames need none of them.
        diff = before.diff_to_index(index, context_lines=0)
        diff.find_similar(flags=_RENAMES | _EXACT, rename_threshold=_LOOSE, rename_limit=1000)
    return {
        path: PathPair(source, path, deleted[source], added[path], score)
        for path, (source, score) in _confirmed(repo, diff).items()
    }


def _detect(repo: pygit2.Repository, old: bytes, new: bytes, flags: pygit2.enums.DiffFind) -> pygit2.Diff:
    before, after = repo[pygit2.Oid(raw=old)], repo[pygit2.Oid(raw=new)]
    assert isinstance(before, pygit2.Tree)
    assert isinstance(after, pygit2.Tree)
    diff = before.diff_to_tree(after, context_lines=0)
    diff.find_similar(flags=flags, rename_threshold=_LOOSE, rename_limit=1000)
    return diff
